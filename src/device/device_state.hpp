// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/process_exit.hpp"
#include "hal/backend.hpp"
#include "system/fork.hpp"

#include <ferry/device.hpp>
#include <ferry/error.hpp>

#include <array>
#include <atomic>
#include <cstddef>
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

/// State of another module for a device. Each process creates its own at the first use, because another
/// thread may have held the locks of the parent's at the fork.
class DevicePart {
public:
    DevicePart() = default;
    DevicePart(const DevicePart&) = delete;
    DevicePart& operator=(const DevicePart&) = delete;
    virtual ~DevicePart() = default;
    /// Whether this process created it.
    bool is_own() const noexcept { return forks_ == forks_seen.load(std::memory_order_relaxed); }

private:
    const unsigned forks_ = fork_count();
};

/// The front's state of a device.
class DeviceState {
public:
    explicit DeviceState(std::unique_ptr<backend::Device> device);
    DeviceState(const DeviceState&) = delete;
    DeviceState& operator=(const DeviceState&) = delete;
    ~DeviceState();

    backend::Device& native() noexcept { return *device_; }
    const DeviceInfo& info() const noexcept { return info_; }
    std::string id() const;
    /// "cuda:0 (NVIDIA H200)", for messages.
    std::string describe() const;

    // The parts. Their modules implement these functions; this class does not know their contents.
    /// The pool of its memory in this process, created at first use (src/memory).
    DevicePool& pool();
    MemoryDebug* memory_debug() noexcept; ///< Valid once pool() was called. Null if off.
    DevicePool* pool_if_made() noexcept;

    /// Marks the device as lost. check_alive() throws the first such error from then on, which is returned.
    /// Callers should use lose() of runtime.hpp.
    Error lose(const Error& error);
    bool is_lost() const noexcept { return lost_.load(std::memory_order_acquire); }
    /// Also throws once the process ends, because the driver may be unloaded; it then blocks first
    /// (keep_thread_at_exit()). Also throws in a child process, which has none of the driver's threads and
    /// would hang.
    void check_alive(const SourceLocation& where) const {
        if (is_unusable()) {
            throw_unusable(where);
        }
    }
    bool is_unusable() const noexcept {
        return lost_.load(std::memory_order_acquire) || backend::process_is_exiting() || is_of_parent();
    }

    /// Whether the driver runs kernels on threads of this process. Its exit handlers then destroy objects
    /// that the kernels use, above all the static objects of its compiler.
    bool runs_in_this_process() const noexcept {
        return (info().backend == Backend::opencl || info().backend == Backend::vulkan) &&
               info().kind == DeviceKind::cpu;
    }
    /// Call when a launch is known to be done: such drivers compile when it runs, and their compiler then
    /// registers exit handlers. Ferry's must run before them (base/process_exit.hpp). On other devices
    /// another registration would only precede handlers of the program that still use the device.
    void has_run_kernels() noexcept {
        // Relaxed: it only saves the exchange, which admits one caller.
        if (!has_run_kernels_.load(std::memory_order_relaxed) && !has_run_kernels_.exchange(true) &&
            runs_in_this_process()) {
            register_exit_handler();
        }
    }

    /// Call when a queue was created: a vendor may register exit handlers with the first one.
    void has_made_queue(bool timing) noexcept {
        const unsigned here = fork_count() + 1;
        std::atomic<unsigned>& made = has_made_queue_[timing ? 1 : 0];
        // Relaxed: it only saves the exchange, which admits one caller.
        if (made.load(std::memory_order_relaxed) != here && made.exchange(here) != here) {
            register_exit_handler();
        }
    }

    /// A queue of the library, for copies with other devices. Lock it while using it.
    struct Relay : DevicePart {
        explicit Relay(DeviceState& device);
        std::mutex mutex;
        std::unique_ptr<backend::Queue> queue;
    };
    Relay& relay(); ///< Of this process.

    /// For copies of pageable memory (src/staging).
    staging::Slots& slots();
    /// Number of imports that kernels may write in place. Relaxed: the program orders a share and a copy of
    /// the same bytes, so the copy sees the count.
    void count_import(int more) noexcept { imports_.fetch_add(more, std::memory_order_relaxed); }
    bool has_imports() const noexcept { return imports_.load(std::memory_order_relaxed) != 0; }

private:
    enum class Part : std::uint8_t { pools, relay, slots, count };
    /// Null unless this process has created it.
    DevicePart* part_if_made(Part part) const noexcept;
    /// Created by `make` at the first use in this process.
    DevicePart& part(Part part, std::unique_ptr<DevicePart> (*make)(DeviceState& device));

    [[noreturn]] void throw_unusable(const SourceLocation& where) const;
    bool is_of_parent() const noexcept {
        return forks_ != forks_seen.load(std::memory_order_relaxed) && info().backend != Backend::host;
    }

    alignas(64) std::unique_ptr<backend::Device> device_;
    const DeviceInfo info_;
    std::atomic<bool> lost_{false};
    const unsigned forks_ = fork_count(); ///< When it was opened.
    std::atomic<bool> has_run_kernels_{false};
    std::array<std::atomic<unsigned>, 2>
        has_made_queue_{}; ///< fork_count() + 1 at that time; without and with timing.
    std::atomic<int> imports_{0};
    mutable std::mutex mutex_;
    std::optional<Error> lost_error_;
    std::array<std::atomic<DevicePart*>, static_cast<std::size_t>(Part::count)> parts_{};
};

/// Whether two devices are the same hardware, by PCI address or UUID.
bool same_hardware(const DeviceInfo& a, const DeviceInfo& b) noexcept;

} // namespace ferry::detail
