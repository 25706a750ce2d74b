# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
# Paths in depfiles are absolute, whatever the project that calls the functions asks for.
cmake_policy(PUSH)
cmake_policy(SET CMP0116 NEW)
set(FERRY_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/FerryEmbed.cmake" CACHE INTERNAL "")

# ferry_add_kernels(TARGET FILE... [INCLUDE folder...] [DEFINES NAME=value...] [OPTIONS option...] [HIP_ARCHITECTURES gfx...]
#                   [CHECK_OPENCL] [GLOBAL_OFFSETS])
#
# Puts kernel files into a program. saxpy.cl (OpenCL C) becomes the header "saxpy.cl.hpp" with the constant
# `kernels::saxpy_cl`, a ferry::EmbeddedKernels: `ferry::Program{device, kernels::saxpy_cl}`. In the variable's name
# every character other than a letter or a digit is `_`, and one stands before a digit that it begins with. The build
# checks the file with the translator, the C++ compiler, NVRTC if it is there and, for HIP_ARCHITECTURES, hipRTC, so that a typo fails the build with the file's name,
# line and column. With CHECK_OPENCL every OpenCL device of the building machine compiles it too, which finds what C++
# takes and OpenCL C does not. That asks drivers: one that crashes or hangs does so to the build.
#
# With GLOBAL_OFFSETS launches of the kernels may have a Grid::offset, as with BuildOptions::global_offsets; without it
# those with an offset are refused on every device.
#
# It is rebuilt when it or a file that it includes changes. Two files of one name in one target are refused; those of
# different targets of one program are different constants. What begins with `$<` in INCLUDE or DEFINES stands for any
# number of folders, absolute or relative to the build folder, or of definitions; behind other text a generator expression
# may hold no list there. In OPTIONS every generator expression stands for any number of options. What is made is one for
# all configurations of a build: with Ninja Multi-Config and CMAKE_CROSS_CONFIGS those that are built together share what
# the generator expressions of one of them stand for.
#
# What goes into the program: the text with its includes, and what DEFINES and OPTIONS define; the kernels compiled for processors (x86-64: base, AVX2
# and AVX-512; ARM64 on Linux: base, SVE and SVE2; chosen at run time), so that a machine without any driver or compiler runs them; PTX for the oldest architecture NVRTC
# knows, if NVRTC is there; AMD code objects for HIP_ARCHITECTURES, if hipRTC is there; SPIR-V for Vulkan, if each kernel
# has a form for it. For one that is not there the build says what the file goes without.
#
# Other files (.cu, .hip) are given to ferry_add_texts().
#
# It runs ferry-embed, which is part of the package and is built with the project; when cross-compiling name one of
# the building machine in FERRY_EMBED_COMMAND.
function(ferry_add_kernels target)
    cmake_parse_arguments(arg "CHECK_OPENCL;GLOBAL_OFFSETS" "" "INCLUDE;DEFINES;OPTIONS;HIP_ARCHITECTURES" ${ARGN})
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels")
    file(MAKE_DIRECTORY "${folder}")
    foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
        get_filename_component(path "${file}" ABSOLUTE)
        get_filename_component(name "${file}" NAME)
        string(MAKE_C_IDENTIFIER "${name}" variable)
        string(REGEX REPLACE "[^A-Za-z0-9]" "_" variable "${variable}")
        if(name MATCHES "\\.cl$")
            get_target_property(others ${target} FERRY_KERNEL_VARIABLES)
            if(others AND variable IN_LIST others)
                message(FATAL_ERROR "ferry_add_kernels(${target}): '${file}' is kernels::${variable}, "
                                    "as another file of this target; rename one of them")
            endif()
            set_property(TARGET ${target} APPEND PROPERTY FERRY_KERNEL_VARIABLES ${variable})
            ferry_embed_opencl_c(${target} "${path}" "${name}" "${variable}" "${folder}")
            continue()
        endif()
        ferry_add_texts(${target} "${path}")
    endforeach()
    target_include_directories(${target} PRIVATE "${folder}")
endfunction()

# ferry_add_texts(TARGET FILE...): makes each file a header with its bytes, unchanged: saxpy.cu becomes "saxpy.cu.hpp"
# with the constant `kernels::saxpy_cu` of type std::string_view.
function(ferry_add_texts target)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels")
    foreach(file IN LISTS ARGN)
        get_filename_component(path "${file}" ABSOLUTE)
        get_filename_component(name "${file}" NAME)
        set(header "${folder}/${name}.hpp")
        add_custom_command(
            OUTPUT "${header}"
            COMMAND "${CMAKE_COMMAND}" "-DINPUT=${path}" "-DOUTPUT=${header}" "-DNAME=${name}"
                    -P "${FERRY_EMBED_SCRIPT}"
            DEPENDS "${path}" "${FERRY_EMBED_SCRIPT}"
            COMMENT "Embedding ${name}"
            VERBATIM)
        target_sources(${target} PRIVATE "${header}")
    endforeach()
    target_include_directories(${target} PRIVATE "${folder}")
endfunction()

# Appends what a generator expression stands for, which may be nothing or a list, each behind the option.
macro(ferry_embed_any words option expression)
    set(known "$<FILTER:$<1:${expression}>,INCLUDE,.>")
    set(any "$<NOT:$<STREQUAL:${known},>>")
    list(APPEND ${words} "$<${any}:${option}>"
        "$<${any}:$<JOIN:${known},$<SEMICOLON>${option}$<SEMICOLON>>>")
endmacro()

# The arguments, with generator expressions whole that hold a list: CMake takes them apart at its semicolons.
function(ferry_embed_words out)
    set(words "")
    set(open "")
    foreach(word IN LISTS ARGN)
        if(NOT "${open}" STREQUAL "")
            set(word "${open}$<SEMICOLON>${word}")
        endif()
        string(REGEX MATCHALL "\\$<|>" marks "${word}")
        set(depth 0)
        foreach(mark IN LISTS marks)
            if(NOT mark STREQUAL ">")
                math(EXPR depth "${depth} + 1")
            elseif(depth GREATER 0) # any other is a character as any
                math(EXPR depth "${depth} - 1")
            endif()
        endforeach()
        if(depth GREATER 0)
            set(open "${word}")
        else()
            set(open "")
            list(APPEND words "${word}")
        endif()
    endforeach()
    if(NOT "${open}" STREQUAL "")
        message(FATAL_ERROR "ferry_add_kernels: the generator expression '${open}' has no end")
    endif()
    set(${out} "${words}" PARENT_SCOPE)
endfunction()

# A list that has something in front of it would become several arguments.
function(ferry_embed_refuse_list kind word)
    if(word MATCHES "\\$<SEMICOLON>")
        string(REPLACE "$<SEMICOLON>" ";" word "${word}")
        message(FATAL_ERROR "ferry_add_kernels: '${word}' in ${kind} holds a list behind other text; begin it with `$<`, "
                            "and let each item be whole")
    endif()
endfunction()

# A part of ferry_add_kernels(), with its arguments.
function(ferry_embed_opencl_c target path name variable folder)
    if(FERRY_EMBED_COMMAND)
        set(command "${FERRY_EMBED_COMMAND}")
    elseif(TARGET ferry_embed)
        set(command ferry_embed)
    else()
        set(command ferry::ferry_embed)
    endif()
    set(levels base)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        set(levels v4 v3 base)
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64" AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
        set(levels sve2 sve base)
    endif()
    # Programs are linked from several targets, so the functions' names say whose they are.
    string(MD5 hash "${target} ${path} ${arg_DEFINES} ${arg_OPTIONS}")
    string(SUBSTRING "${hash}" 0 12 hash)
    set(words --folder "${folder}" --variable "${variable}" --symbol "ferry_kernels_${variable}_${hash}"
        --backend host --backend cuda --backend vulkan)
    foreach(level IN LISTS levels)
        list(APPEND words --host-level ${level})
    endforeach()
    ferry_embed_words(includes ${arg_INCLUDE})
    ferry_embed_words(defines ${arg_DEFINES})
    ferry_embed_words(options ${arg_OPTIONS})
    foreach(include IN LISTS includes)
        if(include MATCHES "^\\$<")
            ferry_embed_any(words -I "${include}")
            continue()
        endif()
        ferry_embed_refuse_list(INCLUDE "${include}")
        get_filename_component(include "${include}" ABSOLUTE)
        list(APPEND words -I "${include}")
    endforeach()
    foreach(define IN LISTS defines)
        if(define MATCHES "^\\$<")
            ferry_embed_any(words -D "${define}")
        else()
            ferry_embed_refuse_list(DEFINES "${define}")
            list(APPEND words -D "${define}")
        endif()
    endforeach()
    if(options)
        set(text "")
        foreach(option IN LISTS options)
            if(option MATCHES "\\$<")
                set(option "$<JOIN:$<1:${option}>, >")
            endif()
            string(APPEND text " ${option}") # an empty word would be dropped
        endforeach()
        list(APPEND words --options "${text}")
    endif()
    if(arg_HIP_ARCHITECTURES)
        list(APPEND words --backend hip)
    endif()
    foreach(architecture IN LISTS arg_HIP_ARCHITECTURES)
        list(APPEND words --arch ${architecture})
    endforeach()
    if(arg_GLOBAL_OFFSETS)
        list(APPEND words --global-offsets on)
    endif()
    if(arg_CHECK_OPENCL)
        list(APPEND words --backend opencl)
    endif()
    set(sources "${folder}/${name}.cpp")
    foreach(level IN LISTS levels)
        list(APPEND sources "${folder}/${name}.${level}.cpp")
    endforeach()
    add_custom_command(
        OUTPUT "${folder}/${name}.hpp" ${sources}
        COMMAND "${command}" "${path}" ${words} --depfile "${folder}/${name}.d"
        DEPENDS "${path}" ${command}
        DEPFILE "${folder}/${name}.d"
        COMMENT "Compiling the kernels of ${name}"
        COMMAND_EXPAND_LISTS
        VERBATIM)
    target_sources(${target} PRIVATE "${folder}/${name}.hpp" ${sources})
    # Each defines the same names in its unnamed namespace.
    set_source_files_properties("${folder}/${name}.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    # Kernels look at bytes as other types, as all OpenCL compilers let them, and mean the same whatever the target's own
    # code is compiled with.
    set(flags -w -O3 -std=c++20 -fsigned-char -fno-fast-math -fno-finite-math-only -fno-strict-aliasing
        -fno-math-errno -fno-trapping-math -ffp-contract=fast)
    foreach(level IN LISTS levels)
        set(own ${flags})
        if(level MATCHES "^sve")
            list(APPEND own -march=armv8.2-a+${level})
        elseif(NOT level STREQUAL base)
            list(APPEND own -march=x86-64-${level})
        endif()
        # Nothing of the target's comes in: what a header defines would be compiled for this level, and the linker
        # may take it for the whole program.
        set_source_files_properties("${folder}/${name}.${level}.cpp" PROPERTIES COMPILE_OPTIONS "${own}"
            SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
endfunction()

cmake_policy(POP)
