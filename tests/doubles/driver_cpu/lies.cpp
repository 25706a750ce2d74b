// SPDX-License-Identifier: Apache-2.0
#include "lies.hpp"

#include "environment.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace ferry_double {

Lie lie() {
    static const Lie told = [] {
        const std::string text = text_from("FERRY_DOUBLE_LIE", "");
        constexpr std::pair<std::string_view, Lie> all[] = {
            {"", Lie::none},           {"registered", Lie::registered}, {"coherence", Lie::coherence},
            {"atomics", Lie::atomics}, {"moves", Lie::moves},           {"stale", Lie::stale},
            {"address", Lie::address}, {"uncached", Lie::uncached},     {"far", Lie::far}};
        for (const auto& [name, value] : all) {
            if (text == name) {
                return value;
            }
        }
        std::fprintf(stderr, "FERRY_DOUBLE_LIE is not understood: %s\n", text.c_str());
        std::abort();
    }();
    return told;
}

// Long enough to stand out on a busy machine. Other load only makes everything else slower.
void hinder(const void* argument, unsigned long long threads) {
    constexpr std::chrono::microseconds for_a_page{200};
    constexpr std::size_t page = 4096;
    constexpr std::size_t small = 64 << 10;
    constexpr unsigned long long few = 64;
    if (lie() != Lie::moves && (lie() != Lie::far || threads <= few)) {
        return;
    }
    const Range range = find_range(argument, 1);
    if (range.known && range.kind != MemoryKind::device && range.bytes > small) {
        std::this_thread::sleep_for(for_a_page * (range.bytes / page));
    }
}

bool is_wrong(std::string_view name, std::size_t bytes) {
    struct Wrong {
        std::string name;
        std::optional<std::size_t> more_than;
    };
    static const Wrong wrong = [] {
        const std::string text = text_from("FERRY_DOUBLE_WRONG", "");
        const std::size_t colon = text.find(':');
        Wrong read{text.substr(0, colon), {}};
        if (colon != std::string::npos) {
            std::size_t number = 0;
            const char* const end = text.data() + text.size();
            const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, number);
            if (error != std::errc{} || rest != end) {
                std::fprintf(stderr, "FERRY_DOUBLE_WRONG is not understood: %s\n", text.c_str());
                std::abort();
            }
            read.more_than = number;
        }
        return read;
    }();
    return name == wrong.name && (!wrong.more_than || bytes > *wrong.more_than);
}

void spoil(void* byte) {
    unsigned char value = 0;
    copy_bytes(&value, byte, 1);
    value = static_cast<unsigned char>(value ^ 0x10U);
    copy_bytes(byte, &value, 1);
}

void* KernelCache::use(void* address) {
    const Range range = find_range(address, 1);
    if (!range.known || range.kind == MemoryKind::device || range.bytes > largest) {
        return address;
    }
    auto* const start = static_cast<std::byte*>(range.start);
    auto line = std::find_if(lines_.begin(), lines_.end(), [&](const Line& l) { return l.memory == start; });
    if (line == lines_.end()) {
        std::vector<std::byte> bytes(range.bytes);
        copy_bytes(bytes.data(), start, range.bytes);
        line = lines_.insert(lines_.end(), {start, bytes, bytes});
    }
    return line->now.data() + (static_cast<std::byte*>(address) - start);
}

void KernelCache::write_back() {
    for (const Line& line : lines_) {
        const Range range = find_range(line.memory, line.now.size());
        if (!range.known || range.start != line.memory || !range.whole) {
            continue;
        }
        for (std::size_t i = 0; i < line.now.size(); ++i) {
            if (line.now[i] != line.before[i]) {
                line.memory[i] = line.now[i];
            }
        }
    }
}

namespace {

std::mutex aside_mutex;
std::optional<KernelCache>& aside() {
    // never destroyed, because kernels may run while the process ends
    static auto* const kept = new std::optional<KernelCache>;
    return *kept;
}

} // namespace

void catch_up() {
    const std::lock_guard lock(aside_mutex);
    if (aside()) {
        aside()->write_back();
        aside().reset();
    }
}

void put_aside(KernelCache cache) {
    const std::lock_guard lock(aside_mutex);
    aside().emplace(std::move(cache));
}

} // namespace ferry_double
