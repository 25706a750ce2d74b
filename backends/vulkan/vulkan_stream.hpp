// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/wait_forecast.hpp"
#include "vulkan_device.hpp"
#include "vulkan_staging.hpp"

#include <ferry/wait_policy.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

namespace ferry::vulkan {

/// The work of one Ferry queue: a ring of command buffers, and a timeline semaphore that counts submits. A
/// command is recorded first, and submitted with others by a flush.
class Stream {
public:
    Stream(VulkanDevice& device, NativeQueue& native);

    // The members below need this mutex. An event may flush a stream while its queue records commands.
    std::mutex& mutex() noexcept { return mutex_; }

    /// Begins a command, after the effects of all commands before it. Submits earlier commands if there are
    /// many.
    CommandBuffer begin_command();
    /// A barrier inside a command that consists of several steps.
    void separate_steps();
    /// The commands between these two run after all earlier ones, and in any order.
    void begin_unordered();
    void end_unordered() noexcept { unordered_ = false; }
    /// The value that the semaphore has when everything so far is done.
    std::uint64_t value() const noexcept;
    /// Later commands wait until another stream has reached this value, which is already submitted.
    void wait_for(Stream& other, std::uint64_t value);
    /// Staging memory that the device may use until everything so far, and the next command, is done.
    Piece stage(std::size_t least, std::size_t most, std::size_t alignment);
    void submit();

    // These take the mutex if they need it.

    /// Submits everything up to this value.
    void submit_up_to(std::uint64_t value);
    bool reached(std::uint64_t value);
    /// Submits, waits, and completes the reads. Throws Error.
    void wait(std::uint64_t value, WaitPolicy policy);
    void finish(WaitPolicy policy);
    bool idle();

    VulkanDevice& device() noexcept { return device_; }
    Queue native() const noexcept { return native_.queue; }
    Semaphore semaphore() const noexcept { return semaphore_; }

private:
    struct Slot {
        CommandBuffer buffer = nullptr;
        std::uint64_t value = 0; ///< At its last submit.
    };
    static constexpr std::size_t ring_size = 8;
    static constexpr std::size_t most_waits = 16;
    /// Commands of one submit. The device starts on them while the host records the next ones.
    static constexpr unsigned most_commands = 64;

    void open();
    void barrier(std::uint32_t after_stage, std::uint32_t after_access);
    void submit_work();
    void abandon_work() noexcept;
    void block(std::uint64_t value);

    VulkanDevice& device_;
    const DeviceApi& api_;
    NativeQueue& native_;
    Semaphore semaphore_ = nullptr;
    std::mutex mutex_;
    std::array<Slot, ring_size> ring_{};
    std::size_t at_ = 0;
    bool is_open_ = false;
    bool unordered_ = false;
    bool owes_signal_ = false; ///< The value of an abandoned submit is not signalled yet.
    unsigned commands_ = 0;
    std::size_t wait_count_ = 0;
    std::array<Semaphore, most_waits> wait_semaphores_{};
    std::array<std::uint64_t, most_waits> wait_values_{};
    /// Stored under the mutex, where loads may be relaxed, because the mutex orders them after the stores.
    std::atomic<std::uint64_t> submitted_{0};
    std::atomic<std::uint64_t> known_{0}; ///< A value that the semaphore has reached.
    Staging staging_;
    backend::WaitForecast forecast_;
};

} // namespace ferry::vulkan
