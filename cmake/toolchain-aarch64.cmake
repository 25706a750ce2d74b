# SPDX-License-Identifier: Apache-2.0
# Cross-builds for ARM64 Linux with Debian's compiler; tests run with qemu-user:
#   apt-get install g++-aarch64-linux-gnu qemu-user
# The compiler brings the C and C++ libraries. All other dependencies are headers, which do not depend on the machine.
# Copies of the building machine's go into a folder of their own, because /usr/include also holds the C library's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;/usr/aarch64-linux-gnu")

get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-root" ABSOLUTE)

# ferry_cross_headers(PACKAGE TARGET [FILE...] [DEFINES name...]): makes find_package(PACKAGE) define TARGET with the
# headers alone. FILE is in /usr/include.
function(ferry_cross_headers package target)
    cmake_parse_arguments(arg "" "" "DEFINES" ${ARGN})
    foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
        file(COPY "/usr/include/${file}" DESTINATION "${root}/usr/include" FOLLOW_SYMLINK_CHAIN)
    endforeach()
    file(WRITE "${root}/usr/lib/cmake/${package}/${package}Config.cmake" "
set(${package}_FOUND TRUE)
if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED)
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES \"${root}/usr/include\"
        INTERFACE_COMPILE_DEFINITIONS \"${arg_DEFINES}\")
endif()
")
endfunction()

if(NOT EXISTS "${root}/complete")
    file(COPY /usr/include/CL /usr/include/xxhash.h DESTINATION "${root}/usr/include")
    ferry_cross_headers(doctest doctest::doctest doctest)
    ferry_cross_headers(CLI11 CLI11::CLI11 CLI)
    ferry_cross_headers(nlohmann_json nlohmann_json::nlohmann_json nlohmann)
    ferry_cross_headers(fmt fmt::fmt fmt DEFINES FMT_HEADER_ONLY)
    # Without the library, so the samples that read or write pictures do not link.
    ferry_cross_headers(PNG PNG::PNG png.h pngconf.h pnglibconf.h)
    file(TOUCH "${root}/complete")
endif()

set(CMAKE_FIND_PACKAGE_PREFER_CONFIG ON)
set(CMAKE_FIND_ROOT_PATH "${root}" /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
