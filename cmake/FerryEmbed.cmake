# SPDX-License-Identifier: Apache-2.0
# cmake -DINPUT=file -DOUTPUT=header -DNAME=saxpy.cl -P FerryEmbed.cmake
string(MAKE_C_IDENTIFIER "${NAME}" variable)
string(REGEX REPLACE "[^A-Za-z0-9]" "_" variable "${variable}")
file(READ "${INPUT}" bytes HEX)
string(LENGTH "${bytes}" size)
math(EXPR size "${size} / 2")
# Programs are linked from several targets, whose files may have one name; headers are the same wherever they are built.
string(MD5 own "${NAME} ${bytes}")
# A row of 16 bytes a line; the closing zero makes the array usable as a C string and legal when the file is empty.
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
string(REPEAT "'.x[0-9a-f][0-9a-f]'," 16 row)
string(REGEX REPLACE "(${row})" "\\1\n    " bytes "${bytes}")
file(WRITE "${OUTPUT}" "// Made from ${NAME}; changes here are lost.
#pragma once
#include <string_view>

namespace kernels {
inline namespace of_${own} {
namespace bytes_of {
inline constexpr char ${variable}[] = {
    ${bytes}'\\0'};
}
inline constexpr std::string_view ${variable}{bytes_of::${variable}, ${size}};
} // namespace of_${own}
} // namespace kernels
")
