// SPDX-License-Identifier: Apache-2.0
#include "litmus.hpp"
#include "memory_state.hpp"
#include "verdict.hpp"

#include <ferry/error.hpp>
#include <ferry/import.hpp>

#include <optional>
#include <span>
#include <vector>

namespace ferry::detail::litmus {
namespace {

struct Round {
    double seconds = 0;
    bool right = true; ///< both sides saw what the other one wrote
};

// The host writes a word, a kernel changes it, the host reads it: no mapping, no copy.
template <class Memory>
Round one_word(Session& session, Memory& data) {
    Round round;
    volatile std::uint32_t* const word = data.span().data();
    std::uint32_t value = 40;
    round.seconds = session.best_of(5, [&] {
        *word = value;
        session.queue.launch(session.touch, {.groups = {1}, .local = {1}}, View<std::uint32_t>(data));
        session.queue.finish();
        round.right = round.right && *word == value + 1;
        value += 100;
    });
    return round;
}

} // namespace

void test_address(Session& session, MemoryCapabilities& facts) {
    if (facts.kind == MemoryKind::device) {
        return;
    }
    Buffer<std::uint32_t> data(session.device, 1024, facts.kind);
    static_cast<void>(data.span());
    const backend::Memory& native = data.view().region().memory->native();
    const bool same = native.address != 0 && native.address == reinterpret_cast<std::uintptr_t>(native.host);
    settle(facts.same_address, same,
           same ? "an allocation's two addresses are one" : "an allocation's two addresses differ");
}

namespace {

/// What both sides saw of each other in small and large memory, and whether the time grows with it.
struct Storage {
    bool right = true;
    bool grows = true;
    std::string times;
};

/// `make` takes bytes. Nothing if the time was not enough for a proof.
template <class Make>
std::optional<Storage> look(Session& session, Make make) {
    constexpr std::size_t few = std::size_t{64} << 10;
    const std::size_t many = session.size_for(std::size_t{64} << 20, 0.01, [&](std::size_t bytes) {
        auto data = make(bytes);
        one_word(session, data);
    });
    auto small = make(few);
    auto large = make(many);
    session.queue.fill(View<std::uint32_t>(large), 5U);
    session.queue.finish();
    Storage seen;
    Round shown[2];
    // What disturbs a run does so once; a copy is there each time.
    for (int repeat = 0; repeat < 3 && seen.right && seen.grows; ++repeat) {
        if (repeat != 0 && !session.time_left()) {
            return std::nullopt; // once is no proof
        }
        one_word(session, large);
        shown[0] = one_word(session, small);
        shown[1] = one_word(session, large);
        seen.right = shown[0].right && shown[1].right;
        const double more = shown[1].seconds - shown[0].seconds;
        seen.grows = more > 0.3e-3 && shown[1].seconds > 3 * shown[0].seconds;
    }
    seen.times = "a kernel's use of one word takes " + time_text(shown[0].seconds) + " in 64 KiB and " +
                 time_text(shown[1].seconds) + " in " + std::to_string(many >> 10) + " KiB";
    return seen;
}

/// Memory as a program has it, and its import.
struct Callers {
    std::vector<std::uint32_t> memory;
    Imported<std::uint32_t> imported;

    Callers(const Device& device, std::size_t bytes)
        : memory(bytes / 4, 1), imported(device, std::span(memory)) {}
    std::span<std::uint32_t> span() { return memory; }
    operator View<std::uint32_t>() const { return imported; }
};

} // namespace

void test_storage(Session& session, MemoryCapabilities& facts) {
    if (facts.kind == MemoryKind::device) {
        return;
    }
    const std::optional<Storage> seen = look(session, [&](std::size_t bytes) {
        return Buffer<std::uint32_t>(session.device, bytes / 4, facts.kind);
    });
    if (!seen) {
        return;
    }
    if (!seen->right) {
        settle(facts.coherence, Coherence::map,
               "a word that one side wrote was not what the other one read after the kernel");
        return;
    }
    if (facts.coherence.value >= Coherence::kernel_boundary &&
        facts.coherence.confidence == Confidence::unknown) {
        settle(facts.coherence, Coherence::kernel_boundary,
               "each side saw the other's word after the kernel");
    }
    if (seen->grows) {
        settle(facts.reach, Reach::copy, seen->times);
    } else if (facts.reach.confidence == Confidence::unknown) {
        settle(facts.reach, Reach::link, seen->times);
    }
}

void test_imported(Session& session, MemoryCapabilities& facts) {
    if (facts.reach.value == Reach::none) {
        return;
    }
    const std::optional<Storage> seen =
        look(session, [&](std::size_t bytes) { return Callers(session.device, bytes); });
    if (!seen) {
        return;
    }
    if (!seen->right) {
        settle(facts.reach, Reach::none,
               "a word that one side wrote was not what the other one read after the kernel");
    } else {
        settle(facts.reach, seen->grows ? Reach::copy : facts.reach.value, seen->times);
    }
}

} // namespace ferry::detail::litmus
