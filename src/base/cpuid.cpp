// SPDX-License-Identifier: Apache-2.0
#include "base/cpuid.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#endif

namespace ferry::host {

#if defined(__x86_64__) || defined(__i386__)
namespace {

std::string words_of_processor(std::initializer_list<std::array<unsigned, 2>> leaves) {
    std::string text;
    for (const auto [leaf, part] : leaves) {
        std::array<unsigned, 4> words{};
        if (__get_cpuid_count(leaf, part, words.data(), &words[1], &words[2], &words[3]) == 0) {
            return {};
        }
        for (const unsigned word : words) {
            for (unsigned byte = 0; byte < 4; ++byte) {
                text += static_cast<char>(word >> (8 * byte) & 0xffU);
            }
        }
    }
    return text;
}

std::string asked_processor(std::string_view key) {
    if (key == "model name") {
        std::string name = words_of_processor({{0x80000002U, 0}, {0x80000003U, 0}, {0x80000004U, 0}});
        name.erase(std::min(name.find('\0'), name.size()));
        return name.substr(std::min(name.find_first_not_of(' '), name.size()));
    }
    if (key == "vendor_id") {
        const std::string leaf = words_of_processor({{0U, 0}});
        return leaf.size() == 16 ? leaf.substr(4, 4) + leaf.substr(12, 4) + leaf.substr(8, 4) : "";
    }
    if (key == "flags") {
        unsigned a = 0;
        unsigned b = 0;
        unsigned c = 0;
        unsigned d = 0;
        std::string text;
        for (const unsigned leaf : {1U, 7U, 0x80000001U}) {
            if (__get_cpuid_count(leaf, 0, &a, &b, &c, &d) != 0) {
                // Leaf 1 has the number of this processor in the upper byte of b.
                for (const unsigned word : {leaf == 1 ? a : 0, leaf == 7 ? b : 0, c, d}) {
                    text += std::to_string(word) + ' ';
                }
            }
        }
        return text;
    }
    return {};
}

} // namespace

std::string cpuinfo_by_instruction() {
    std::string text;
    for (const char* key : {"vendor_id", "model name", "flags"}) {
        text += std::string(key) + " : " + asked_processor(key) + '\n';
    }
    return text;
}
#else
std::string cpuinfo_by_instruction() {
    return {};
}
#endif

} // namespace ferry::host
