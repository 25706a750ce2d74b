# SPDX-License-Identifier: Apache-2.0
# cmake -DFERRY=bin/ferry -DBACKEND=cuda -DFILES=a.cl,b.cl -P compile_corpus.cmake: fails if a file does not compile.
# Without such a compiler, only the translation is tested, and the test counts as skipped.
string(REPLACE "," ";" files "${FILES}")
set(failed "")
foreach(file IN LISTS files)
    execute_process(COMMAND "${FERRY}" compile "${file}" --backend "${BACKEND}"
        RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message("${file}: ${result}\n${output}")
        list(APPEND failed "${file}")
    elseif(output MATCHES "no compiler")
        set(absent TRUE)
    endif()
endforeach()
if(failed)
    message(FATAL_ERROR "These do not compile for ${BACKEND}: ${failed}")
endif()
if(absent)
    message("NO-COMPILER: translated only, there is none for ${BACKEND} here")
endif()
