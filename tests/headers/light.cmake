# SPDX-License-Identifier: Apache-2.0
# ferry.hpp must not include standard headers that take a tenth of a second each. COMPILER is g++, FOLDER is api/.
execute_process(COMMAND "${COMPILER}" -std=c++20 -M -x c++ "-I${FOLDER}" "${FOLDER}/ferry/ferry.hpp"
    OUTPUT_VARIABLE files RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${COMPILER} -M failed: ${status}")
endif()
if(NOT files MATCHES "/string[ \n]")
    message(FATAL_ERROR "no standard header is among what ferry.hpp includes:\n${files}")
endif()
foreach(header IN ITEMS algorithm chrono filesystem format functional future iomanip iostream locale memory mutex ranges regex
    sstream thread unordered_map variant)
    if(files MATCHES "/${header}[ \n]")
        message(SEND_ERROR "ferry.hpp includes <${header}>, which is slow to compile. See ferry/standard.hpp.")
    endif()
endforeach()
