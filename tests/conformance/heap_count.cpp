// SPDX-License-Identifier: Apache-2.0
#include "heap_count.hpp"

#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

extern "C" {
// glibc's names of the functions that are replaced below.
void* __libc_malloc(std::size_t size);                          // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t count, std::size_t size);       // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* old, std::size_t size);              // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t alignment, std::size_t size); // NOLINT(bugprone-reserved-identifier)
}

namespace conformance {
namespace {

struct Range {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    bool holds(const void* address) const noexcept {
        const auto a = reinterpret_cast<std::uintptr_t>(address);
        return a >= begin && a < end;
    }
};

constexpr std::size_t depth = 24;
std::atomic<bool> counting{false};
std::atomic<unsigned long> counted{0};
thread_local bool inside = false;
Range executable;
std::array<Range, 16> passed_over; // the C and C++ libraries: their caller counts instead
std::size_t passed_over_count = 0;
std::array<std::array<void*, depth>, 4> traces{};
std::array<int, 4> trace_depths{};

bool is_passed_over(const void* address) noexcept {
    for (std::size_t i = 0; i < passed_over_count; ++i) {
        if (passed_over[i].holds(address)) {
            return true;
        }
    }
    return false;
}

/// Reads the address ranges of all mapped code.
void read_maps() {
    std::array<char, 4096> own{};
    if (readlink("/proc/self/exe", own.data(), own.size() - 1) < 0) {
        return;
    }
    passed_over_count = 0;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find(" r-xp ") == std::string::npos) {
            continue;
        }
        Range range;
        char dash = 0;
        std::istringstream(line) >> std::hex >> range.begin >> dash >> range.end;
        if (line.ends_with(own.data())) {
            executable = range;
            continue;
        }
        for (const char* name : {"/libstdc++.so", "/libc.so", "/ld-linux", "/libgcc_s.so", "/libm.so"}) {
            if (line.find(name) != std::string::npos && passed_over_count < passed_over.size()) {
                passed_over[passed_over_count++] = range;
            }
        }
    }
}

__attribute__((noinline)) void note() noexcept {
    if (!counting.load(std::memory_order_relaxed) || inside) {
        return;
    }
    inside = true;
    std::array<void*, depth> frames{};
    const int count = backtrace(frames.data(), static_cast<int>(depth));
    // frame 0 is this function, frame 1 the replaced one
    for (int i = 2; i < count; ++i) {
        void* const frame = frames[static_cast<std::size_t>(i)];
        if (is_passed_over(frame)) {
            continue;
        }
        if (executable.holds(frame)) {
            const unsigned long number = counted.fetch_add(1);
            if (number < traces.size()) {
                traces[number] = frames;
                trace_depths[number] = count;
            }
        }
        break;
    }
    inside = false;
}

} // namespace

HeapCount::HeapCount() {
    std::array<void*, 4> frames{};
    backtrace(frames.data(), 4); // the first call loads a library
    read_maps();
    counted = 0;
    counting = true;
}

unsigned long HeapCount::stop() noexcept {
    counting = false;
    return counted;
}

std::string HeapCount::describe() {
    std::ostringstream text;
    for (std::size_t t = 0; t < traces.size() && t < counted; ++t) {
        char** names = backtrace_symbols(traces[t].data(), trace_depths[t]);
        text << "allocation " << t << ":\n";
        for (int i = 2; i < trace_depths[t]; ++i) {
            text << "  " << names[i] << '\n';
        }
        std::free(names); // NOLINT(cppcoreguidelines-no-malloc)
    }
    return text.str();
}

} // namespace conformance

extern "C" {

__attribute__((noinline)) void* malloc(std::size_t size) {
    conformance::note();
    return __libc_malloc(size);
}
__attribute__((noinline)) void* calloc(std::size_t count, std::size_t size) {
    conformance::note();
    return __libc_calloc(count, size);
}
__attribute__((noinline)) void* realloc(void* old, std::size_t size) {
    conformance::note();
    return __libc_realloc(old, size);
}
__attribute__((noinline)) void* memalign(std::size_t alignment, std::size_t size) {
    conformance::note();
    return __libc_memalign(alignment, size);
}
__attribute__((noinline)) void* aligned_alloc(std::size_t alignment, std::size_t size) {
    conformance::note();
    return __libc_memalign(alignment, size);
}
__attribute__((noinline)) int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
    conformance::note();
    *result = __libc_memalign(alignment, size);
    return *result == nullptr ? ENOMEM : 0;
}

} // extern "C"
