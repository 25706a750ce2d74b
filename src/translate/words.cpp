// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include "prelude.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace ferry::translate {
namespace {

using Words = std::unordered_set<std::string_view>;

bool contains(const Words& words, std::string_view word) noexcept {
    return words.find(word) != words.end();
}

} // namespace

bool is_cpp_keyword(std::string_view name) noexcept {
    static const Words words{"alignas",
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
                             "xor_eq"};
    return contains(words, name);
}

bool is_declared_outside(std::string_view name) noexcept {
    static const Words words{
        "abort",    "blockDim",  "blockIdx", "clock",   "clock64", "cyl_bessel_i0", "cyl_bessel_i1",
        "erfcinv",  "erfcx",     "erfinv",   "exit",    "fdivide", "free",          "gridDim",
        "j0",       "j1",        "jn",       "labs",    "llabs",   "llmax",         "llmin",
        "llrint",   "llround",   "lrint",    "lround",  "malloc",  "memcpy",        "memmove",
        "memset",   "nearbyint", "norm",     "norm3d",  "norm4d",  "normcdf",       "normcdfinv",
        "rcbrt",    "rhypot",    "rnorm",    "rnorm3d", "rnorm4d", "scalbln",       "scalbn",
        "sincospi", "threadIdx", "ullmax",   "ullmin",  "umax",    "umin",          "warpSize",
        "y0",       "y1",        "yn"};
    return contains(words, name) || name.starts_with("__");
}

std::string_view canonical_word(std::string_view name) noexcept {
    static const std::unordered_map<std::string_view, std::string_view> words{
        {"kernel", "__kernel"},         {"global", "__global"},   {"local", "__local"},
        {"constant", "__constant"},     {"private", "__private"}, {"restrict", "__restrict__"},
        {"__restrict", "__restrict__"}, {"_Bool", "bool"},        {"__inline", "inline"},
        {"__inline__", "inline"},       {"__const", "const"},     {"__volatile__", "volatile"},
        {"__signed__", "signed"}};
    const auto found = words.find(name);
    return found == words.end() ? name : found->second;
}

std::string_view refusal(std::string_view name) noexcept {
    static const std::unordered_map<std::string_view, std::string_view> words{
        {"image1d_t", "images"},
        {"image1d_array_t", "images"},
        {"image1d_buffer_t", "images"},
        {"image2d_t", "images"},
        {"image2d_array_t", "images"},
        {"image3d_t", "images"},
        {"image2d_depth_t", "images"},
        {"sampler_t", "samplers"},
        {"read_imagef", "images"},
        {"read_imagei", "images"},
        {"read_imageui", "images"},
        {"write_imagef", "images"},
        {"write_imagei", "images"},
        {"write_imageui", "images"},
        {"read_only", "images"},
        {"__read_only", "images"},
        {"write_only", "images"},
        {"__write_only", "images"},
        {"pipe", "pipes"},
        {"read_pipe", "pipes"},
        {"write_pipe", "pipes"},
        {"enqueue_kernel", "kernels that enqueue kernels"},
        {"queue_t", "kernels that enqueue kernels"},
        {"ndrange_t", "kernels that enqueue kernels"},
        {"clk_event_t", "kernels that enqueue kernels"},
        {"__asm__", "assembler"},
        {"asm", "assembler"},
        {"__asm", "assembler"},
        {"__generic", "generic address space"}};
    const auto found = words.find(name);
    return found == words.end() ? std::string_view() : found->second;
}

bool may_precede_kernel(std::string_view word) noexcept {
    return word == "__kernel" || word == "void" || word == "inline" || word == "static" || word == "extern";
}

bool is_no_kernels_name(std::string_view name) {
    return name == "main" || name == "printf" ||
           (name.starts_with("as_") && prelude_provides(Dialect::cuda, name));
}

std::string advice(std::string_view what) {
    if (what == "images" || what == "samplers") {
        return "; use a buffer and compute the index, or keep this kernel as native OpenCL C for OpenCL "
               "devices";
    }
    return what == "assembler" ? "; keep this kernel in the vendor's own language" : "";
}

} // namespace ferry::translate
