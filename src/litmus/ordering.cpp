// SPDX-License-Identifier: Apache-2.0
#include "litmus.hpp"
#include "verdict.hpp"
#include "words.hpp"

#include <atomic>
#include <thread>

namespace ferry::detail::litmus {
namespace {

using Word = std::atomic_ref<std::uint32_t>;

struct Talk {
    bool heard = false;    ///< each side heard the other while the kernel ran
    double seconds = 0;    ///< the kernel's life
    double round_trip = 0; ///< from the host's word to its answer
};

// Waits for the kernel's word, no longer than the kernel runs.
bool wait_for(Session& session, Word word, std::uint32_t value) {
    for (unsigned spin = 0;; ++spin) {
        if (word.load(std::memory_order_acquire) == value) {
            return true;
        }
        if (spin % 64 == 63) {
            if (session.queue.idle()) {
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
    const auto start = Session::Clock::now();
    session.queue.launch(session.answer, {.groups = {1}, .local = {1}}, View<std::uint32_t>(host),
                         View<std::uint32_t>(device), rounds);
    session.queue.flush();
    if (wait_for(session, answered, 1)) {
        const auto asked = Session::Clock::now();
        said.store(7, std::memory_order_release);
        if (wait_for(session, answered, 2)) {
            talk.heard = true;
            talk.round_trip = std::chrono::duration<double>(Session::Clock::now() - asked).count();
        }
    }
    said.store(9, std::memory_order_release);
    session.queue.finish();
    talk.seconds = std::chrono::duration<double>(Session::Clock::now() - start).count();
    // The answer may have come with the kernel's end: then the host's last word was not heard.
    talk.heard = talk.heard && last.load(std::memory_order_acquire) == 9;
    return talk;
}

} // namespace

void test_ordering(Session& session, MemoryCapabilities& facts) {
    Words host(session.device, facts.kind, 1024);
    Words device(session.device, facts.kind, 1024);
    // How long a round takes nobody knows; the kernel lives longer each time until it hears something, or has
    // lived much longer than any store takes, several times.
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
        if (result.seconds > 0.03) {
            ++long_lives;
        } else if (rounds <= 0x10000000) {
            rounds *= 8;
        } else {
            ++long_lives;
        }
    }
    settle(facts.coherence, Coherence::kernel_boundary,
           "a running kernel and the host did not hear each other in three kernels of 30 ms or more");
}

} // namespace ferry::detail::litmus
