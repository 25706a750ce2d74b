// SPDX-License-Identifier: Apache-2.0
#include "litmus.hpp"
#include "verdict.hpp"
#include "words.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

namespace ferry::detail::litmus {
namespace {

using Word = std::atomic_ref<std::uint32_t>;

struct Talk {
    bool heard = false;    ///< each side heard the other while the kernel ran
    double seconds = 0;    ///< the kernel's life
    double round_trip = 0; ///< from the host's word to its answer
    double away = 0;       ///< the longest time in which the host did not look
};

/// The host's looks at a kernel's words. Where other programs have the processor they are far apart.
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
            std::this_thread::yield();
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
    // The answer may have come with the kernel's end: then the host's last word was not heard.
    talk.heard = talk.heard && last.load(std::memory_order_acquire) == 9;
    return talk;
}

} // namespace

void test_ordering(Session& session, MemoryCapabilities& facts) {
    Words host(session.device, facts.kind, 1024);
    Words device(session.device, facts.kind, 1024);
    // How long a round takes nobody knows; the kernel lives longer each time until it hears something, or has
    // lived much longer than any store takes, several times. Nor is it known when it began, and whoever did
    // not run meanwhile heard nothing: a life counts if the host looked several times in any part of it as
    // long as the rounds take at best.
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
            if (rounds > most_rounds) { // no loop is left of it
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

} // namespace ferry::detail::litmus
