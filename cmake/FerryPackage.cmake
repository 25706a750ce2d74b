# SPDX-License-Identifier: Apache-2.0
# Debian packages: `cpack -G DEB` in the build folder. docs/packaging.md.
get_target_property(soversion ferry SOVERSION)
set(runtime_package "libferry${soversion}")

set(CPACK_PACKAGE_NAME ferry)
set(CPACK_PACKAGE_VENDOR "The Ferry authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(FERRY_PACKAGE_CONTACT "The Ferry authors <ferry@localhost>" CACHE STRING
    "Name and address that the packages give as their maintainer")
set(CPACK_PACKAGE_CONTACT "${FERRY_PACKAGE_CONTACT}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development)
if(TARGET ferry_cli)
    list(APPEND CPACK_COMPONENTS_ALL tools)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
# The libraries that a file needs, by name and version; those of vendors are opened at run time and are not among them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")

set(same_version "${runtime_package} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
    "${PROJECT_DESCRIPTION}\n The shared library. It opens the drivers of the machine at run time and needs none of them.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME "${runtime_package}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS ocl-icd-libopencl1)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "${PROJECT_DESCRIPTION}\n Headers for C++ and C, the static library, the CMake package, pkg-config and ferry-embed.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libferry-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${same_version}")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
    "${PROJECT_DESCRIPTION}\n The ferry command: what the machine has, measured and explained.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME ferry)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${same_version}")

set(packages "${runtime_package}" libferry-dev ferry)
foreach(component package IN ZIP_LISTS CPACK_COMPONENTS_ALL packages)
    install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package}"
        RENAME copyright COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()

include(CPack)
