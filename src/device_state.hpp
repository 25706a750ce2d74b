// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"
#include "fork.hpp"
#include "lifetime.hpp"

#include <ferry/device.hpp>
#include <ferry/error.hpp>

#include <array>
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

    /// Where its memory comes from in this process; made with the first need.
    DevicePool& pool();
    MemoryDebug* memory_debug() noexcept; ///< once pool() was called; null if off
    DevicePool* pool_if_made() noexcept;

    /// A vendor's word that the device is unusable; kept, and thrown by check_alive() from then on. Gives
    /// what is kept, which is the first one. Callers want lose() of runtime.hpp.
    Error lose(const Error& error);
    bool is_lost() const noexcept { return lost_.load(std::memory_order_acquire); }
    /// Also once the process ends: the driver may be gone. Then it blocks first (keep_thread_at_exit()). And
    /// in a child process, where it would hang: it has none of the driver's threads.
    void check_alive(const SourceLocation& where) const {
        if (is_unusable()) {
            throw_unusable(where);
        }
    }
    bool is_unusable() const noexcept {
        return lost_.load(std::memory_order_acquire) || backend::process_is_exiting() || is_of_parent();
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
        // Relaxed: saves the exchange, which lets one caller through.
        if (!has_run_kernels_.load(std::memory_order_relaxed) && !has_run_kernels_.exchange(true) &&
            runs_in_this_process()) {
            register_exit_handler();
        }
    }

    /// To be called when a queue was made: a vendor may register exit handlers with the first one.
    void has_made_queue(bool timing) noexcept {
        const unsigned here = fork_count() + 1;
        std::atomic<unsigned>& made = has_made_queue_[timing ? 1 : 0];
        if (made.load(std::memory_order_relaxed) != here && made.exchange(here) != here) {
            register_exit_handler();
        }
    }

    /// A queue of the library's own, for copies that other devices take part in. Lock while using it.
    struct Relay {
        explicit Relay(DeviceState& device);
        const unsigned forks = fork_count(); ///< when it was made
        std::mutex mutex;
        std::unique_ptr<backend::Queue> queue;
    };
    Relay& relay(); ///< of this process

    /// For copies of ordinary memory.
    staging::Slots& slots() noexcept { return *slots_; }
    /// Memory of the caller's that kernels may write to in place. Relaxed: the program orders a share and a
    /// copy of the same bytes, and then the copy sees the count.
    void count_import(int more) noexcept { imports_.fetch_add(more, std::memory_order_relaxed); }
    bool has_imports() const noexcept { return imports_.load(std::memory_order_relaxed) != 0; }

private:
    struct Pools;

    [[noreturn]] void throw_unusable(const SourceLocation& where) const;
    bool is_of_parent() const noexcept {
        return forks_ != forks_seen.load(std::memory_order_relaxed) && info().backend != Backend::host;
    }

    alignas(64) std::unique_ptr<backend::Device> device_;
    std::atomic<bool> lost_{false};
    const unsigned forks_ = fork_count(); ///< when it was opened
    std::atomic<bool> has_run_kernels_{false};
    std::array<std::atomic<unsigned>, 2>
        has_made_queue_{}; ///< fork_count() + 1 then; without and with timing
    std::atomic<int> imports_{0};
    mutable std::mutex mutex_;
    std::optional<Error> lost_error_;
    // A child makes its own: another thread may have held their locks at the fork.
    std::atomic<Pools*> pools_{nullptr};
    std::atomic<Relay*> relay_{nullptr};
    const std::unique_ptr<staging::Slots> slots_;
};

/// Whether two devices are the same hardware by PCI address or UUID.
bool same_hardware(const DeviceInfo& a, const DeviceInfo& b) noexcept;

} // namespace ferry::detail
