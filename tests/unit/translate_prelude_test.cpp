// SPDX-License-Identifier: Apache-2.0
#include "opencl_c/check.hpp"
#include "translate/prelude.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace translate_prelude_test {

using namespace ferry::translate;

namespace {

constexpr Dialect dialects[] = {Dialect::cuda, Dialect::hip, Dialect::host};

std::vector<std::string> split(const std::string& text) {
    std::istringstream words(text);
    std::vector<std::string> list;
    for (std::string word; words >> word;) {
        list.push_back(word);
    }
    return list;
}

std::string prelude_for(Dialect dialect, const std::string& text) {
    const std::vector<std::string> words = split(text);
    const std::vector<std::string_view> views(words.begin(), words.end());
    return prelude(dialect, views);
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// Whether both are present and the first one is before the second one.
bool ordered(const std::string& text, std::string_view first, std::string_view second) {
    return contains(text, first) && contains(text, second) && text.find(first) < text.find(second);
}

/// OpenCL C 1.2, sections 6.12.2 to 6.12.13, without images, work-items, barriers and asynchronous copies.
const char* const builtin_names = R"(
acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh cospi erfc erf
exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp lgamma lgamma_r log log2
log10 log1p logb mad maxmag minmag modf nan nextafter pow pown powr remainder remquo rint rootn round rsqrt sin
sincos sinh sinpi sqrt tan tanh tanpi tgamma trunc
half_cos half_divide half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_powr half_recip half_rsqrt
half_sin half_sqrt half_tan native_cos native_divide native_exp native_exp2 native_exp10 native_log native_log2
native_log10 native_powr native_recip native_rsqrt native_sin native_sqrt native_tan
abs abs_diff add_sat hadd rhadd clamp clz mad_hi mad_sat max min mul_hi rotate sub_sat upsample popcount mad24
mul24 degrees mix radians step smoothstep sign cross dot distance length normalize fast_distance fast_length
fast_normalize isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isfinite isinf isnan
isnormal isordered isunordered signbit any all bitselect select
atomic_add atomic_sub atomic_xchg atomic_inc atomic_dec atomic_cmpxchg atomic_min atomic_max atomic_and atomic_or
atomic_xor atom_add atom_sub atom_xchg atom_inc atom_dec atom_cmpxchg atom_min atom_max atom_and atom_or atom_xor
ferry_atomic_add_float shuffle shuffle2 vec_step printf
)";

std::vector<std::string> family_names() {
    std::vector<std::string> names;
    for (const char* width : {"", "2", "3", "4", "8", "16"}) {
        for (const char* type :
             {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"}) {
            const std::string vector = std::string(type) + width;
            if (*width != '\0') {
                names.push_back(vector);
            }
            names.push_back("as_" + vector);
            const bool saturates = vector[0] != 'f' && vector[0] != 'd';
            for (const char* mode : {"", "_rte", "_rtz", "_rtp", "_rtn"}) {
                names.push_back("convert_" + vector + mode);
                if (saturates) {
                    names.push_back("convert_" + vector + "_sat" + mode);
                }
            }
        }
        for (const char* mode : {"", "_rte", "_rtz", "_rtp", "_rtn"}) {
            names.push_back(std::string("vstore_half") + width + mode);
            names.push_back(std::string("vstorea_half") + width + mode);
        }
        names.push_back(std::string("vload_half") + width);
        if (*width != '\0') {
            names.push_back(std::string("vload") + width);
            names.push_back(std::string("vstore") + width);
            names.push_back(std::string("vloada_half") + width);
        }
    }
    return names;
}

} // namespace

TEST_CASE("prelude: every builtin of OpenCL C 1.2 is declared in every dialect") {
    std::vector<std::string> names = split(builtin_names);
    const std::vector<std::string> families = family_names();
    names.insert(names.end(), families.begin(), families.end());
    for (const Dialect dialect : dialects) {
        for (const std::string& name : names) {
            CAPTURE(name);
            CHECK(prelude_provides(dialect, name));
            CHECK(contains(prelude_for(dialect, name + " float4 ("), name));
        }
    }
}

TEST_CASE("prelude: only builtins are declared") {
    for (const char* name :
         {"float5", "float", "convert_float4_sat", "convert_half5", "convert_int_up", "as_", "as_int5",
          "vload5", "vload", "vstore4_rte", "vload_half4_rte", "vload_half5", "saxpy", "x", ""}) {
        CAPTURE(name);
        CHECK_FALSE(prelude_provides(Dialect::host, name));
    }
}

TEST_CASE("prelude: a scalar kernel gets only the types and the functions that it calls") {
    const std::string plain =
        "kernel void saxpy ( global float * y , float a , int n ) { y [ i ] += a * x ; }";
    for (const Dialect dialect : dialects) {
        const std::string saxpy = prelude_for(dialect, plain);
        CHECK(saxpy.size() < 1000);
        CHECK(contains(saxpy, "using uint"));
        CHECK_FALSE(contains(saxpy, "fy_vec"));
        CHECK_FALSE(contains(saxpy, "FY_FN float"));
        const std::string fused = prelude_for(dialect, plain + " fma ( a , x , y )");
        CHECK(contains(fused, "float fma("));
        CHECK_FALSE(contains(fused, "double fma("));
        CHECK(fused.size() < saxpy.size() + 250);
    }
}

TEST_CASE("prelude: double comes in by its name or by a double vector") {
    CHECK(contains(prelude_for(Dialect::host, "sqrt double ("), "double sqrt("));
    CHECK(contains(prelude_for(Dialect::host, "double ( sqrt"), "double sqrt("));
    CHECK(contains(prelude_for(Dialect::host, "sqrt convert_double4 ("), "double sqrt("));
}

TEST_CASE("prelude: vectors come in the widths and with the operators that occur") {
    const std::string text = prelude_for(Dialect::cuda, "float4 * +");
    CHECK(contains(text, "using float4 ="));
    CHECK(contains(text, "FY_VECTOR(4,"));
    CHECK_FALSE(contains(text, "FY_VECTOR(2,"));
    CHECK(contains(text, "FY_OPERATOR(*,"));
    CHECK(contains(text, "FY_OPERATOR(+,"));
    CHECK_FALSE(contains(text, "FY_OPERATOR(-,"));
    CHECK_FALSE(contains(text, "#define FY_HAS_VOLATILE"));
    CHECK(ordered(prelude_for(Dialect::cuda, "FY_VOLATILE volatile float4 *"), "#define FY_HAS_VOLATILE",
                  "FY_VECTOR(4,"));
    CHECK_FALSE(contains(prelude_for(Dialect::cuda, "float4"), "FY_OPERATOR("));
}

TEST_CASE("prelude: operators are there for the widths there are") {
    const std::string text = prelude_for(Dialect::cuda, "float3 fy_get *");
    CHECK(ordered(text, "#define FY_GET", "FY_VECTOR(3,"));
    CHECK(ordered(text, "#define FY_IN3(...) __VA_ARGS__", "FY_OPERATOR(*,"));
    CHECK_FALSE(contains(text, "#define FY_IN2(...) __VA_ARGS__"));
    CHECK_FALSE(contains(text, "FY_VECTOR(2,"));
    CHECK_FALSE(contains(text, "FY_VECTOR(8,"));
}

TEST_CASE("prelude: the requirements of a section are before it") {
    for (const Dialect dialect : dialects) {
        const std::string text =
            prelude_for(dialect, "convert_uchar4_sat_rte float4 normalize sqrt ( double )");
        CHECK(ordered(text, "FY_FN", "float sqrt("));
        CHECK(ordered(text, "float sqrt(", "double sqrt("));
        CHECK(ordered(text, "double sqrt(", "FY_VECTOR1(sqrt)"));
        CHECK(ordered(text, "FY_VECTOR(4,", "using float4"));
        CHECK(ordered(text, "double rsqrt(", "normalize(fy_vec"));
        CHECK(ordered(text, "fy_round(", "fy_convert("));
        CHECK(ordered(text, "fy_convert(", "convert_uchar4_sat_rte("));
    }
}

TEST_CASE("prelude: each section is included once") {
    const std::string text =
        prelude_for(Dialect::host, "sqrt length distance normalize sqrt float4 float3 float4 (");
    const auto count = [&](std::string_view part) {
        int n = 0;
        for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
            ++n;
        }
        return n;
    };
    CHECK(count("FY_FN float sqrt(") == 1);
    CHECK(count("FY_VECTOR(4,") == 1);
    CHECK(count("using float4") == 1);
}

TEST_CASE("prelude: predefined macros are well formed, and those of double depend on it") {
    std::set<std::string> names;
    std::istringstream lines(ferry::opencl_c::predefined_macros(true, true, {}));
    for (std::string define, name, value; lines >> define >> name && std::getline(lines, value);) {
        CAPTURE(name);
        CHECK(define == "#define");
        CHECK(value.size() > 1);
        CHECK(names.insert(name).second);
    }
    for (const char* name :
         {"__OPENCL_VERSION__", "CL_VERSION_1_2", "cl_khr_fp64", "FERRY_HAS_FP64", "FLT_MAX", "INT_MIN",
          "CLK_LOCAL_MEM_FENCE", "INFINITY", "NAN", "M_PI_F", "FERRY_VERSION"}) {
        CAPTURE(name);
        CHECK(names.count(name) == 1);
    }
    CHECK(contains(ferry::opencl_c::predefined_macros(true, true, {}), "#define cl_khr_fp64 1\n"));
    CHECK_FALSE(contains(ferry::opencl_c::predefined_macros(false, true, {}), "cl_khr_fp64"));
    CHECK_FALSE(contains(ferry::opencl_c::predefined_macros(true, false, {}), "cl_khr_fp16"));
    CHECK(contains(prelude_for(Dialect::cuda, "fy_infinity ("), "constexpr float fy_infinity"));
}

} // namespace translate_prelude_test
