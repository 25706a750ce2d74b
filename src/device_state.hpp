// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"
#include "lifetime.hpp"

#include <ferry/device.hpp>
#include <ferry/error.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ferry::detail {

class DevicePool;
class MemoryDebug;
namespace staging {
class Slots;
}

/// What the front keeps of a device.
class DeviceState {
public:
    explicit DeviceState(std::unique_ptr<backend::Device> device);
    DeviceState(const DeviceState&) = delete;
    DeviceState& operator=(const DeviceState&) = delete;
    ~DeviceState();

    backend::Device& native() noexcept { return *device_; }
    const DeviceInfo& info() const noexcept { return device_->info(); }
    std::string id() const;
    /// "cuda:0 (NVIDIA H200)", for messages.
    std::string describe() const;

    /// Where its memory comes from; made with the first need.
    DevicePool& pool();
    MemoryDebug* memory_debug() noexcept { return debug_.get(); } ///< once pool() was called; null if off
    DevicePool* pool_if_made() noexcept { return pool_made_.load(std::memory_order_acquire); }

    /// A vendor's word that the device is unusable; kept, and thrown by check_alive() from then on.
    void lose(const Error& error);
    /// Also once the process ends: the driver may be gone.
    void check_alive(const SourceLocation& where) const {
        if (lost_.load(std::memory_order_acquire) || backend::process_is_exiting()) {
            throw_unusable(where);
        }
    }

    /// Whether the driver runs kernels on threads of this process. Then its exit handlers destroy what they
    /// use, the static objects of its compiler above all.
    bool runs_in_this_process() const noexcept {
        return info().backend == Backend::opencl && info().kind == DeviceKind::cpu;
    }
    /// To be called when a launch is known to be done: such drivers compile when it runs, and their compiler
    /// registers exit handlers then. Ferry's has to come before them (lifetime.hpp); elsewhere one more would
    /// only come before handlers of the program's that still use the device.
    void has_run_kernels() noexcept {
        if (!has_run_kernels_.load(std::memory_order_relaxed) && !has_run_kernels_.exchange(true) &&
            runs_in_this_process()) {
            register_exit_handler();
        }
    }

    /// A queue of the library's own, for copies that other devices take part in. Lock while using it.
    struct Relay {
        std::mutex mutex;
        std::unique_ptr<backend::Queue> queue;
    };
    Relay& relay();

    /// For copies of ordinary memory.
    staging::Slots& slots() noexcept { return *slots_; }

private:
    [[noreturn]] void throw_unusable(const SourceLocation& where) const;

    alignas(64) std::unique_ptr<backend::Device> device_;
    std::atomic<bool> lost_{false};
    std::atomic<bool> has_run_kernels_{false};
    mutable std::mutex mutex_;
    std::optional<Error> lost_error_;
    std::atomic<DevicePool*> pool_made_{nullptr};
    std::unique_ptr<DevicePool> pool_;
    std::unique_ptr<MemoryDebug> debug_;
    std::once_flag relay_once_;
    Relay relay_;
    const std::unique_ptr<staging::Slots> slots_;
};

/// Whether two devices are the same hardware by PCI address or UUID.
bool same_hardware(const DeviceInfo& a, const DeviceInfo& b) noexcept;

} // namespace ferry::detail
