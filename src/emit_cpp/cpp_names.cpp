// SPDX-License-Identifier: Apache-2.0
#include "cpp_names.hpp"

#include "base/no_destructor.hpp"

#include <unordered_set>

namespace ferry::emit_cpp {
namespace {

using Words = std::unordered_set<std::string_view>;

bool contains(const Words& words, std::string_view word) noexcept {
    return words.find(word) != words.end();
}

} // namespace

bool is_cpp_keyword(std::string_view name) noexcept {
    static detail::NoDestructor<const Words> words(Words{"alignas",
                                                         "alignof",
                                                         "and",
                                                         "and_eq",
                                                         "bitand",
                                                         "bitor",
                                                         "catch",
                                                         "char8_t",
                                                         "char16_t",
                                                         "char32_t",
                                                         "class",
                                                         "compl",
                                                         "concept",
                                                         "consteval",
                                                         "constexpr",
                                                         "constinit",
                                                         "const_cast",
                                                         "co_await",
                                                         "co_return",
                                                         "co_yield",
                                                         "decltype",
                                                         "delete",
                                                         "dynamic_cast",
                                                         "explicit",
                                                         "export",
                                                         "friend",
                                                         "mutable",
                                                         "namespace",
                                                         "new",
                                                         "noexcept",
                                                         "not",
                                                         "not_eq",
                                                         "nullptr",
                                                         "operator",
                                                         "or",
                                                         "or_eq",
                                                         "protected",
                                                         "public",
                                                         "reinterpret_cast",
                                                         "requires",
                                                         "static_assert",
                                                         "static_cast",
                                                         "template",
                                                         "this",
                                                         "thread_local",
                                                         "throw",
                                                         "try",
                                                         "typeid",
                                                         "typename",
                                                         "using",
                                                         "virtual",
                                                         "wchar_t",
                                                         "xor",
                                                         "xor_eq"});
    return contains(*words, name);
}

bool is_declared_outside(std::string_view name) noexcept {
    static detail::NoDestructor<const Words> words(
        Words{"abort",    "blockDim",  "blockIdx", "clock",   "clock64", "cyl_bessel_i0", "cyl_bessel_i1",
              "erfcinv",  "erfcx",     "erfinv",   "exit",    "fdivide", "free",          "gridDim",
              "j0",       "j1",        "jn",       "labs",    "llabs",   "llmax",         "llmin",
              "llrint",   "llround",   "lrint",    "lround",  "malloc",  "memcpy",        "memmove",
              "memset",   "nearbyint", "norm",     "norm3d",  "norm4d",  "normcdf",       "normcdfinv",
              "rcbrt",    "rhypot",    "rnorm",    "rnorm3d", "rnorm4d", "scalbln",       "scalbn",
              "sincospi", "threadIdx", "ullmax",   "ullmin",  "umax",    "umin",          "warpSize",
              "y0",       "y1",        "yn"});
    return contains(*words, name) || name.starts_with("__");
}

} // namespace ferry::emit_cpp
