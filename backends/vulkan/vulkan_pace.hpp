// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// Drivers of GPUs that also draw the screen end a submit after some seconds (amdgpu 2 s, xe 5 s). These
// classes forecast the time of commands, so that a queue divides its work into submits of a bounded time.
// Times are in nanoseconds.
namespace ferry::vulkan {

/// The time of the launches of one kernel, or of copies, by their size. Learned from the times of submits.
/// Thread-safe.
class Pace {
public:
    explicit Pace(std::string name) : name_(std::move(name)) {}

    const std::string& name() const noexcept { return name_; }
    bool is_known() const noexcept { return known_.load(std::memory_order_acquire); }
    /// The forecast for a command of this size (work-items or bytes, not 0). is_known() is true.
    std::uint64_t forecast(std::uint64_t size) const noexcept;
    /// A command of this size took this time, or this share of the time of a submit. A longer time counts at
    /// once. A shorter one at most halves the forecast, because the share may be wrong.
    void learn(std::uint64_t size, std::uint64_t time) noexcept;
    /// True at the first call.
    bool may_warn() noexcept { return !warned_.test_and_set(); }

private:
    static constexpr std::size_t classes = 48; ///< Of sizes, by powers of two.

    std::string name_;
    /// 0: not known. Relaxed: each is a forecast of its own, which orders no other data.
    std::array<std::atomic<std::uint64_t>, classes> times_{};
    std::atomic<bool> known_{false};
    std::atomic_flag warned_;
};

/// The commands of one submit: the forecast of their time, and after it the lesson of the measured time.
class SubmitWork {
public:
    /// The time that a submit should not exceed.
    static constexpr std::uint64_t target = 100'000'000;
    /// The shortest limit of a known driver is 2 s. A kernel of half of it gets a warning.
    static constexpr std::uint64_t long_kernel = 1'000'000'000;

    SubmitWork() { entries_.reserve(kept); }

    /// Whether the submit would exceed the target with this command, which then belongs into the next one.
    /// A launch of a kernel that is not known is alone in its submit.
    bool is_full_for(const Pace& pace, std::uint64_t size) const noexcept {
        return forecast_ != 0 && forecast_ + forecast_of(pace, size) > target;
    }
    void add(const std::shared_ptr<Pace>& pace, std::uint64_t size);
    std::uint64_t forecast() const noexcept { return forecast_; }
    void clear() noexcept;

    /// The submit took this time. Returns the kernel that needs a warning, because it alone took too long,
    /// otherwise null.
    std::shared_ptr<Pace> learn(std::uint64_t time);

    /// The kernel of which nothing is known. Null if there is none.
    std::shared_ptr<Pace> unknown() const noexcept;

    static std::uint64_t forecast_of(const Pace& pace, std::uint64_t size) noexcept {
        return pace.is_known() ? pace.forecast(size) : target;
    }

private:
    /// Launches of one kernel and size.
    struct Entry {
        std::shared_ptr<Pace> pace;
        std::uint64_t size = 0;
        std::uint64_t forecast = 0; ///< Of one.
        std::uint64_t count = 0;
    };
    static constexpr std::size_t kept = 64;

    std::vector<Entry> entries_;
    std::uint64_t forecast_ = 0;
};

} // namespace ferry::vulkan
