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
    /// Before submit_recorded() with these commands. value() is that of their submit then.
    void prepare_recorded(std::span<const Work> works);
    /// Submits recorded commands after everything so far.
    void submit_recorded(CommandBuffer recorded) { submit(recorded); }
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
    void launch(const Launch& launch);
    /// Submits everything so far. If the driver refuses it, the commands are lost. That error is kept for
    /// events after them, finish() and idle(). Throws an error of the device, or if waits cannot end.
    void submit();
    /// A barrier after the program's own submits to the VkQueue. Later values include them.
    void add_boundary() noexcept;

    // These take the mutex if they need it.

    /// Submits everything up to this value.
    void submit_up_to(std::uint64_t value);
    /// finish() for another queue. Keeps the error of lost commands.
    void finish_for_other();
    /// Throws the error of lost commands if the value is after them. The error remains.
    void check_lost(std::uint64_t value);
    /// Whether the error is that of lost commands, and all work before it is done.
    bool is_lost(const Error& error) noexcept;
    /// For another owner of the stream.
    void forget_error() noexcept;
    bool reached(std::uint64_t value);
    /// Blocks until it is reached. The value is submitted.
    void block(std::uint64_t value);
    /// Submits, waits, and completes the reads. Keeps the error of lost commands.
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
        std::shared_ptr<Pace> first_run; ///< The kernel of `work` that was submitted without a known time.
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
    void keep_error(const Error& error, std::uint64_t value);
    void begin_first_run(Slot& slot);
    void end_first_run(Slot& slot) noexcept;
    void learn(Slot& slot);
    void learn_all();
    std::uint64_t submit_all();
    template <class F>
    auto printing_at_loss(const F& function);
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
    bool owes_signal_ = false;        ///< The next submit has to signal a value, also without commands.
    std::optional<Error> kept_error_; ///< Of lost commands.
    bool is_reported_ = false;        ///< By finish() or idle().
    std::uint64_t lost_value_ = 0;    ///< Events with this value or a later one are after the lost commands.
    unsigned commands_ = 0;
    Barriers barriers_;
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
