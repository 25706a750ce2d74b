// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "subject.hpp"

#include <algorithm>

namespace bench {

/// The measuring loops, compiled separately for each side so that a step needs no indirect call. `Side` has
/// one function for each step, and finish(), hold(rounds), stamp(0 or 1), stamped(0 or 1), stamped_time().
template <class Side>
class SubjectOf : public Subject {
public:
    void run(Operation operation, int count, std::size_t bytes, bool wait_each) final {
        dispatch(operation, bytes, [&](auto step) {
            if (!wait_each || operation == Operation::touch_on_host) { // This operation is synchronous.
                repeat(count, step);
            } else if (operation == Operation::both) {
                repeat(count, [&] {
                    step();
                    side().finish_all();
                });
            } else {
                repeat(count, [&] {
                    step();
                    side().finish();
                });
            }
        });
    }

    std::optional<double> run_held(Operation operation, int count, std::size_t bytes) final {
        side().finish();
        side().hold(rounds_);
        side().stamp(0);
        dispatch(operation, bytes, [&](auto step) { repeat(count, step); });
        side().stamp(1);
        const bool held = !side().stamped(0);
        side().finish();
        if (!held) {
            rounds_ = std::min(rounds_ * 2, most_rounds);
            return std::nullopt;
        }
        return side().stamped_time();
    }

private:
    Side& side() { return static_cast<Side&>(*this); }

    template <class Step>
    static void repeat(int count, Step step) {
        for (int i = 0; i < count; ++i) {
            step();
        }
    }

    static void touch_words(std::span<std::byte> memory) {
        auto* const words = reinterpret_cast<std::uint32_t*>(memory.data());
        constexpr std::size_t block = 16; // A constant, so that compilers can vectorise the loop.
        for (std::size_t i = 0; i < memory.size() / sizeof *words; i += block) {
            for (std::size_t j = i; j < i + block; ++j) {
                words[j] += touch_of_host(j);
            }
        }
    }

    template <class With>
    void dispatch(Operation operation, std::size_t bytes, With with) {
        switch (operation) {
        case Operation::launch:
            return with([&] { side().launch_bump(); });
        case Operation::up:
            return with([&] { side().up(bytes); });
        case Operation::down:
            return with([&] { side().down(bytes); });
        case Operation::up_pageable:
            return with([&] { side().up_pageable(bytes); });
        case Operation::down_pageable:
            return with([&] { side().down_pageable(bytes); });
        case Operation::both:
            return with([&] { side().both(bytes); });
        case Operation::between:
            return with([&] { side().between(bytes); });
        case Operation::fill:
            return with([&] { side().fill(bytes); });
        case Operation::allocate:
            return with([&] { side().allocate(bytes); });
        case Operation::allocate_pinned:
            return with([&] { side().allocate_pinned(bytes); });
        case Operation::allocate_shared:
            return with([&] { side().allocate_shared(bytes); });
        case Operation::touch_on_device:
            return with([&] { side().touch_on_device(bytes); });
        case Operation::touch_on_host:
            return with([&] { touch_words(side().host(HostArray::shared).first(bytes)); });
        case Operation::record:
            return with([&] { side().record(); });
        case Operation::record_wait_other:
            return with([&] { side().record_wait_other(); });
        case Operation::record_wait_host:
            return with([&] { side().record_wait_host(); });
        case Operation::stream_copy:
            return with([&] { side().stream(KernelIndex::copy, bytes); });
        case Operation::stream_mul:
            return with([&] { side().stream(KernelIndex::mul, bytes); });
        case Operation::stream_add:
            return with([&] { side().stream(KernelIndex::add, bytes); });
        case Operation::stream_triad:
            return with([&] { side().stream(KernelIndex::triad, bytes); });
        case Operation::stream_dot:
            return with([&] { side().stream(KernelIndex::dot, bytes); });
        case Operation::hold:
            return with([&] { side().hold(static_cast<std::uint32_t>(bytes)); });
        }
    }

    static constexpr std::uint32_t most_rounds = 1U << 23; // About ten milliseconds.
    std::uint32_t rounds_ = 1U << 12;
};

} // namespace bench
