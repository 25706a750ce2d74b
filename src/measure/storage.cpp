// SPDX-License-Identifier: Apache-2.0
#include "measure/memory_tests.hpp"
#include "measure/own_pages.hpp"
#include "measure/settle.hpp"
#include "measure/words.hpp"
#include "memory/memory_state.hpp"

#include <ferry/error.hpp>

#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace ferry::detail::memory_tests {
namespace {

struct Round {
    double seconds = 0;
    bool right = true; ///< Each side saw the other one's writes.
};

// The host writes a word, a kernel changes it, the host reads it: without a copy, and with a mapping only if
// the memory requires it.
template <class Memory>
Round one_word(Session& session, Memory& data) {
    Round round;
    std::uint32_t value = 40;
    const auto put = [&] {
        if constexpr (requires { data.put(value); }) {
            data.put(value);
        } else {
            *static_cast<volatile std::uint32_t*>(data.span().data()) = value;
        }
    };
    const auto get = [&] {
        if constexpr (requires { data.get(); }) {
            return data.get();
        } else {
            return *static_cast<const volatile std::uint32_t*>(data.span().data());
        }
    };
    round.seconds = session.best_of(5, [&] {
        put();
        session.queue.launch(session.touch, {.groups = {1}, .local = {1}}, View<std::uint32_t>(data));
        session.queue.finish();
        round.right = round.right && get() == value + 1;
        value += 100;
    });
    return round;
}

} // namespace

void test_address(Session& session, MemoryCapabilities& facts) {
    Buffer<std::uint32_t> data(session.device, 1024, facts.kind);
    static_cast<void>(data.span());
    const backend::Memory& native = data.view().region().memory->native();
    const bool same = native.address != 0 && native.address == reinterpret_cast<std::uintptr_t>(native.host);
    settle(facts.same_address, same,
           same ? "an allocation's two addresses are one" : "an allocation's two addresses differ");
}

namespace {

/// Whether both sides saw each other's writes in small and large memory, and whether the time grows with the
/// size.
struct Storage {
    bool right = true;
    bool grows = true;
    std::string times;
};

/// `make` takes bytes. Returns nothing if there was too little time for a proof.
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
    // A disturbance occurs once; a copy occurs each time.
    for (int repeat = 0; repeat < 3 && seen.right && seen.grows; ++repeat) {
        if (repeat != 0 && !session.time_left()) {
            session.give_up(); // One run is no proof.
            return std::nullopt;
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

/// The value of a fact with this result: growing times show a copy; without a declared value, constant times
/// show that there is none.
Reach shown_by(const Storage& seen, const MemoryCapabilities& facts) {
    return seen.grows                                      ? Reach::copy
           : facts.reach.confidence == Confidence::unknown ? Reach::link
                                                           : facts.reach.value;
}

/// Memory that the host accesses through mappings. All of it is mapped each time.
class Mapped {
public:
    Mapped(Session& session, Buffer<std::uint32_t> data) : session_(&session), data_(std::move(data)) {}
    operator View<std::uint32_t>() { return data_; }

    void put(std::uint32_t value) { data_.view().map(session_->queue, Map::read_write)[0] = value; }
    std::uint32_t get() { return data_.view().map(session_->queue, Map::read)[0]; }

private:
    Session* session_;
    Buffer<std::uint32_t> data_;
};

} // namespace

void test_storage(Session& session, MemoryCapabilities& facts) {
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
    if (seen->grows || facts.reach.confidence == Confidence::unknown) {
        settle(facts.reach, shown_by(*seen, facts), seen->times);
    }
}

void test_imported(Session& session, MemoryCapabilities& facts) {
    const std::optional<Storage> seen =
        look(session, [&](std::size_t bytes) { return Callers(session.device, bytes); });
    if (!seen) {
        return;
    }
    if (!seen->right) {
        settle(facts.reach, Reach::none,
               "a word that one side wrote was not what the other one read after the kernel");
    } else {
        settle(facts.reach, shown_by(*seen, facts), seen->times);
    }
}

void test_mapped(Session& session, MemoryCapabilities& facts) {
    const std::optional<Storage> seen = look(session, [&](std::size_t bytes) {
        return Mapped(session, Buffer<std::uint32_t>(session.device, bytes / 4, facts.kind));
    });
    if (!seen) {
        return;
    }
    if (!seen->right) {
        settle(facts.coherence, Coherence::exclusive,
               "a word that one side wrote was not what the other one read after a mapping");
        return;
    }
    settle(facts.reach, shown_by(*seen, facts), seen->times);
}

void test_unmapped(Session& session, MemoryCapabilities& facts) {
    OwnPages memory(std::size_t{64} << 10);
    DeviceState& device = session.device.state();
    auto native = device.native().import_unmapped(memory.span().data(), memory.span().size_bytes());
    if (native == nullptr) {
        return;
    }
    const auto imported = std::make_shared<Memory>(device, MemoryKind::imported, memory.span().size_bytes(),
                                                   std::move(native), Memory::Origin::adopted);
    // In the last page too, because a driver may treat the first one differently.
    for (const std::size_t at : {std::size_t{0}, memory.span().size() - 1024}) {
        volatile std::uint32_t& word = memory.span()[at];
        const View<std::uint32_t> view(Region{imported.get(), at * sizeof word, sizeof word});
        for (std::uint32_t value = 40; value < 1000; value += 100) {
            word = value;
            session.queue.launch(session.touch, {.groups = {1}, .local = {1}}, view);
            session.queue.finish();
            if (word != value + 1) {
                settle(facts.reach, Reach::copy,
                       "without a mapping a word that one side wrote stayed with it");
                return;
            }
        }
    }
}

} // namespace ferry::detail::memory_tests
