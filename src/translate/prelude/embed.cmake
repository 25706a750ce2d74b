# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=prelude_text.cpp -DINPUTS=core.inc,vector.inc,... -P embed.cmake
string(REPLACE "," ";" inputs "${INPUTS}")
set(text "")
set(count 0)
foreach(input IN LISTS inputs)
    file(READ "${input}" content)
    string(LENGTH "${content}" length)
    set(at 0)
    while(at LESS length)
        string(SUBSTRING "${content}" ${at} 12000 piece)
        string(APPEND text "    R\"FY_PRELUDE(${piece})FY_PRELUDE\",\n")
        math(EXPR at "${at} + 12000")
        math(EXPR count "${count} + 1")
    endwhile()
endforeach()
file(WRITE "${OUTPUT}" "// Generated from src/translate/prelude/*.inc
#include \"translate/prelude_text.hpp\"

namespace ferry::translate {

const char* const prelude_pieces[] = {
${text}};
const std::size_t prelude_piece_count = ${count};

} // namespace ferry::translate
")
