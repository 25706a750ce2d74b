# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# ferry_batch(TARGET): in a build in batches its sources are compiled many at a time, which spares reading the headers
# that they share again and again.
function(ferry_batch target)
    if(FERRY_BATCH_BUILD)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
        target_compile_options(${target} PRIVATE -Wno-shadow) # of one file by another, which is no fault of either
    endif()
endfunction()

# ferry_target_defaults(TARGET): language level, warnings and sanitizers of the project's own targets. All of it is
# private: nothing here reaches a program that links Ferry.
function(ferry_target_defaults target)
    target_compile_features(${target} PRIVATE cxx_std_20)
    set_target_properties(${target} PROPERTIES
        CXX_EXTENSIONS OFF
        CXX_VISIBILITY_PRESET hidden
        VISIBILITY_INLINES_HIDDEN ON)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow)
    if(FERRY_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # False alarms: of version 12 in its own library's headers, at -O2; from version 13 on of every function that
        # takes a temporary and returns a reference, to whatever. Older ones let pass what they do not know.
        target_compile_options(${target} PRIVATE -Wno-restrict -Wno-maybe-uninitialized -Wno-dangling-reference)
    endif()
    if(FERRY_SANITIZE)
        list(JOIN FERRY_SANITIZE "," names)
        target_compile_options(${target} PRIVATE -fsanitize=${names} -fno-omit-frame-pointer
            -fno-sanitize-recover=undefined)
        target_link_options(${target} PRIVATE -fsanitize=${names})
    endif()
endfunction()
