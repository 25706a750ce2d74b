// SPDX-License-Identifier: Apache-2.0
#include "known_bugs.hpp"

#include "../conformance/devices.hpp"

#include <doctest/doctest.h>

namespace kernels {
namespace {

constexpr std::string_view pocl_reduction =
    "a vector in which one component is large reduces the small ones with it, and loses them";

constexpr std::string_view pocl_order =
    "takes all turns of its loop over work-items for independent, and so the accesses of one (3.1, not 5.0)";

constexpr std::string_view zero_signs =
    "sinpi, cospi and tanpi give zeros of the other sign (3.1; rusticl 22.3)";

constexpr std::string_view amd_zeros =
    "AMD's library gives negative whole numbers zeros of the other sign (HIP 5.2)";

constexpr std::string_view nvidia_short_max = "the larger of a short that is known to be 0 and another";

constexpr std::string_view clang_literal =
    "its clang crashes over (T)(constant vector, swizzle of a calculated vector as wide as T)";

// The names of PoCL's devices contain the processor. Each row was seen in every run, or only in some.
constexpr std::string_view pocl_wide_doubles = "double8 and double16 are wrong for very large and very small "
                                               "numbers (3.1 and 5.0, an EPYC with AVX-512)";

bool fits(std::string_view pattern, std::string_view name) {
    if (!pattern.empty() && pattern.back() == '*') {
        return name.substr(0, pattern.size() - 1) == pattern.substr(0, pattern.size() - 1);
    }
    return pattern == name;
}

} // namespace

const std::vector<KnownBug>& known_bugs() {
    static const std::vector<KnownBug> rows{
        {"sin", "float", 0, "Portable", pocl_reduction},
        {"cos", "float", 0, "Portable", pocl_reduction},
        {"tan", "float", 0, "Portable", pocl_reduction},
        {"sincos", "float", 0, "Portable", pocl_reduction},
        {"half_sin", "float", 0, "Portable", pocl_reduction, true},
        {"half_cos", "float", 0, "Portable", pocl_reduction, true},
        {"half_tan", "float", 0, "Portable", pocl_reduction, true},
        {"get_local_size(3)", "uint", 0, "Portable",
         "a work-item function gives 0 for a dimension that is not there, the standard says 1"},
        {"zeros of*", "*", 0, "Portable", zero_signs},
        {"zeros of*", "*", 0, "rusticl", zero_signs},
        {"zeros of sinpi", "*", 0, "Emulated AMD GPU", amd_zeros},
        {"zeros of tanpi", "*", 0, "Emulated AMD GPU", amd_zeros},
        {bytes_128_across_barrier, "*", 16, "Portable",
         "components 12 to 15 are lost; seen with 3.1 and 5.0 on processors with AVX-512", true},
        {swizzle_behind_constant, "*", 0, "Portable", clang_literal, true},
        {"later_stores*", "*", 0, "Portable", pocl_order, true},
        {"seen_by*", "*", 0, "Portable", pocl_order, true},
        {"fmod", "double", 8, "skylake-avx512", pocl_wide_doubles},
        {"fmod", "double", 16, "skylake-avx512", pocl_wide_doubles},
        {"remainder", "double", 8, "skylake-avx512", pocl_wide_doubles, true},
        {"remainder", "double", 16, "skylake-avx512", pocl_wide_doubles, true},
        {"remquo", "double", 8, "skylake-avx512", pocl_wide_doubles, true},
        {"remquo", "double", 16, "skylake-avx512", pocl_wide_doubles, true},
        {"pow", "double", 8, "skylake-avx512", pocl_wide_doubles, true},
        {"pow", "double", 16, "skylake-avx512", pocl_wide_doubles, true},
        {"rootn", "double", 8, "skylake-avx512", pocl_wide_doubles, true},
        {"rootn", "double", 16, "skylake-avx512", pocl_wide_doubles, true},
        {"pown", "double", 16, "skylake-avx512", pocl_wide_doubles, true},
        {swizzle_behind_constant, "*", 0, "rusticl", clang_literal, true},
        {swizzle_behind_constant, "*", 0, "Intel(R) OpenCL", clang_literal, true},
        {swizzle_behind_constant, "*", 0, "NVIDIA CUDA", clang_literal, true},
        {"mad_sat", "*", 0, "Intel(R) OpenCL",
         "mad_sat of a long, and of vectors of int and uint, saturates wrongly"},
        {"normalize", "float", 0, "Intel(R) OpenCL",
         "normalize() of a float2 of -0 is NaN, not the vector itself"},
        {"mad_sat", "long", 0, "rusticl",
         "mad_sat of a long saturates when only the product's sign is wrong"},
        {"sign", "float", 0, "rusticl", "sign(-0.0f) is +0"},
        {loop_in_partial_group, "int", 0, "llvmpipe",
         "some work-items of a group whose size is no multiple of 8 write nothing behind it, or leave it "
         "early or late "
         "(22.3; with rusticl only groups of more than 8)",
         true},
        {wrong_when_optimised, "*", 0, "NVIDIA CUDA",
         "580 gives its own conversions registers that nothing was written to: convert_ulong16(v) behind "
         "v.odd.even = convert_char4_sat(max(constant int4, constant int4)) % (char4)9",
         true},
        {"sign", "*", 0, "NVIDIA CUDA", "sign(-0) is +0"},
        {"zeros of tanpi", "*", 0, "NVIDIA CUDA", "tanpi(-0) is +0"},
        {"mad_sat", "long", 0, "NVIDIA CUDA", "mad_sat of a long wraps", true},
        {"lgamma_r", "*", 0, "NVIDIA CUDA", "the sign of gamma(1) and gamma(2) is 0", true},
        {"select(v, w, max((T)(v ^ v), w))", "short", 0, "NVIDIA CUDA", nvidia_short_max, true},
        {"max((T)(v ^ v), w)", "short", 0, "NVIDIA CUDA", nvidia_short_max, true},
        {"max((T)(v ^ v), w) != 0 ? w : v", "short", 0, "NVIDIA CUDA", nvidia_short_max, true},
        {"select(v, w, max((T)0, w))", "short", 0, "NVIDIA CUDA", nvidia_short_max, true},
        {"normalize", "*", 0, "NVIDIA CUDA", "normalize() of two denormals is (1, 1), not of length 1", true},
        {"smoothstep*", "double", 0, "NVIDIA CUDA", "smoothstep of doubles has the precision of a float",
         true},
        {local_rows_by_pointer, "int", 0, "Emulated AMD GPU",
         "hipRTC 5.2 and 5.7 give the kernel two copies of the array: stores go to one, loads through the "
         "pointers to the "
         "other (6.4 does not)"},
    };
    return rows;
}

const KnownBug* known_bug(const ferry::Device& device, std::string_view function) {
    for (const KnownBug& bug : known_bugs()) {
        if (fits(bug.function, function) && conformance::matches(device, bug.device)) {
            return &bug;
        }
    }
    return nullptr;
}

BugLedger::BugLedger(const ferry::Device& device) {
    for (const KnownBug& bug : known_bugs()) {
        if (conformance::matches(device, bug.device)) {
            entries_.push_back({&bug});
        }
    }
}

bool BugLedger::covers(const std::string& function, const std::string& type, unsigned width, bool failed) {
    bool covered = false;
    for (Entry& entry : entries_) {
        const KnownBug& bug = *entry.bug;
        if (fits(bug.function, function) && fits(bug.type, type) && (bug.width == 0 || bug.width == width)) {
            ++entry.cases;
            entry.failures += failed ? 1 : 0;
            covered = true;
        }
    }
    return covered;
}

void BugLedger::check_not_stale() const {
    for (const Entry& entry : entries_) {
        if (entry.cases != 0 && entry.failures == 0 && !entry.bug->sometimes) {
            FAIL_CHECK("the known bug is stale, all ", entry.cases,
                       " cases pass: ", std::string(entry.bug->function), " of ",
                       std::string(entry.bug->type), " on ", std::string(entry.bug->device), ": ",
                       std::string(entry.bug->reason));
        }
    }
}

} // namespace kernels
