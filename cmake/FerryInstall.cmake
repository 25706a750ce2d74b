# SPDX-License-Identifier: Apache-2.0
# The package may be moved after it is installed: nothing in it holds an absolute path.
include(CMakePackageConfigHelpers)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/ferry")

install(TARGETS ferry ferry_static ferry_embed EXPORT ferry
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT development
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/api/ferry" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(EXPORT ferry FILE ferryTargets.cmake NAMESPACE ferry:: DESTINATION "${package_folder}"
    COMPONENT development)

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/ferryConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/ferryConfig.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ferryConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/ferryConfig.cmake"
    "${PROJECT_BINARY_DIR}/ferryConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FerryAddKernels.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FerryEmbed.cmake"
    DESTINATION "${package_folder}" COMPONENT development)

file(RELATIVE_PATH FERRY_PC_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/ferry.pc.in" "${PROJECT_BINARY_DIR}/ferry.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/ferry.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

if(TARGET ferry_cli)
    file(RELATIVE_PATH up "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(ferry_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${up}")
    install(TARGETS ferry_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
endif()
