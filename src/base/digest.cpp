// SPDX-License-Identifier: Apache-2.0
#include "base/digest.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

static_assert(XXH_VERSION_NUMBER >= 800, "XXH3 has its final form from xxHash 0.8.0 on");

namespace ferry::cache {

Digest digest(std::string_view bytes) noexcept {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
    Digest result;
    static_assert(sizeof canonical.digest == sizeof result);
    std::memcpy(result.data(), canonical.digest, result.size());
    return result;
}

std::string hex(const Digest& digest) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char c : digest) {
        const auto byte = static_cast<unsigned char>(c);
        text += digits[byte >> 4U];
        text += digits[byte & 15U];
    }
    return text;
}

} // namespace ferry::cache
