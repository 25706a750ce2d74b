# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=translator_version.cpp -DINPUTS=lexer.cpp,lexer.hpp,... -P version.cmake
string(REPLACE "," ";" inputs "${INPUTS}")
list(SORT inputs)
set(digests "")
foreach(input IN LISTS inputs)
    file(SHA256 "${input}" digest)
    string(APPEND digests "${digest}")
endforeach()
string(SHA256 version "${digests}")
string(SUBSTRING "${version}" 0 32 version)
file(WRITE "${OUTPUT}" "// Generated from the files of src/translate
#include \"translate/translate.hpp\"

namespace ferry::translate {

const char* const version = \"${version}\";

} // namespace ferry::translate
")
