# SPDX-License-Identifier: Apache-2.0
# Finds the drivers and vendor libraries of this machine, from files, when the build is configured.
include_guard(GLOBAL)

# The library that the first matching file of OpenCL's loader names.
function(ferry_icd_library pattern out)
    file(GLOB files "/etc/OpenCL/vendors/${pattern}")
    set(${out} "" PARENT_SCOPE)
    if(files)
        list(GET files 0 file)
        file(READ "${file}" library)
        string(STRIP "${library}" library)
        set(${out} "${library}" PARENT_SCOPE)
    endif()
endfunction()

# The first file that matches one of the patterns.
function(ferry_first_file out)
    file(GLOB files ${ARGN})
    set(first "")
    if(files)
        list(GET files 0 first)
    endif()
    set(${out} "${first}" PARENT_SCOPE)
endfunction()

# Sets the variables that the rows of tests/implementations.cmake name. Each is a file, or empty.
macro(ferry_find_vendor_libraries)
    set(pocl "")
    set(rusticl "")
    set(intel "")
    set(lavapipe "")
    set(vulkan_validation "")
    set(nvidia "")
    set(nvidia_vulkan "")
    set(nvidia_opencl "")
    set(amd_device "")
    set(amd_no_device "")
    set(amd_5_2 "")
    set(amd_5_7 "")
    if(NOT CMAKE_CROSSCOMPILING) # the building machine's drivers are for another processor
        ferry_find_opencl_drivers()
        ferry_find_nvidia()
        ferry_find_amd()
    endif()
endmacro()

macro(ferry_find_opencl_drivers)
    ferry_icd_library("pocl*.icd" pocl)
    ferry_icd_library("rusticl.icd" rusticl)
    set(folder "${FERRY_INTEL_OCL_DIR}")
    if(NOT folder)
        set(folder "${PROJECT_SOURCE_DIR}/.deps/intelocl")
    endif()
    if(EXISTS "${folder}/lib/libintelocl.so")
        set(intel "${folder}/lib/libintelocl.so")
    endif()
    # Mesa's Vulkan driver for processors.
    ferry_first_file(lavapipe "/usr/share/vulkan/icd.d/lvp_icd*.json" "/etc/vulkan/icd.d/lvp_icd*.json")
    ferry_first_file(vulkan_validation "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"
        "/etc/vulkan/explicit_layer.d/VkLayer_khronos_validation.json")
endmacro()

macro(ferry_find_nvidia)
    ferry_first_file(nvidia "/dev/nvidia[0-9]*")
    if(nvidia)
        ferry_first_file(nvidia_vulkan "/etc/vulkan/icd.d/nvidia_icd*.json" "/usr/share/vulkan/icd.d/nvidia_icd*.json"
            "/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd*.json")
        ferry_icd_library("nvidia*.icd" nvidia_opencl)
        if(NOT nvidia_opencl AND "$ENV{OCL_ICD_FILENAMES}" MATCHES "[^:]*libnvidia-opencl[^:]*")
            set(nvidia_opencl "${CMAKE_MATCH_0}") # no .icd file: the loader is told by its variable
        endif()
    endif()
endmacro()

macro(ferry_find_amd)
    find_library(FERRY_AMD_HIP_LIBRARY NAMES libamdhip64.so.7 libamdhip64.so.6 libamdhip64.so.5
        PATHS /opt/rocm/lib DOC "AMD's HIP runtime, for the tests")
    find_library(FERRY_AMD_HIPRTC_LIBRARY
        NAMES libhiprtc.so.7 libhiprtc.so.6 libhiprtc.so.5 libamdhip64.so.6 libamdhip64.so.5
        PATHS /opt/rocm/lib DOC "AMD's run-time compiler, for the tests")
    find_program(FERRY_PATCHELF patchelf DOC "Changes the loader of programs, for tests with unpacked libraries")
    mark_as_advanced(FERRY_AMD_HIP_LIBRARY FERRY_AMD_HIPRTC_LIBRARY FERRY_PATCHELF)
    if(FERRY_AMD_HIP_LIBRARY AND EXISTS /dev/kfd)
        set(amd_device "${FERRY_AMD_HIP_LIBRARY}")
    elseif(FERRY_AMD_HIP_LIBRARY)
        set(amd_no_device "${FERRY_AMD_HIP_LIBRARY}")
    endif()
    # The emulator takes the place of libhsakmt.so.1 in the tests of its implementation alone, and has the interface of
    # ROCm 5.2. AMD's libraries are not instrumented.
    if(FERRY_AMD_HIP_LIBRARY AND NOT FERRY_SANITIZE)
        get_filename_component(real "${FERRY_AMD_HIP_LIBRARY}" REALPATH)
        if(real MATCHES "libamdhip64[.]so[.]5[.]2[.]")
            set(amd_5_2 "${FERRY_AMD_HIP_LIBRARY}")
        endif()
    endif()
    # HIP 5.7 and ROCr 6.1, in a folder of unpacked packages with a C library of their own.
    if(FERRY_PATCHELF AND NOT FERRY_SANITIZE AND EXISTS "${FERRY_HIP57_DIR}/usr/lib/x86_64-linux-gnu/libamdhip64.so.5")
        set(amd_5_7 "${FERRY_HIP57_DIR}/usr/lib/x86_64-linux-gnu")
    endif()
endmacro()
