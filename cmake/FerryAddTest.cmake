# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

set(sanitizer_environment "")
set(tools "${PROJECT_SOURCE_DIR}/tests/tools")
if("address" IN_LIST FERRY_SANITIZE)
    # use_sigaltstack=0: a thread that touched Intel's OpenCL runtime otherwise aborts at its end.
    # intercept_tls_get_addr=0: LeakSanitizer guesses where the thread-local memory of a library begins, and ended with
    # signal 11 at a wrong guess. That memory is then no root; lsan.supp has it.
    list(APPEND sanitizer_environment
        "ASAN_OPTIONS=use_sigaltstack=0:intercept_tls_get_addr=0:detect_stack_use_after_return=1:strict_string_checks=1"
        "LSAN_OPTIONS=suppressions=${tools}/lsan.supp:print_suppressions=0"
        "UBSAN_OPTIONS=print_stacktrace=1")
endif()
if("thread" IN_LIST FERRY_SANITIZE)
    # The drivers are not instrumented, so what they do among themselves looks like a race.
    list(APPEND sanitizer_environment
        "TSAN_OPTIONS=ignore_noninstrumented_modules=1:second_deadlock_stack=1:suppressions=${tools}/tsan.supp")
endif()
if(FERRY_SANITIZE)
    # Their presets build no tool, and ThreadSanitizer ends a copy of a process (fork()) that starts threads.
    list(APPEND sanitizer_environment FERRY_PROBE=off)
endif()
set(FERRY_SANITIZER_ENVIRONMENT "${sanitizer_environment}" CACHE INTERNAL "")

# ferry_test_defaults(TEST [LABELS label...] [ENVIRONMENT VAR=value...] [TIMEOUT seconds]): the environment every test
# of the project runs in. Each has its own PoCL cache, because processes that share a cold one can crash, and its own cache
# of Ferry, so that no test sees what another one or the user compiled. Tests with ferry_share_caches() share them.
function(ferry_test_defaults test)
    cmake_parse_arguments(arg "" "TIMEOUT" "LABELS;ENVIRONMENT" ${ARGN})
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 600) # sanitizers, on a machine that has other things to do
    endif()
    set(cache "${PROJECT_BINARY_DIR}/pocl-cache/${test}")
    file(MAKE_DIRECTORY "${cache}")
    if(CMAKE_CROSSCOMPILING) # programs that a test starts find the libraries, and kernels a compiler that runs here
        list(GET CMAKE_CROSSCOMPILING_EMULATOR 0 emulator)
        list(APPEND arg_ENVIRONMENT "QEMU_LD_PREFIX=/usr/aarch64-linux-gnu"
            "FERRY_HOST_COMPILER=${PROJECT_SOURCE_DIR}/tests/tools/not-native-c++"
            "FERRY_TEST_COMPILER=${CMAKE_CXX_COMPILER}"
            "FERRY_TEST_EMULATOR=${emulator}")
    endif()
    set(environment "POCL_CACHE_DIR=${cache}" POCL_MEMORY_LIMIT=2 "FERRY_CACHE_DIR=${PROJECT_BINARY_DIR}/ferry-cache/${test}"
        ${FERRY_SANITIZER_ENVIRONMENT} ${arg_ENVIRONMENT})
    set_tests_properties(${test} PROPERTIES
        LABELS "${arg_LABELS}"
        TIMEOUT ${arg_TIMEOUT}
        ENVIRONMENT "${environment}")
endfunction()

# ferry_precompile(TARGET HEADER...): what most of a test program's files include, in a build in batches.
function(ferry_precompile target)
    if(FERRY_BATCH_BUILD)
        target_precompile_headers(${target} PRIVATE ${ARGN})
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
            target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow) # version 12, of std::string
        endif()
    endif()
endfunction()

# ferry_add_test(NAME SOURCES file... [LIBRARIES lib...] [KERNELS file...] [LABELS label...] [ENVIRONMENT VAR=value...]
#                [ARGUMENTS arg...] [TIMEOUT seconds]): a doctest program and its ctest entry.
# It is linked with the static library and sees the private headers; one source file holds doctest's main.
function(ferry_add_test name)
    cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBRARIES;KERNELS;LABELS;ENVIRONMENT;ARGUMENTS" ${ARGN})
    string(REPLACE "." "_" target "test_${name}")
    add_executable(${target} ${arg_SOURCES})
    ferry_target_defaults(${target})
    target_link_libraries(${target} PRIVATE ferry_internals ${arg_LIBRARIES})
    if(arg_KERNELS)
        ferry_add_texts(${target} ${arg_KERNELS})
    endif()
    add_test(NAME ${name} COMMAND ${target} ${arg_ARGUMENTS})
    ferry_test_defaults(${name} LABELS ${arg_LABELS} ENVIRONMENT ${arg_ENVIRONMENT} TIMEOUT ${arg_TIMEOUT})
endfunction()

# ferry_add_header_check(TARGET header...): each header, named as it is included, compiles as the only one of a file, and
# twice; a failure is a build failure.
function(ferry_add_header_check target)
    set(sources "")
    foreach(header IN LISTS ARGN)
        string(MAKE_C_IDENTIFIER "${header}" name)
        set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
        file(CONFIGURE OUTPUT "${source}" CONTENT "#include <@header@>\n#include <@header@>\n" @ONLY)
        list(APPEND sources "${source}")
    endforeach()
    add_library(${target} OBJECT ${sources})
    ferry_target_defaults(${target})
    target_compile_options(${target} PRIVATE -Wpedantic)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/api")
endfunction()
