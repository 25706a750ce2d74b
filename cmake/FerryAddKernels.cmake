# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
set(FERRY_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/FerryEmbed.cmake" CACHE INTERNAL "")

# ferry_add_kernels(TARGET FILE...): makes each file a header that TARGET may include. saxpy.cl becomes
# "saxpy.cl.hpp" with `namespace kernels { inline constexpr std::string_view saxpy_cl = ...; }`: the file's bytes,
# unchanged, whatever they are. In the variable's name every character other than a letter or a digit is `_`.
# The header is written again when the file changes.
function(ferry_add_kernels target)
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
