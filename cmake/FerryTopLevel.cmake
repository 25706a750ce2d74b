# SPDX-License-Identifier: Apache-2.0
# What only the project that is built, never one that embeds Ferry, may decide.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

foreach(kind RUNTIME LIBRARY ARCHIVE)
    if(NOT CMAKE_${kind}_OUTPUT_DIRECTORY)
        set(folder lib)
        if(kind STREQUAL "RUNTIME")
            set(folder bin)
        endif()
        set(CMAKE_${kind}_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}")
    endif()
endforeach()

find_program(FERRY_CCACHE ccache)
mark_as_advanced(FERRY_CCACHE)
if(FERRY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${FERRY_CCACHE}")
endif()
