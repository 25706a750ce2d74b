// SPDX-License-Identifier: Apache-2.0
#include "measure/memory_tests.hpp"
#include "measure/settle.hpp"
#include "measure/words.hpp"

#include <atomic>
#include <chrono>

namespace ferry::detail::memory_tests {
namespace {

// Plain atomics of CUDA and HIP have device scope; the session's count() uses those.
constexpr const char* native = R"(
extern "C" __global__ void count(unsigned int* counter, unsigned int times) {
    for (unsigned int i = 0; i < times; ++i) {
        atomicAdd_system(counter, 1u);
    }
}
)";

Kernel counting(Session& session) {
    const Backend backend = session.device.backend();
    if (backend != Backend::cuda && backend != Backend::hip) {
        return session.program.kernel("count");
    }
    return Program(session.device, Source::cuda_and_hip(native, "litmus.cu")).kernel("count");
}

constexpr std::uint32_t items = 64;
// On a busy machine the host may get no turn during a short kernel; a slow one is long enough.
constexpr std::uint32_t longer_each_time[] = {500, 4000, 16000};
constexpr double enough = 0.1;

struct Counted {
    std::uint32_t wanted = 0;
    std::uint32_t lost = 0;
    double seconds = 0;
};

Counted count_together(Session& session, const Kernel& count, Words& data, std::uint32_t times) {
    const std::atomic_ref<std::uint32_t> counter(data.span()[0]);
    std::uint32_t own = 0;
    counter.store(0);
    const auto start = Session::Clock::now();
    session.queue.launch(count, {.groups = {items / 16}, .local = {16}}, View<std::uint32_t>(data), times);
    session.queue.flush();
    // For the whole run time of the kernel, so that the two run concurrently.
    for (bool idle = false; !idle; idle = session.queue.idle()) {
        for (int i = 0; i < 200; ++i, ++own) {
            counter.fetch_add(1);
        }
    }
    session.queue.finish();
    return {items * times + own, items * times + own - counter.load(),
            std::chrono::duration<double>(Session::Clock::now() - start).count()};
}

} // namespace

void test_atomics(Session& session, MemoryCapabilities& facts) {
    const Kernel count = counting(session);
    Words data(session.device, facts.kind, 1024);
    Counted last;
    for (const std::uint32_t times : longer_each_time) {
        if (last.lost != 0 || last.seconds > enough || (last.wanted != 0 && !session.time_left())) {
            break;
        }
        last = count_together(session, count, data, times);
    }
    settle(facts.atomics, last.lost == 0 ? Atomics::system : Atomics::device,
           last.lost == 0 ? "the host and a kernel counted to " + std::to_string(last.wanted) + " together"
                          : std::to_string(last.lost) + " of " + std::to_string(last.wanted) +
                                " increments of the host and a kernel were lost");
}

} // namespace ferry::detail::memory_tests
