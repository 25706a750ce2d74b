// SPDX-License-Identifier: Apache-2.0
// Gives the copy engine one packet of 5 MiB, which is longer than 22 bits count. HIP 5.2 never sends one.
#include <dlfcn.h>
#include <hsakmt.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

// Needs FERRY_DOUBLE_GPU_XNACK, so that the engine reaches all memory of the process.
int copy_with_engine() {
    constexpr std::size_t size = (5U << 20U) + 12;
    std::vector<std::uint32_t> from(size / 4);
    std::mt19937 random{std::random_device{}()};
    for (std::uint32_t& word : from) {
        word = static_cast<std::uint32_t>(random());
    }
    std::vector<std::uint32_t> to(from.size());
    std::vector<std::uint32_t> ring(1024);
    const auto source = reinterpret_cast<std::uintptr_t>(from.data());
    const auto target = reinterpret_cast<std::uintptr_t>(to.data());
    const std::uint32_t packet[] = {1, // a linear copy
                                    size - 1,
                                    0,
                                    static_cast<std::uint32_t>(source),
                                    static_cast<std::uint32_t>(source >> 32),
                                    static_cast<std::uint32_t>(target),
                                    static_cast<std::uint32_t>(target >> 32)};
    std::memcpy(ring.data(), packet, sizeof packet);

    const auto create =
        reinterpret_cast<decltype(&hsaKmtCreateQueue)>(dlsym(RTLD_DEFAULT, "hsaKmtCreateQueue"));
    HsaQueueResource queue = {};
    constexpr HSAuint32 first_gpu = 1;
    if (create == nullptr || create(first_gpu, HSA_QUEUE_SDMA, 100, HSA_QUEUE_PRIORITY_NORMAL, ring.data(),
                                    ring.size() * 4, nullptr, &queue) != HSAKMT_STATUS_SUCCESS) {
        std::printf("no queue of the copy engine\n");
        return 2;
    }
    __atomic_store_n(queue.Queue_DoorBell_aql, sizeof packet, __ATOMIC_RELEASE);
    while (__atomic_load_n(queue.Queue_read_ptr_aql, __ATOMIC_ACQUIRE) < sizeof packet) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        wrong += from[i] == to[i] ? 0 : 1;
    }
    std::printf("copy engine: %zu of %zu words differ\n", wrong, from.size());
    return 0;
}
