// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/buffer.hpp>
#include <ferry/device.hpp>
#include <ferry/kernel.hpp>
#include <ferry/program.hpp>
#include <ferry/queue.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace ferry::detail::memory_tests {

/// A device in use for tests: a queue, the tests' kernels and the remaining time for all of them.
class Session {
    using Time = std::chrono::steady_clock::time_point;
    Time whole_end_; // Before members that take time to create.
    Time end_;

public:
    using Clock = std::chrono::steady_clock;

    /// With time until `until`. Builds the kernels first, which counts, because some compilers take longer
    /// than all tests together. `at_least` remains for tests in any case. Throws the errors of Program and
    /// Queue.
    Session(const Device& of, Time until, std::chrono::milliseconds at_least);

    Device device;
    Queue queue;
    Program program;
    Kernel touch, sum, put, bump, pick, chase, answer;

    bool time_left() const noexcept { return Clock::now() < end_; }
    /// Called by a test for which the time is too short, before it returns without a result.
    void give_up() noexcept { gave_up_ = true; }
    /// Whether a test did so since the last call.
    bool gave_up() noexcept { return std::exchange(gave_up_, false); }
    /// Until time_left() is false; 0 after that.
    double seconds_left() const noexcept {
        return std::max(std::chrono::duration<double>(end_ - Clock::now()).count(), 0.0);
    }
    /// Excludes this part of the remaining time from time_left() until the next call. 0: none of it.
    void reserve(double part) noexcept {
        end_ = whole_end_ - std::chrono::duration_cast<Clock::duration>((whole_end_ - Clock::now()) * part);
    }
    /// A size for bandwidth tests: `wanted`, or less within the device's limits.
    std::size_t room_for(std::size_t wanted) const;

    /// The largest of some sizes up to room_for(`most`) for which `use`, called with a size in bytes, takes
    /// not much longer than `seconds`. Slow devices therefore get little work.
    template <class Use>
    std::size_t size_for(std::size_t most, double seconds, Use use) {
        const std::size_t room = room_for(most);
        std::size_t bytes = std::min(room, std::size_t{256} << 10);
        while (bytes * 4 <= room && time_left() && best_of(1, [&] { use(bytes); }) < seconds / 4) {
            bytes *= 4;
        }
        return bytes;
    }

    /// The shortest of some runs, in seconds, because disturbances only make a run longer.
    template <class Run>
    double best_of(int runs, Run run) const {
        double best = std::numeric_limits<double>::infinity();
        for (int i = 0; i < runs && (i == 0 || time_left()); ++i) {
            const Clock::time_point start = Clock::now();
            run();
            best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
        }
        return best;
    }

    /// Time in seconds in which a kernel reads, or writes, all of it once.
    double read_once(const View<std::uint32_t>& data);
    double write_once(const View<std::uint32_t>& data);
    /// Time in seconds of one load that depends on the previous one. 0 if it cannot be distinguished from the
    /// time of launches. All words are below 2^31.
    double load_once(const View<std::uint32_t>& data);

    /// Work-groups for kernels over this amount: enough to fill the device.
    Grid grid_over(std::size_t words) const;
    /// The `count` argument of sum(), put() and bump().
    std::uint32_t units(std::size_t words) const;
    View<std::uint32_t> out() noexcept { return out_; } ///< For results of kernels; one element.

private:
    Buffer<std::uint32_t> out_;
    bool gave_up_ = false;
    std::uint32_t chases_ = 0;
};

/// "12.3 GB/s", "840 us": three digits and a unit.
std::string rate_text(double bytes, double seconds);
std::string time_text(double seconds);

} // namespace ferry::detail::memory_tests
