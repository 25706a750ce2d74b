// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "vulkan_api.hpp"
#include "vulkan_host_ranges.hpp"
#include "vulkan_host_reads.hpp"
#include "vulkan_info.hpp"
#include "vulkan_long_kernels.hpp"
#include "vulkan_pace.hpp"
#include "vulkan_prints.hpp"
#include "vulkan_retired.hpp"
#include "vulkan_stamps.hpp"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace ferry::vulkan {

class Stream;

/// A VkQueue. Several streams share one.
struct NativeQueue {
    Queue queue = nullptr;
    QueuePriority priority = QueuePriority::normal;
    std::mutex mutex; ///< Held during vkQueueSubmit(), and by a program that uses the VkQueue.
};

class VulkanDevice final : public backend::Device {
public:
    VulkanDevice(const InstanceApi& instance, PhysicalDevice physical);
    ~VulkanDevice() override;

    const DeviceInfo& info() const override { return info_; }
    void set_index(std::uint32_t index) noexcept { info_.index = index; }
    std::optional<std::uint64_t> free_memory() override;
    MemoryCapabilities memory_facts(MemoryKind kind) const override;

    std::unique_ptr<backend::Memory> allocate(MemoryKind kind, std::size_t bytes) override;
    bool has_parts(MemoryKind) const override { return true; }
    std::unique_ptr<backend::Memory> part(backend::Memory& whole, std::size_t offset,
                                          std::size_t bytes) override;
    std::size_t part_alignment() const override { return 256; }
    [[nodiscard]] bool synchronize() noexcept override;
    std::unique_ptr<backend::Memory> wrap(const backend::NativeMemory& native, std::size_t bytes,
                                          backend::Ownership ownership) override;
    std::unique_ptr<backend::Memory> import_memory(void* data, std::size_t bytes, bool read_only,
                                                   std::string& why) override;
    backend::ImportReach import_reach() const override;
    std::unique_ptr<backend::Memory> allocate_exportable(std::size_t bytes, std::string& why) override;
    backend::ExternalMemory export_memory(backend::Memory& memory) override;
    std::unique_ptr<backend::Memory> import_external(backend::ExternalMemory external, std::size_t bytes,
                                                     std::string& why) override;
    std::string external_identity() const override;
    std::unique_ptr<backend::Queue> create_queue(const QueueOptions& options) override;
    std::unique_ptr<backend::Event> create_event(bool timing) override;
    std::unique_ptr<backend::Queue> wrap_queue(void* native, const QueueOptions& options) override;
    std::unique_ptr<backend::Event> wrap_event(const backend::NativeEvent& native) override;
    void lock_native_queue(void* native) override;
    void unlock_native_queue(void* native) noexcept override;

    backend::Fit fit(const Source& source) const override;
    std::unique_ptr<backend::Program> build(const Source& source, const BuildOptions& options,
                                            const translate::Translation* translation) override;
    bool gains_from_staging() const override { return !traits_.unified; }
    std::unique_ptr<backend::Graph> record(std::span<const backend::RecordedCommand> commands) override;

    std::uint64_t native_device() override { return reinterpret_cast<std::uintptr_t>(physical_); }
    void* native_context() override { return device(); }
    backend::NativePlatform native_platform() const override;

    /// Creates the VkDevice at the first call.
    vulkan::Device device();
    /// Valid after device().
    const DeviceApi& api() const noexcept { return api_; }
    const Traits& traits() const noexcept { return traits_; }
    HostRanges& host_ranges() noexcept { return host_ranges_; }
    HostReads& host_reads() noexcept { return host_reads_; }
    Prints& prints() noexcept { return prints_; }
    /// The host's part of all commands that are done. Throws Error.
    void drain() {
        host_reads_.drain();
        prints_.drain();
    }
    Stamps& stamps() noexcept { return stamps_; }
    Retired& retired() noexcept { return retired_; }
    const std::shared_ptr<Pace>& copy_pace() const noexcept { return copy_pace_; }
    LongKernels& long_kernels() noexcept { return long_kernels_; }
    /// Whether submits are measured and limited: on devices with a clock that are no processors. Tests
    /// switch it. Relaxed, because each submit decides for itself.
    bool measures_submits() const noexcept { return measures_submits_.load(std::memory_order_relaxed); }
    void measure_submits(bool measure) noexcept {
        measures_submits_.store(measure && info_.timing, std::memory_order_relaxed);
    }

    /// A stream that no queue uses. Streams are used again and never destroyed, because the device may still
    /// wait for the semaphore of a queue that is gone. `queues`: the VkQueues that it may use, at least one.
    Stream& lease_stream(std::span<NativeQueue* const> queues);
    void return_stream(Stream& stream) noexcept;
    /// Calls f(Stream&) for all streams.
    template <class F>
    void for_each_stream(const F& f) {
        for (std::size_t i = 0;; ++i) {
            Stream* stream = nullptr;
            {
                const std::lock_guard lock(streams_mutex_);
                if (i == streams_.size()) {
                    return;
                }
                stream = streams_[i].get();
            }
            f(*stream);
        }
    }
    /// Submits and waits for everything on all streams. An error of a submit is kept for the owner of its
    /// stream. Throws the first other one.
    void finish_streams();

private:
    void create();
    /// Throws Error (invalid_argument) if it is not one of the device's.
    NativeQueue& find_queue(void* native);

    const InstanceApi& instance_;
    PhysicalDevice physical_;
    Traits traits_;
    DeviceInfo info_;

    std::mutex creation_mutex_;
    std::atomic<vulkan::Device> device_{nullptr};
    DeviceApi api_;
    std::deque<NativeQueue> queues_;

    std::mutex streams_mutex_;
    std::vector<std::unique_ptr<Stream>> streams_;
    std::vector<Stream*> free_streams_;

    HostRanges host_ranges_;
    HostReads host_reads_;
    Prints prints_;
    Stamps stamps_;
    Retired retired_;
    std::shared_ptr<Pace> copy_pace_ = std::make_shared<Pace>("copy");
    LongKernels long_kernels_;
    std::atomic<bool> measures_submits_{false}; ///< Relaxed: each submit decides for itself, and
                                                ///< either decision is right.
};

} // namespace ferry::vulkan
