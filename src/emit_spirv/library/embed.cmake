# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=library_text.cpp -DINPUTS=a.cl,b.inc -P embed.cmake: makes literals of the library's texts. A literal
# that is too long for some compilers is split, and the pieces have the same name.
string(REPLACE "," ";" inputs "${INPUTS}")
set(text "")
set(count 0)
foreach(input IN LISTS inputs)
    get_filename_component(name "${input}" NAME)
    file(READ "${input}" content)
    string(LENGTH "${content}" length)
    set(at 0)
    while(at LESS length)
        string(SUBSTRING "${content}" ${at} 12000 piece)
        string(APPEND text "    {\"${name}\", R\"FY_LIBRARY(${piece})FY_LIBRARY\"},\n")
        math(EXPR at "${at} + 12000")
        math(EXPR count "${count} + 1")
    endwhile()
endforeach()
file(WRITE "${OUTPUT}" "// Generated from src/emit_spirv/library
#include \"emit_spirv/library.hpp\"

namespace ferry::emit_spirv {

const LibraryPiece library_pieces[] = {
${text}};
const std::size_t library_piece_count = ${count};

} // namespace ferry::emit_spirv
")
