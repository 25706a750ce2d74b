// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>
#include <cstdint>
#include <string>
#include <vector>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace float_mode {

/// Changes of a thread's default floating-point environment. Some processors have no traps.
inline std::vector<std::string> modes() {
    std::vector<std::string> all{"upward", "toward zero", "flush"};
    std::fenv_t kept;
    std::fegetenv(&kept);
    if (feenableexcept(FE_DIVBYZERO) != -1) {
        all.emplace_back("trap");
    }
    std::fesetenv(&kept);
    return all;
}

/// Whether subnormal numbers count as zero, the rounding direction, and the traps.
struct State {
    std::uint64_t control = 0;
    int rounding = 0;
    int traps = 0;
    bool operator==(const State&) const = default;
};

inline State state() {
    State now;
#if defined(__SSE__)
    now.control = _mm_getcsr() & ~0x3fU;
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(now.control));
#endif
    now.rounding = std::fegetround();
    now.traps = fegetexcept();
    return now;
}

inline void set(const std::string& mode) {
    if (mode == "upward") {
        std::fesetround(FE_UPWARD);
    } else if (mode == "toward zero") {
        std::fesetround(FE_TOWARDZERO);
    } else if (mode == "trap") {
        feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    } else if (mode == "flush") {
#if defined(__SSE__)
        _mm_setcsr(_mm_getcsr() | 0x8040U); // FTZ, DAZ
#elif defined(__aarch64__)
        std::uint64_t control = 0;
        asm volatile("mrs %0, fpcr" : "=r"(control));
        asm volatile("msr fpcr, %0" : : "r"(control | (std::uint64_t{1} << 24U)));
#endif
    }
}

} // namespace float_mode
