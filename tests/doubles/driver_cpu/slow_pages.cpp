// SPDX-License-Identifier: Apache-2.0
#include "slow_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <mutex>

namespace ferry_double {
namespace {

const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
constexpr long wait_ns = 100'000;

struct Area {
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::size_t> bytes{0};
    DeviceState* device = nullptr;
};

std::array<Area, 64> areas;
std::mutex areas_mutex; // guards creation and removal; the handler does not take it

// One instruction may access several pages, and several threads may do so at the same time.
std::array<std::uintptr_t, 16> open_pages;
std::size_t next_open = 0;
std::atomic_flag opening = ATOMIC_FLAG_INIT;
struct sigaction before;

bool is_slow(std::uintptr_t address) {
    for (const Area& area : areas) {
        const std::uintptr_t begin = area.begin.load();
        if (begin != 0 && address >= begin && address - begin < area.bytes.load()) {
            return true;
        }
    }
    return false;
}

void allow(std::uintptr_t at, int rights) {
    mprotect(reinterpret_cast<void*>(at), page, rights); // NOLINT(performance-no-int-to-ptr)
}

void on_fault(int signal, siginfo_t* info, void* context) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    if (!is_slow(address)) {
        if ((before.sa_flags & SA_SIGINFO) != 0) {
            before.sa_sigaction(signal, info, context);
        } else {
            sigaction(signal, &before, nullptr); // the instruction faults again
        }
        return;
    }
    const timespec wait{0, wait_ns};
    nanosleep(&wait, nullptr);
    while (opening.test_and_set()) {
    }
    std::uintptr_t& oldest = open_pages[next_open++ % open_pages.size()];
    if (is_slow(oldest)) {
        allow(oldest, PROT_NONE);
    }
    oldest = address / page * page;
    allow(oldest, PROT_READ | PROT_WRITE);
    opening.clear();
}

void catch_faults() {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before);
}

} // namespace

int SlowPages::allocate(std::size_t bytes, DeviceState& device, void** memory) {
    const std::lock_guard lock(areas_mutex);
    static const bool caught = (catch_faults(), true);
    static_cast<void>(caught);
    for (Area& area : areas) {
        if (area.begin != 0) {
            continue;
        }
        const std::size_t whole = (bytes + page - 1) / page * page;
        void* const made = mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (made == MAP_FAILED) {
            return out_of_memory;
        }
        register_pages(made, whole, device);
        area.device = &device;
        area.bytes = whole;
        area.begin = reinterpret_cast<std::uintptr_t>(made);
        *memory = made;
        return success;
    }
    return out_of_memory;
}

bool SlowPages::release(void* memory) {
    const std::lock_guard lock(areas_mutex);
    for (Area& area : areas) {
        if (memory == nullptr || area.begin != reinterpret_cast<std::uintptr_t>(memory)) {
            continue;
        }
        synchronize(*area.device);
        unregister_pages(memory);
        // Keeps the handler from closing a page whose address another mapping may already use.
        while (opening.test_and_set()) {
        }
        area.begin = 0;
        munmap(memory, area.bytes);
        opening.clear();
        return true;
    }
    return false;
}

} // namespace ferry_double
