// SPDX-License-Identifier: Apache-2.0
#include "base/copy_tuning.hpp"
#include "base/host_pages.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ferry::detail::staging {

#ifdef __SSE2__
void stream_copy(void* to, const void* from, std::size_t bytes) noexcept {
    constexpr std::size_t line = 64;
    if (bytes < 16 * line || !tuning().streaming_stores) {
        std::memcpy(to, from, bytes);
        return;
    }
    auto* target = static_cast<char*>(to);
    const auto* source = static_cast<const char*>(from);
    const std::size_t before = (line - reinterpret_cast<std::uintptr_t>(target) % line) % line;
    std::memcpy(target, source, before);
    target += before;
    source += before;
    bytes -= before;
    for (; bytes >= line; bytes -= line, source += line, target += line) {
        const auto* four = reinterpret_cast<const __m128i*>(source);
        const __m128i a = _mm_loadu_si128(four);
        const __m128i b = _mm_loadu_si128(four + 1);
        const __m128i c = _mm_loadu_si128(four + 2);
        const __m128i d = _mm_loadu_si128(four + 3);
        auto* out = reinterpret_cast<__m128i*>(target);
        _mm_stream_si128(out, a);
        _mm_stream_si128(out + 1, b);
        _mm_stream_si128(out + 2, c);
        _mm_stream_si128(out + 3, d);
    }
    _mm_sfence();
    std::memcpy(target, source, bytes);
}
#else
void stream_copy(void* to, const void* from, std::size_t bytes) noexcept {
    std::memcpy(to, from, bytes);
}
#endif

} // namespace ferry::detail::staging
