// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "translate/prelude.hpp"

#include <array>
#include <utility>

namespace ferry::opencl_c {
namespace {

// Samplers and image formats. Needed for texts in which only some kernels use images.
constexpr std::string_view images = R"(#define CLK_ADDRESS_NONE 0
#define CLK_ADDRESS_CLAMP_TO_EDGE 2
#define CLK_ADDRESS_CLAMP 4
#define CLK_ADDRESS_REPEAT 6
#define CLK_ADDRESS_MIRRORED_REPEAT 8
#define CLK_NORMALIZED_COORDS_FALSE 0
#define CLK_NORMALIZED_COORDS_TRUE 1
#define CLK_FILTER_NEAREST 0x10
#define CLK_FILTER_LINEAR 0x20
#define CLK_SNORM_INT8 0x10D0
#define CLK_SNORM_INT16 0x10D1
#define CLK_UNORM_INT8 0x10D2
#define CLK_UNORM_INT16 0x10D3
#define CLK_SIGNED_INT8 0x10D7
#define CLK_SIGNED_INT16 0x10D8
#define CLK_SIGNED_INT32 0x10D9
#define CLK_UNSIGNED_INT8 0x10DA
#define CLK_UNSIGNED_INT16 0x10DB
#define CLK_UNSIGNED_INT32 0x10DC
#define CLK_HALF_FLOAT 0x10DD
#define CLK_FLOAT 0x10DE
#define CLK_R 0x10B0
#define CLK_A 0x10B1
#define CLK_RG 0x10B2
#define CLK_RA 0x10B3
#define CLK_RGB 0x10B4
#define CLK_RGBA 0x10B5
#define CLK_BGRA 0x10B6
#define CLK_ARGB 0x10B7
#define CLK_INTENSITY 0x10B8
#define CLK_LUMINANCE 0x10B9
)";

} // namespace

std::string predefined_macros(bool fp64, std::string_view target) {
    std::string text = translate::predefined_macros(fp64);
    text += images;
    text += target;
    const std::array<std::pair<std::string_view, std::string_view>, 3> constants{
        {{" fy_infinity_double\n", " (__builtin_inf())\n"},
         {" fy_infinity\n", " (__builtin_inff())\n"},
         {" fy_nan\n", " (__builtin_nanf(\"\"))\n"}}};
    for (const auto& [from, to] : constants) {
        for (std::size_t at = text.find(from); at != std::string::npos;
             at = text.find(from, at + to.size())) {
            text.replace(at, from.size(), to);
        }
    }
    return text;
}

} // namespace ferry::opencl_c
