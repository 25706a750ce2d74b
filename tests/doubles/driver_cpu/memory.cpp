// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>

#if defined(__SANITIZE_ADDRESS__)
#define FERRY_DOUBLE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FERRY_DOUBLE_ASAN 1
#endif
#endif
#ifdef FERRY_DOUBLE_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace ferry_double {

namespace {

const std::size_t alignment =
    static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); // whole pages, as for page-locked memory
const std::size_t guard = alignment;
constexpr unsigned char guard_byte = 0xFB;
constexpr unsigned char fresh_byte = 0xCD;
constexpr std::size_t fresh_bytes = 1 << 20; // fills both ends of a large allocation instead of all of it

struct Allocation {
    MemoryKind kind;
    DeviceState* device;
    std::size_t bytes;
    std::byte* raw;
    unsigned long long registration = 0;
};

struct Memory {
    std::mutex mutex;
    std::map<std::uintptr_t, Allocation> list; // by address
    unsigned long long bytes = 0;
    unsigned long long registrations = 0; // number of registrations so far
    std::atomic<unsigned long long> overruns{0}, wild{0};
};

Memory& memory() {
    static Memory& only = *new Memory;
    return only;
}

void hide([[maybe_unused]] const Allocation& a, [[maybe_unused]] bool hidden) {
#ifdef FERRY_DOUBLE_ASAN
    if (a.kind == MemoryKind::device) {
        const std::size_t all = a.bytes + 2 * guard;
        hidden ? __asan_poison_memory_region(a.raw, all) : __asan_unpoison_memory_region(a.raw, all);
    }
#endif
}

bool guards_whole(const Allocation& a) {
    const auto whole = [](const std::byte* bytes) {
        for (std::size_t i = 0; i != guard; ++i) {
            if (bytes[i] != std::byte{guard_byte}) {
                return false;
            }
        }
        return true;
    };
    return whole(a.raw) && whole(a.raw + guard + a.bytes);
}

std::uintptr_t number(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address);
}

} // namespace

int allocate(MemoryKind kind, DeviceState& device, std::size_t bytes, void** address) {
    if (address == nullptr) {
        return invalid_value;
    }
    *address = nullptr;
    if (bytes == 0) {
        return success; // as AMD's library does
    }
    {
        const std::lock_guard lock(device.mutex);
        if (bytes > device.memory || (kind != MemoryKind::host && bytes > device.memory - device.used)) {
            return out_of_memory;
        }
        device.used += kind != MemoryKind::host ? bytes : 0;
    }
    void* raw = nullptr;
    if (posix_memalign(&raw, alignment, bytes + 2 * guard) != 0) {
        const std::lock_guard lock(device.mutex);
        device.used -= kind != MemoryKind::host ? bytes : 0;
        return out_of_memory;
    }
    const Allocation made{kind, &device, bytes, static_cast<std::byte*>(raw)};
    std::byte* start = made.raw + guard;
    std::memset(start - guard, guard_byte, guard);
    std::memset(start + bytes, guard_byte, guard);
    const std::size_t part = std::min(bytes, fresh_bytes);
    std::memset(start, fresh_byte, part);
    std::memset(start + bytes - part, fresh_byte, part);
    hide(made, true);
    Memory& all = memory();
    const std::lock_guard lock(all.mutex);
    all.list.emplace(number(start), made);
    all.bytes += bytes;
    *address = start;
    return success;
}

int release(void* address, bool host_memory) {
    if (address == nullptr) {
        return success;
    }
    Memory& all = memory();
    std::unique_lock lock(all.mutex);
    const auto found = all.list.find(number(address));
    if (found == all.list.end() || found->second.kind == MemoryKind::registered ||
        (found->second.kind == MemoryKind::host) != host_memory) {
        ++all.wild;
        return invalid_value;
    }
    const Allocation gone = found->second;
    all.list.erase(found);
    all.bytes -= gone.bytes;
    lock.unlock();
    synchronize(*gone.device);
    if (gone.kind == MemoryKind::external) {
        return gone.device->lost;
    }
    hide(gone, false);
    if (!guards_whole(gone)) {
        ++all.overruns;
    }
    std::free(gone.raw);
    if (gone.kind != MemoryKind::host) {
        const std::lock_guard device_lock(gone.device->mutex);
        gone.device->used -= gone.bytes;
    }
    return gone.device->lost;
}

int add_external(void* address, std::size_t bytes, DeviceState& device) {
    Memory& all = memory();
    const std::lock_guard lock(all.mutex);
    if (!all.list.emplace(number(address), Allocation{MemoryKind::external, &device, bytes, nullptr})
             .second) {
        return already_mapped;
    }
    all.bytes += bytes;
    return success;
}

int register_pages(void* address, std::size_t bytes, DeviceState& device) {
    const std::uintptr_t page = alignment;
    const std::uintptr_t begin = number(address);
    if (begin % page != 0 || bytes % page != 0 || bytes == 0) {
        return invalid_value;
    }
    Memory& all = memory();
    const std::lock_guard lock(all.mutex);
    const auto next = all.list.lower_bound(begin);
    if ((next != all.list.end() && next->first < begin + bytes) ||
        (next != all.list.begin() && std::prev(next)->first + std::prev(next)->second.bytes > begin)) {
        return already_mapped;
    }
    all.list.emplace(begin, Allocation{MemoryKind::registered, &device, bytes, nullptr, ++all.registrations});
    all.bytes += bytes;
    return success;
}

int unregister_pages(void* address) {
    // A delay, as in real drivers, so that other threads can enqueue commands meanwhile.
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    Memory& all = memory();
    const std::lock_guard lock(all.mutex);
    const auto found = all.list.find(number(address));
    if (found == all.list.end() || found->second.kind != MemoryKind::registered) {
        ++all.wild;
        return not_mapped;
    }
    all.bytes -= found->second.bytes;
    all.list.erase(found);
    return success;
}

unsigned long long registration_of(const void* address) {
    Memory& all = memory();
    const std::lock_guard lock(all.mutex);
    const auto next = all.list.upper_bound(number(address));
    if (next == all.list.begin()) {
        return 0;
    }
    const auto& [start, allocation] = *std::prev(next);
    return number(address) - start < allocation.bytes ? allocation.registration : 0;
}

Range find_range(const void* address, std::size_t bytes) {
    Memory& all = memory();
    const std::lock_guard lock(all.mutex);
    auto next = all.list.upper_bound(number(address));
    if (next == all.list.begin()) {
        return {};
    }
    const auto& [start, allocation] = *--next;
    const std::uintptr_t offset = number(address) - start;
    if (offset >= allocation.bytes) {
        return {};
    }
    return {allocation.kind,
            allocation.device,
            true,
            bytes <= allocation.bytes - offset,
            reinterpret_cast<void*>(start),
            allocation.bytes};
}

int check_device_range(const void* address, std::size_t bytes) {
    const Range range = find_range(address, bytes);
    if (!range.known || !range.whole) {
        ++memory().wild;
        return invalid_value;
    }
    return success;
}

int check_any_range(const void* address, std::size_t bytes) {
    if (address == nullptr || !find_range(address, bytes).whole) {
        ++memory().wild;
        return invalid_value;
    }
    return success;
}

MemoryCounts memory_counts() {
    Memory& all = memory();
    const std::lock_guard lock(all.mutex);
    return {all.list.size(), all.bytes, all.overruns, all.wild};
}

#ifdef FERRY_DOUBLE_ASAN
// memcpy is intercepted and would report the poison. So these functions copy word by word and are not
// instrumented.
__attribute__((no_sanitize("address"))) void copy_bytes(void* to, const void* from, std::size_t bytes) {
    auto* t = static_cast<volatile unsigned char*>(to);
    const auto* f = static_cast<const volatile unsigned char*>(from);
    using Words = volatile std::uint64_t;
    std::size_t i = 0;
    if ((number(to) | number(from)) % sizeof(std::uint64_t) == 0) {
        for (; i + sizeof(std::uint64_t) <= bytes; i += sizeof(std::uint64_t)) {
            *reinterpret_cast<Words*>(t + i) = *reinterpret_cast<const Words*>(f + i);
        }
    }
    for (; i != bytes; ++i) {
        t[i] = f[i];
    }
}
#else
void copy_bytes(void* to, const void* from, std::size_t bytes) {
    std::memmove(to, from, bytes);
}
#endif

void fill_bytes(void* to, const void* pattern, std::size_t size, std::size_t count) {
    if (count == 0) {
        return;
    }
    auto* bytes = static_cast<std::byte*>(to);
    std::size_t filled = size;
    copy_bytes(bytes, pattern, size);
    while (filled != size * count) {
        const std::size_t part = std::min(filled, size * count - filled);
        copy_bytes(bytes + filled, bytes, part);
        filled += part;
    }
}

} // namespace ferry_double
