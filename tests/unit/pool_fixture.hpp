// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

#include <ferry/error.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>

namespace pool_test {

/// A simulated device with addresses but without memory. It refuses allocations that do not fit. A wrong part
/// or free ends the test by an exception or is counted in `faults`.
class PaperDevice final : public ferry::backend::Device {
public:
    explicit PaperDevice(std::uint64_t memory, bool cuts = true) : parts_(cuts) {
        info_.total_memory = memory;
        info_.max_allocation = memory;
        info_.host_memory = true;
        info_.shared_memory = true;
    }

    class PaperMemory final : public ferry::backend::Memory {
    public:
        PaperMemory(PaperDevice& device, std::uint64_t at, std::size_t size, bool owned)
            : device_(device), size_(size), owned_(owned) {
            address = at;
        }
        ~PaperMemory() override {
            if (owned_) {
                const std::lock_guard lock(device_.mutex_);
                device_.used_ -= size_;
                device_.live_.erase(address);
                ++device_.frees;
            } else {
                --device_.parts;
            }
        }
        std::size_t size() const { return size_; }

    private:
        PaperDevice& device_;
        std::size_t size_;
        bool owned_;
    };

    const ferry::DeviceInfo& info() const override { return info_; }
    ferry::MemoryCapabilities memory_facts(ferry::MemoryKind kind) const override {
        ferry::MemoryCapabilities facts;
        facts.kind = kind;
        return facts;
    }
    std::optional<std::uint64_t> free_memory() override { return info_.total_memory - used_; }
    std::unique_ptr<ferry::backend::Memory> allocate(ferry::MemoryKind, std::size_t bytes) override {
        const std::lock_guard lock(mutex_);
        if (bytes > info_.total_memory - used_) {
            ++refusals;
            throw ferry::Error(ferry::Code::out_of_memory, "There is no more paper", ferry::SourceLocation());
        }
        ++allocations;
        used_ += bytes;
        const std::uint64_t at = next_;
        next_ += (bytes + 0xffff) / 0x10000 * 0x10000;
        live_[at] = bytes;
        return std::make_unique<PaperMemory>(*this, at, bytes, true);
    }
    bool has_parts(ferry::MemoryKind) const override { return parts_; }
    std::unique_ptr<ferry::backend::Memory> part(ferry::backend::Memory& whole, std::size_t offset,
                                                 std::size_t bytes) override {
        if (offset % 512 != 0 || offset + bytes > static_cast<PaperMemory&>(whole).size()) {
            throw std::logic_error("a part outside its allocation");
        }
        ++parts;
        return std::make_unique<PaperMemory>(*this, whole.address + offset, bytes, false);
    }

    std::unique_ptr<ferry::backend::Memory> wrap(const ferry::backend::NativeMemory&, std::size_t,
                                                 ferry::backend::Ownership) override {
        return nullptr;
    }
    std::unique_ptr<ferry::backend::Queue> create_queue(const ferry::QueueOptions&) override {
        return nullptr;
    }
    std::unique_ptr<ferry::backend::Event> create_event(bool) override { return nullptr; }
    ferry::backend::Fit fit(const ferry::Source&) const override { return {}; }
    std::unique_ptr<ferry::backend::Program> build(const ferry::Source&, const ferry::BuildOptions&,
                                                   const ferry::translate::Translation*) override {
        return nullptr;
    }

    std::uint64_t used() {
        const std::lock_guard lock(mutex_);
        return used_;
    }
    std::atomic<int> allocations{0}, frees{0}, refusals{0}, parts{0};

private:
    ferry::DeviceInfo info_;
    bool parts_;
    std::mutex mutex_;
    std::uint64_t used_ = 0;
    std::uint64_t next_ = 0x10000;
    std::map<std::uint64_t, std::size_t> live_;
};

} // namespace pool_test
