# SPDX-License-Identifier: Apache-2.0
# Tests on vendor implementations. The table of all implementations is tests/implementations.cmake.
include_guard(GLOBAL)
include(FerryVendorLibraries)

# ferry_implementation(NAME BACKEND backend [SUITES suite...] [NEEDS target-or-variable...] [EXPECT text]
#                      [REPEATS implementation] [OPENCL library] [LIBRARIES path loader] [ENVIRONMENT VAR=value...]
#                      [INSTALL text])
# A row of the table. It applies if each of NEEDS is a target, or a variable that is true.
# SUITES: the suites that run on it. "suite:long": with the label "long", which CI leaves out (-LE long), because the
#   implementation costs much and shows little more. "suite:ci": with the label "ci", which only CI runs (tests/run --ci).
# REPEATS: an implementation of the same backend. If it is there too, all tests on this one have the label "ci", because
#   they run the same code of Ferry again, below another driver.
# EXPECT: a part of the id, name or platform of a device that must be present.
# OPENCL: the OpenCL driver; programs see no other one.
# LIBRARIES: the folders of unpacked libraries and their loader, see ferry_unpacked_program().
# INSTALL: the way to get it, for a message.
function(ferry_implementation name)
    cmake_parse_arguments(arg "" "BACKEND;EXPECT;OPENCL;INSTALL;REPEATS" "SUITES;NEEDS;LIBRARIES;ENVIRONMENT" ${ARGN})
    set_property(GLOBAL PROPERTY FERRY_${name}_INSTALL "${arg_INSTALL}")
    foreach(need IN LISTS arg_NEEDS)
        if(NOT TARGET ${need} AND NOT ${need})
            set_property(GLOBAL APPEND PROPERTY FERRY_MISSING_IMPLEMENTATIONS ${name})
            return()
        endif()
    endforeach()
    set(environment "FERRY_BACKEND=${arg_BACKEND}")
    if(arg_OPENCL) # Debian's loader reads OCL_ICD_VENDORS, Khronos' (CUDA's toolkit has it) OCL_ICD_FILENAMES
        set(folder "${PROJECT_BINARY_DIR}/icd/${name}")
        file(WRITE "${folder}/${name}.icd" "${arg_OPENCL}\n")
        list(APPEND environment "OCL_ICD_VENDORS=${folder}" "OCL_ICD_FILENAMES=${arg_OPENCL}")
    endif()
    list(APPEND environment ${arg_ENVIRONMENT})
    if(arg_EXPECT)
        list(APPEND environment "FERRY_EXPECT_DEVICE=${arg_EXPECT}")
    endif()
    set_property(GLOBAL APPEND PROPERTY FERRY_IMPLEMENTATIONS ${name})
    set_property(GLOBAL PROPERTY FERRY_${name}_BACKEND ${arg_BACKEND})
    set_property(GLOBAL PROPERTY FERRY_${name}_ENVIRONMENT ${environment})
    set_property(GLOBAL PROPERTY FERRY_${name}_LIBRARIES ${arg_LIBRARIES})
    set_property(GLOBAL PROPERTY FERRY_${name}_REPEATS ${arg_REPEATS})
    foreach(suite IN LISTS arg_SUITES)
        string(REGEX MATCH "^([^:]+):?(.*)$" suite "${suite}")
        set_property(GLOBAL APPEND PROPERTY FERRY_SUITE_${CMAKE_MATCH_1} ${name})
        set_property(GLOBAL PROPERTY FERRY_SUITE_${CMAKE_MATCH_1}_LABEL_${name} ${CMAKE_MATCH_2})
    endforeach()
endfunction()

function(ferry_find_implementations)
    ferry_find_vendor_libraries()
    include("${PROJECT_SOURCE_DIR}/tests/implementations.cmake")
    get_property(found GLOBAL PROPERTY FERRY_IMPLEMENTATIONS)
    if(CMAKE_CROSSCOMPILING)
        return()
    endif()
    list(JOIN found ", " text)
    message(STATUS "Ferry tests: implementations found: ${text}")
    get_property(absent GLOBAL PROPERTY FERRY_MISSING_IMPLEMENTATIONS)
    foreach(name IN LISTS absent)
        get_property(install GLOBAL PROPERTY FERRY_${name}_INSTALL)
        if(install)
            message(STATUS "Ferry tests: ${name} was not found (${install})")
        endif()
    endforeach()
    set(missing "")
    foreach(name IN LISTS FERRY_REQUIRE_IMPLEMENTATIONS)
        if(FERRY_SANITIZE AND name MATCHES "^amd-emulated") # AMD's libraries are not instrumented
            continue()
        endif()
        if(NOT name IN_LIST found)
            get_property(install GLOBAL PROPERTY FERRY_${name}_INSTALL)
            string(APPEND missing "\n  ${name}: ${install}")
        endif()
    endforeach()
    if(missing)
        message(FATAL_ERROR "FERRY_REQUIRE_IMPLEMENTATIONS names implementations that this machine lacks:${missing}")
    endif()
endfunction()

# ferry_add_suite(SUITE TEST COMMAND command... [LABELS label...] [ENVIRONMENT VAR=value...] [TIMEOUT seconds]
#                 [PROPERTIES name value...])
# A test on each implementation of SUITE. {implementation} and {backend} in all arguments are replaced.
function(ferry_add_suite suite)
    get_property(implementations GLOBAL PROPERTY FERRY_SUITE_${suite})
    foreach(implementation IN LISTS implementations)
        get_property(label GLOBAL PROPERTY FERRY_SUITE_${suite}_LABEL_${implementation})
        get_property(backend GLOBAL PROPERTY FERRY_${implementation}_BACKEND)
        string(REPLACE "{implementation}" "${implementation}" arguments "${ARGN}")
        string(REPLACE "{backend}" "${backend}" arguments "${arguments}")
        cmake_parse_arguments(arg "" "TIMEOUT" "COMMAND;LABELS;ENVIRONMENT;PROPERTIES" ${arguments})
        list(POP_FRONT arg_UNPARSED_ARGUMENTS test)
        ferry_add_implementation_test(${test} ${implementation} COMMAND ${arg_COMMAND}
            LABELS ${arg_LABELS} ${label} ENVIRONMENT ${arg_ENVIRONMENT} TIMEOUT ${arg_TIMEOUT})
        if(arg_PROPERTIES)
            set_tests_properties(${test} PROPERTIES ${arg_PROPERTIES})
        endif()
    endforeach()
endfunction()

# ferry_add_implementation_test(TEST IMPLEMENTATION COMMAND command... [LABELS label...] [ENVIRONMENT VAR=value...]
#                               [TIMEOUT seconds])
# A test that sees IMPLEMENTATION and nothing else; labelled backend:<its backend> and implementation:<name>.
# Nothing is added where the implementation is not.
function(ferry_add_implementation_test test implementation)
    cmake_parse_arguments(arg "" "TIMEOUT" "COMMAND;LABELS;ENVIRONMENT" ${ARGN})
    get_property(found GLOBAL PROPERTY FERRY_IMPLEMENTATIONS)
    if(NOT implementation IN_LIST found)
        return()
    endif()
    get_property(backend GLOBAL PROPERTY FERRY_${implementation}_BACKEND)
    get_property(environment GLOBAL PROPERTY FERRY_${implementation}_ENVIRONMENT)
    get_property(libraries GLOBAL PROPERTY FERRY_${implementation}_LIBRARIES)
    get_property(repeated GLOBAL PROPERTY FERRY_${implementation}_REPEATS)
    if(repeated AND repeated IN_LIST found)
        list(APPEND arg_LABELS ci)
    endif()
    list(REMOVE_DUPLICATES arg_LABELS)
    list(GET arg_COMMAND 0 program)
    if(libraries AND TARGET ${program})
        list(POP_BACK libraries loader)
        ferry_unpacked_program(${program} ${implementation} "${libraries}" "${loader}" copy)
        list(POP_FRONT arg_COMMAND)
        list(PREPEND arg_COMMAND "${copy}")
    endif()
    add_test(NAME ${test} COMMAND ${arg_COMMAND})
    ferry_test_defaults(${test} TIMEOUT ${arg_TIMEOUT}
        LABELS "backend:${backend}" "implementation:${implementation}" ${arg_LABELS}
        # A real driver may take long on a busy machine, but it does not hang.
        ENVIRONMENT FERRY_PROBE_LIMIT=60000 ${environment} ${arg_ENVIRONMENT})
endfunction()

# ferry_share_caches(TEST IMPLEMENTATION [SUBJECT...]): conformance tests share the kernels that were compiled for the
# implementation. With PoCL they run one at a time, because processes that share a cold cache of PoCL's can crash. Tests of
# compilation, of measurements, in threads and in children do not share them.
function(ferry_share_caches test implementation)
    if(NOT TEST ${test})
        return()
    endif()
    foreach(subject IN ITEMS bad_text capabilities lifetime process_state program program_cache thread)
        if(subject IN_LIST ARGN)
            return()
        endif()
    endforeach()
    get_test_property(${test} ENVIRONMENT environment)
    list(FILTER environment EXCLUDE REGEX "^FERRY_CACHE_DIR=")
    list(APPEND environment "FERRY_CACHE_DIR=${PROJECT_BINARY_DIR}/ferry-cache/conformance.${implementation}")
    set_tests_properties(${test} PROPERTIES ENVIRONMENT "${environment}")
    ferry_share_pocl_cache(${ARGV})
endfunction()

# ferry_share_pocl_cache(TEST IMPLEMENTATION [SUBJECT...]): the part of ferry_share_caches() for PoCL's cache, for tests with
# settings of their own.
function(ferry_share_pocl_cache test implementation)
    if(NOT TEST ${test} OR NOT implementation MATCHES "^pocl")
        return()
    endif()
    foreach(subject IN ITEMS bad_text lifetime process_state program program_cache thread)
        if(subject IN_LIST ARGN)
            return()
        endif()
    endforeach()
    set(cache "${PROJECT_BINARY_DIR}/pocl-cache/conformance")
    file(MAKE_DIRECTORY "${cache}")
    get_test_property(${test} ENVIRONMENT environment)
    list(FILTER environment EXCLUDE REGEX "^POCL_CACHE_DIR=")
    list(APPEND environment "POCL_CACHE_DIR=${cache}")
    set_tests_properties(${test} PROPERTIES ENVIRONMENT "${environment}" RESOURCE_LOCK pocl-cache)
endfunction()

# ferry_add_conformance(IMPLEMENTATION [LABELS label...] [LONG subject...] [WITHOUT subject...]): the one conformance program,
# on that implementation; one test for each of its source files, conformance.<implementation>.<file without _test>. LONG:
# files with the label "long". WITHOUT: files that have no test.
function(ferry_add_conformance implementation)
    cmake_parse_arguments(arg "" "" "LABELS;LONG;WITHOUT" ${ARGN})
    get_target_property(files ferry_conformance SOURCES)
    list(FILTER files INCLUDE REGEX "_test[.]cpp$")
    foreach(file IN LISTS files)
        get_filename_component(name "${file}" NAME_WE)
        string(REGEX REPLACE "_test$" "" subject "${name}")
        if(subject IN_LIST arg_WITHOUT)
            continue()
        endif()
        set(long "")
        if(subject IN_LIST arg_LONG)
            set(long long)
        endif()
        ferry_add_implementation_test(conformance.${implementation}.${subject} ${implementation}
            COMMAND ferry_conformance "--source-file=*/${name}.cpp"
            LABELS conformance ${arg_LABELS} ${long} TIMEOUT 600)
        ferry_share_caches(conformance.${implementation}.${subject} ${implementation} ${subject})
    endforeach()
endfunction()

# ferry_opencl_for_tests(OUT): an OpenCL implementation that is here, for tests that need one and accept each.
function(ferry_opencl_for_tests out)
    get_property(found GLOBAL PROPERTY FERRY_SUITE_any_opencl)
    if(NOT found)
        message(FATAL_ERROR "The tests need an OpenCL implementation, and this machine has none that they know: "
            "apt-get install pocl-opencl-icd.")
    endif()
    list(GET found 0 first)
    set(${out} ${first} PARENT_SCOPE)
endfunction()

# ferry_unpacked_program(TARGET NAME LIBRARIES LOADER OUT): sets OUT to a copy of a program that is started by the unpacked
# loader and searches LIBRARIES, a path. The programs that it starts do not.
function(ferry_unpacked_program target name libraries loader out)
    set(file "${PROJECT_BINARY_DIR}/bin/${name}/${target}")
    set(${out} "${file}" PARENT_SCOPE)
    if(TARGET ${target}-${name})
        return()
    endif()
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/bin/${name}")
    add_custom_command(OUTPUT "${file}"
        COMMAND ${CMAKE_COMMAND} -E copy "$<TARGET_FILE:${target}>" "${file}"
        COMMAND "${FERRY_PATCHELF}" --set-interpreter "${loader}" --force-rpath
            --set-rpath "${libraries}:${PROJECT_BINARY_DIR}/lib" "${file}"
        DEPENDS ${target} VERBATIM)
    add_custom_target(${target}-${name} ALL DEPENDS "${file}")
endfunction()
