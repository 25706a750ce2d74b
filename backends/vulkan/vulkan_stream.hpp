// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/wait_forecast.hpp"
#include "vulkan_commands.hpp"
#include "vulkan_device.hpp"
#include "vulkan_pace.hpp"
#include "vulkan_staging.hpp"

#include <ferry/wait_policy.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

namespace ferry::vulkan {

/// The work of one Ferry queue: a ring of command buffers, and a timeline semaphore that counts submits. A
/// command is recorded first, and submitted with others by a flush.
class Stream final : public Commands {
public:
    Stream(VulkanDevice& device, NativeQueue& native);

    // The members below need this mutex. An event may flush a stream while its queue records commands.
    std::mutex& mutex() noexcept { return mutex_; }

    /// Submits earlier commands if there are many, or if they would take long together with this one.
    CommandBuffer begin_command(const Work& work) override;
    /// Submits recorded commands after everything so far.
    void submit_recorded(CommandBuffer recorded, std::span<const Work> works);
    /// Whether the times of these commands are known.
    bool knows(std::span<const Work> works);
    /// The commands between these two run after all earlier ones, and in any order.
    void begin_unordered();
    void end_unordered() noexcept { unordered_ = false; }
    /// The value that the semaphore has when everything so far is done.
    std::uint64_t value() const noexcept;
    /// Later commands wait until a semaphore has this value, whose signal is already submitted.
    void wait_for(Semaphore semaphore, std::uint64_t value);
    /// Staging memory that the device may use until everything so far, and the next command, is done.
    Piece stage(std::size_t least, std::size_t most, std::size_t alignment) override;
    void submit();

    // These take the mutex if they need it.

    /// Submits everything up to this value.
    void submit_up_to(std::uint64_t value);
    /// The same for another queue. An error is kept for the next finish() or idle(), unless the value cannot
    /// be reached.
    void submit_for_other(std::uint64_t value);
    /// finish() for another queue.
    void finish_for_other();
    bool reached(std::uint64_t value);
    /// Blocks until it is reached. The value is submitted.
    void block(std::uint64_t value);
    /// Submits, waits, and completes the reads. Throws Error.
    void wait(std::uint64_t value, WaitPolicy policy);
    void finish(WaitPolicy policy);
    bool idle();

    VulkanDevice& device() noexcept { return device_; }
    Queue native() const noexcept { return native_.queue; }
    Semaphore semaphore() const noexcept { return semaphore_; }
    /// Whether the program has the VkQueue, and may submit to it. Relaxed, because the program orders its
    /// submits after the call that gave it the handle.
    bool is_exposed() const noexcept { return exposed_.load(std::memory_order_relaxed); }
    void set_exposed(bool exposed) noexcept { exposed_.store(exposed, std::memory_order_relaxed); }

private:
    struct Slot {
        CommandBuffer buffer = nullptr;
        CommandBuffer end = nullptr; ///< After recorded commands: the same commands each time.
        std::uint64_t value = 0;     ///< At its last submit.
        Stamp began, ended;          ///< The pools are null before the first measurement.
        SubmitWork work;
        bool is_measured = false;
        bool has_end = false;    ///< The commands of `end` are recorded, for the present is_measured.
        bool has_lesson = false; ///< It was submitted, and its time is not known yet.
    };
    static constexpr std::size_t ring_size = 16;
    static constexpr std::size_t most_waits = 16;
    /// Commands of one submit. The device starts on them while the host records the next ones.
    static constexpr unsigned most_commands = 64;

    void allocate_buffers();
    void open();
    void measure(Slot& slot);
    bool is_full_for(const Work& work);
    void add_work(const Work& work);
    void end_buffer(CommandBuffer buffer, const Slot& slot);
    void submit_work(CommandBuffer recorded);
    void submit(CommandBuffer recorded);
    void abandon_work() noexcept;
    void learn(Slot& slot);
    void learn_all();
    void keep_error(const Error& error, std::uint64_t value);
    std::uint64_t submit_all();
    void throw_kept_error();

    VulkanDevice& device_;
    const DeviceApi& api_;
    NativeQueue& native_;
    Semaphore semaphore_ = nullptr;
    std::mutex mutex_;
    std::array<Slot, ring_size> ring_{};
    std::size_t at_ = 0;
    bool is_open_ = false;
    bool unordered_ = false;
    bool owes_signal_ = false;        ///< The value of an abandoned submit is not signalled yet.
    std::optional<Error> kept_error_; ///< Of a submit for another queue.
    unsigned commands_ = 0;
    std::size_t wait_count_ = 0;
    std::array<Semaphore, most_waits> wait_semaphores_{};
    std::array<std::uint64_t, most_waits> wait_values_{};
    /// Stored under the mutex, where loads may be relaxed, because the mutex orders them after the stores.
    std::atomic<std::uint64_t> submitted_{0};
    std::atomic<std::uint64_t> known_{0}; ///< A value that the semaphore has reached.
    std::atomic<bool> exposed_{false};
    Staging staging_;
    backend::WaitForecast forecast_;
};

} // namespace ferry::vulkan
