// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "opencl_api.hpp"
#include "opencl_batch.hpp"
#include "opencl_fill.hpp"
#include "opencl_info.hpp"
#include "opencl_own_kernel.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace ferry::opencl {

class OpenclQueue;
class LaunchRecord;

/// One device with its own context, which is created at first use and lives as long as the process.
class OpenclDevice final : public backend::Device {
public:
    OpenclDevice(const Api& api, cl_platform_id platform, cl_device_id device, Traits traits,
                 DeviceInfo info);

    ~OpenclDevice() override;

    const DeviceInfo& info() const override { return info_; }
    std::optional<std::uint64_t> free_memory() override;
    bool is_given_up() noexcept override;
    MemoryCapabilities memory_facts(MemoryKind kind) const override;
    std::unique_ptr<backend::Memory> allocate(MemoryKind kind, std::size_t bytes) override;
    bool keeps_used_memory() const override { return true; }
    bool has_parts(MemoryKind kind) const override;
    std::unique_ptr<backend::Memory> part(backend::Memory& whole, std::size_t offset,
                                          std::size_t bytes) override;
    std::size_t part_alignment() const override { return view_alignment(); }
    bool synchronize() noexcept override;
    std::unique_ptr<backend::Memory> wrap(const backend::NativeMemory& native, std::size_t bytes,
                                          backend::Ownership ownership) override;
    std::unique_ptr<backend::Memory> import_unmapped(void* data, std::size_t bytes) override;
    std::unique_ptr<backend::Memory> import_memory(void* data, std::size_t bytes, bool read_only,
                                                   std::string& why) override;
    backend::ImportReach import_reach() const override;
    std::unique_ptr<backend::Queue> create_queue(const QueueOptions& options) override;
    std::unique_ptr<backend::Event> create_event(bool timing) override;
    std::unique_ptr<backend::Queue> wrap_queue(void* native, const QueueOptions& options) override;
    std::unique_ptr<backend::Event> wrap_event(const backend::NativeEvent& native) override;
    backend::Fit fit(const Source& source) const override;
    std::unique_ptr<backend::Program> build(const Source& source, const BuildOptions& options,
                                            const translate::Translation*) override;
    bool gains_from_staging() const override { return !shares_memory(); }
    bool makes_events_anew() const noexcept override { return true; }
    std::uint64_t native_device() override { return reinterpret_cast<std::uintptr_t>(id_); }
    void* native_context() override { return context(); }

    const Api& api() const noexcept { return api_; }
    const Traits& traits() const noexcept { return traits_; }
    cl_device_id id() const noexcept { return id_; }
    /// True if it uses the host's memory.
    bool shares_memory() const noexcept { return info_.kind == DeviceKind::cpu || info_.integrated == true; }
    /// Whether batches of copies may use packs. On processors a command costs less than a second copy.
    bool packs_batches() const noexcept { return info_.kind != DeviceKind::cpu && info_.compiles; }
    OwnKernel& copy_kernel() noexcept { return copy_kernel_; }
    /// Whether Ferry's kernel may fill. Drivers of processors fill at memory speed.
    bool fills_by_kernel() const noexcept { return info_.kind != DeviceKind::cpu && info_.compiles; }
    OwnKernel& fill_kernel() noexcept { return fill_kernel_; }
    /// Bytes. A sub-buffer begins at a multiple of it.
    std::size_t view_alignment() const;
    cl_context context();
    /// For work outside of the caller's queues: mapping and unmapping allocations.
    cl_command_queue service_queue();
    cl_command_queue create_native_queue(bool timing, QueuePriority priority = QueuePriority::normal);
    void set_index(std::uint32_t index) noexcept { info_.index = index; }

    /// The record for a kernel's source. It outlives its kernels until their launches are done. Null if the
    /// driver needs none.
    std::shared_ptr<LaunchRecord> launch_record(const std::string& program_text, const std::string& kernel);

    void add(OpenclQueue& queue);
    void remove(OpenclQueue& queue) noexcept;
    /// Waits for all work on the device that was enqueued through Ferry. Errors stay with their queues.
    void finish_queues() noexcept { static_cast<void>(finish_queues(false)); }
    /// Makes `queue` wait for the launches of this kernel on the other queues.
    void wait_for_launches(const LaunchRecord& record, OpenclQueue& queue);
    /// Blocks until no pending command of any queue writes to this host memory (HostReads), as far as it has
    /// pages of the given kind. `locked` covers all.
    void wait_for_reads(const void* memory, std::size_t bytes, Pages pages) noexcept;
    /// Flushes this queue. If it is destroyed, it has already been flushed.
    void flush(cl_command_queue native) noexcept;

    /// Held while the device uses memory of Storage::mapped or mirrored for a command, so that no command of
    /// another queue intervenes.
    std::mutex& handover_mutex() noexcept { return handover_mutex_; }

private:
    /// `foreign`: also work that was enqueued on them directly. Returns false if the driver rejects a wait
    /// for one of them.
    [[nodiscard]] bool finish_queues(bool foreign) noexcept;

    const Api api_;
    cl_platform_id platform_;
    cl_device_id id_;
    const Traits traits_;
    DeviceInfo info_;
    std::atomic<cl_context> context_{nullptr};
    std::atomic<cl_command_queue> service_queue_{nullptr};
    std::mutex creation_mutex_;
    std::mutex queues_mutex_;
    std::mutex handover_mutex_;
    std::vector<OpenclQueue*> queues_; ///< In the order of their numbers.
    std::uint64_t last_number_ = 0;
    std::mutex records_mutex_;
    std::map<std::string, std::shared_ptr<LaunchRecord>> records_;
    OwnKernel copy_kernel_{copies_text, "ferry_copies"};
    OwnKernel fill_kernel_{fill_text, "ferry_fill"};
};

} // namespace ferry::opencl
