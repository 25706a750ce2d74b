// SPDX-License-Identifier: Apache-2.0
#include "measure/memory_tests.hpp"
#include "measure/settle.hpp"
#include "measure/words.hpp"
#include "system/pause.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace ferry::detail::memory_tests {
namespace {

using Word = std::atomic_ref<std::uint32_t>;

struct Talk {
    bool heard = false;    ///< Each side saw the other one's word while the kernel ran.
    double seconds = 0;    ///< Run time of the kernel.
    double round_trip = 0; ///< From the host's word to its answer.
    double away = 0;       ///< The longest time in which the host did not look.
};

/// The host's reads of a kernel's words. They are far apart if other programs have the processor.
class Looks {
public:
    void look() {
        const auto now = Session::Clock::now();
        away_ = std::max(away_, now - last_);
        last_ = now;
    }
    double away() const { return std::chrono::duration<double>(away_).count(); }

private:
    Session::Clock::time_point last_ = Session::Clock::now();
    Session::Clock::duration away_{};
};

// Waits for the kernel's word, no longer than the kernel runs.
bool wait_for(Session& session, Looks& looks, Word word, std::uint32_t value) {
    for (unsigned spin = 0;; ++spin) {
        if (word.load(std::memory_order_acquire) == value) {
            looks.look();
            return true;
        }
        if (spin % 64 == 63) {
            const bool over = session.queue.idle();
            looks.look();
            if (over) {
                return false;
            }
            yield_thread();
        }
    }
}

Talk talk(Session& session, Words& host, Words& device, std::uint32_t rounds) {
    const Word said(host.span()[0]);
    const Word answered(device.span()[0]);
    const Word last(device.span()[1]);
    for (const Word& word : {said, answered, last}) {
        word.store(0, std::memory_order_release);
    }
    Talk talk;
    Looks looks;
    const auto start = Session::Clock::now();
    session.queue.launch(session.answer, {.groups = {1}, .local = {1}}, View<std::uint32_t>(host),
                         View<std::uint32_t>(device), rounds);
    session.queue.flush();
    if (wait_for(session, looks, answered, 1)) {
        const auto asked = Session::Clock::now();
        said.store(7, std::memory_order_release);
        if (wait_for(session, looks, answered, 2)) {
            talk.heard = true;
            talk.round_trip = std::chrono::duration<double>(Session::Clock::now() - asked).count();
        }
    }
    said.store(9, std::memory_order_release);
    session.queue.finish();
    talk.seconds = std::chrono::duration<double>(Session::Clock::now() - start).count();
    talk.away = looks.away();
    // The answer may have come with the kernel's end; then the host's last word was not seen.
    talk.heard = talk.heard && last.load(std::memory_order_acquire) == 9;
    return talk;
}

} // namespace

void test_ordering(Session& session, MemoryCapabilities& facts) {
    Words host(session.device, facts.kind, 1024);
    Words device(session.device, facts.kind, 1024);
    // The time of a round is unknown. The kernel therefore runs longer each time until it sees a word, or has
    // run several times for much longer than any store takes. Its start is unknown too, and a side that did
    // not run meanwhile saw nothing. A run counts only if the host looked several times in every part of it
    // that is as long as the fastest rounds.
    constexpr std::uint32_t most_rounds = 0x10000000;
    double of_a_round = std::numeric_limits<double>::infinity();
    double away = 0;
    int long_lives = 0;
    for (std::uint32_t rounds = 4096; long_lives < 3;) {
        if (!session.time_left()) {
            session.give_up();
            return;
        }
        const Talk result = talk(session, host, device, rounds);
        if (result.heard) {
            settle(facts.coherence, Coherence::concurrent,
                   "a running kernel and the host heard each other after " + time_text(result.round_trip));
            return;
        }
        of_a_round = std::min(of_a_round, result.seconds / rounds);
        const double life = of_a_round * rounds;
        if (life > 0.03 && result.away < life / 8) {
            ++long_lives;
            away = std::max(away, result.away);
        } else if (life <= 0.03) {
            if (rounds > most_rounds) { // The compiler removed the loop.
                session.give_up();
                return;
            }
            rounds *= 8;
        } else if (life < 1 && rounds <= most_rounds && session.seconds_left() > 8 * life) {
            rounds *= 2;
        }
    }
    settle(
        facts.coherence, Coherence::kernel_boundary,
        "a running kernel and the host did not hear each other in three kernels of 30 ms or more, in which "
        "the host looked every " +
            time_text(away) + " or more often");
}

} // namespace ferry::detail::memory_tests
