# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
include(FerryAddTest)

# ferry_add_sample(NN_name SOURCES file... [KERNELS file...] [LIBRARIES lib...] [ARGUMENTS arg...] [NO_TEST])
# One folder, one program: sample_NN_name, linked with ferry::ferry; each of KERNELS is embedded as a header. The program
# is the test sample.NN_name, run with ARGUMENTS on the machine's default device.
function(ferry_add_sample name)
    cmake_parse_arguments(arg "NO_TEST" "" "SOURCES;KERNELS;LIBRARIES;ARGUMENTS" ${ARGN})
    set(target sample_${name})
    add_executable(${target} ${arg_SOURCES})
    set_property(GLOBAL APPEND PROPERTY FERRY_SAMPLES ${target})
    ferry_target_defaults(${target})
    target_link_libraries(${target} PRIVATE ferry::ferry ${arg_LIBRARIES})
    # A target with other options or definitions than ferry_sample_common cannot use its precompiled header.
    if(FERRY_BATCH_BUILD AND arg_LIBRARIES STREQUAL "ferry_sample_common")
        target_precompile_headers(${target} REUSE_FROM ferry_sample_common)
    endif()
    if(arg_KERNELS)
        ferry_add_kernels(${target} ${arg_KERNELS})
    endif()
    if(NOT arg_NO_TEST)
        add_test(NAME sample.${name} COMMAND ${target} ${arg_ARGUMENTS})
        ferry_test_defaults(sample.${name} LABELS sample)
    endif()
endfunction()

# ferry_sample_lacks(NAME EFFECT LIBRARY PACKAGE): the sample is "not built", or "built without LIBRARY", because LIBRARY
# is not there. The runner says so, and names the Debian package to install.
function(ferry_sample_lacks name effect library package)
    string(REGEX MATCH "^[0-9]+" number ${name})
    message(STATUS "Ferry samples: ${library} was not found; ${number} is ${effect} (apt-get install ${package})")
    set_property(GLOBAL APPEND_STRING PROPERTY FERRY_SAMPLES_LACK
        "${name}\t${effect}\t${library}\t${package}\n")
endfunction()

# ferry_add_library_tests(NAME LIBRARY): a test of the sample with that third-party library, on each available OpenCL
# implementation.
function(ferry_add_library_tests name library)
    if(COMMAND ferry_add_suite)
        find_package(Python3 COMPONENTS Interpreter REQUIRED)
        ferry_add_suite(libraries sample.${name}.${library}.{implementation}
            COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/samples/runner/suite_test.py"
                $<TARGET_FILE:ferry_samples> --one ${name} $<TARGET_FILE:sample_${name}> ${library} LABELS sample)
    endif()
endfunction()
