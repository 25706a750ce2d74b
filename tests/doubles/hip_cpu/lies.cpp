// SPDX-License-Identifier: Apache-2.0
#include "lies.hpp"

#include "environment.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace ferry_double {

Lie lie() {
    static const Lie told = [] {
        const std::string text = text_from("FERRY_DOUBLE_LIE", "");
        if (text.empty()) {
            return Lie::none;
        }
        if (text == "registered") {
            return Lie::registered;
        }
        if (text == "coherence") {
            return Lie::coherence;
        }
        if (text == "atomics") {
            return Lie::atomics;
        }
        std::fprintf(stderr, "FERRY_DOUBLE_LIE is not understood: %s\n", text.c_str());
        std::abort();
    }();
    return told;
}

bool is_wrong(std::string_view name) {
    static const std::string wrong = text_from("FERRY_DOUBLE_WRONG", "");
    return name == wrong;
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
        for (std::size_t i = 0; i < line.now.size(); ++i) {
            if (line.now[i] != line.before[i]) {
                line.memory[i] = line.now[i];
            }
        }
    }
}

} // namespace ferry_double
