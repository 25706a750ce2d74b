# SPDX-License-Identifier: Apache-2.0

# ferry_read_version(HEADER OUT): "1.2.3" from the FERRY_VERSION_* macros, the one place where the version stands.
function(ferry_read_version header out)
    file(STRINGS "${header}" lines REGEX "^#define FERRY_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
    foreach(part MAJOR MINOR PATCH)
        if(NOT lines MATCHES "FERRY_VERSION_${part} +([0-9]+)")
            message(FATAL_ERROR "${header} does not define FERRY_VERSION_${part} as a number.")
        endif()
        list(APPEND version "${CMAKE_MATCH_1}")
    endforeach()
    list(JOIN version "." version)
    set(${out} "${version}" PARENT_SCOPE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
endfunction()
