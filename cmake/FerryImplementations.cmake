# SPDX-License-Identifier: Apache-2.0
# Which vendor implementations this machine has, decided from files when the build is configured. A test that wants one
# of them gets the environment that shows it that one alone.
include_guard(GLOBAL)

# ferry_implementation(NAME BACKEND backend [EXPECT text] [ENVIRONMENT VAR=value...]): NAME is there.
# EXPECT is a part of the id, name or platform of a device that must be seen.
function(ferry_implementation name)
    cmake_parse_arguments(arg "" "BACKEND;EXPECT" "ENVIRONMENT" ${ARGN})
    set_property(GLOBAL APPEND PROPERTY FERRY_IMPLEMENTATIONS ${name})
    set_property(GLOBAL PROPERTY FERRY_${name}_BACKEND ${arg_BACKEND})
    set(environment "FERRY_BACKEND=${arg_BACKEND}" ${arg_ENVIRONMENT})
    if(arg_EXPECT)
        list(APPEND environment "FERRY_EXPECT_DEVICE=${arg_EXPECT}")
    endif()
    set_property(GLOBAL PROPERTY FERRY_${name}_ENVIRONMENT ${environment})
endfunction()

# An OpenCL driver alone: Debian's loader reads OCL_ICD_VENDORS, Khronos' (CUDA's toolkit ships it) OCL_ICD_FILENAMES.
function(ferry_opencl_implementation name library expect)
    set(folder "${PROJECT_BINARY_DIR}/icd/${name}")
    file(WRITE "${folder}/${name}.icd" "${library}\n")
    ferry_implementation(${name} BACKEND opencl EXPECT "${expect}"
        ENVIRONMENT "OCL_ICD_VENDORS=${folder}" "OCL_ICD_FILENAMES=${library}" ${ARGN})
endfunction()

# A discrete GPU that shares no memory with the host, by the answers of another driver.
function(ferry_opencl_gpu name library platform)
    if(TARGET ferry_opencl_machine_double)
        ferry_opencl_implementation(${name}-as-gpu "${library}" "${platform}"
            "FERRY_OPENCL_LIBRARY=$<TARGET_FILE:ferry_opencl_machine_double>"
            "FERRY_DOUBLE_OPENCL_ANSWERS=CL_DEVICE_TYPE=4,CL_DEVICE_SVM_CAPABILITIES=0x1,CL_DEVICE_HOST_UNIFIED_MEMORY=0"
            ${ARGN})
    endif()
endfunction()

# Machines that are not here: a processor's driver that answers as theirs do, and copies what they copy.
function(ferry_opencl_machines library)
    set(gpu CL_DEVICE_TYPE=4,CL_DEVICE_SVM_CAPABILITIES=0x1)
    set(intel "${gpu},CL_PLATFORM_NAME=Intel(R) OpenCL Graphics,CL_DEVICE_VENDOR=Intel(R) Corporation")
    string(APPEND intel ",CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL=0x3"
        ",CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL=0x3")
    set(discrete "${intel},CL_DEVICE_HOST_UNIFIED_MEMORY=0,CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL=0x1")
    set(as_igpu "${intel},CL_DEVICE_HOST_UNIFIED_MEMORY=1,CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL=0x3")
    set(as_dgpu "${discrete},CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL=0")
    set(as_system "${discrete},CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL=0xF")
    set(as_mali "${gpu},CL_PLATFORM_NAME=ARM Platform,CL_DEVICE_VENDOR=ARM,CL_DEVICE_HOST_UNIFIED_MEMORY=1")
    set(as_nvidia "${gpu},CL_PLATFORM_NAME=NVIDIA CUDA,CL_DEVICE_VENDOR=NVIDIA Corporation"
        ",CL_DEVICE_HOST_UNIFIED_MEMORY=0")
    list(JOIN as_nvidia "" as_nvidia)
    foreach(machine IN ITEMS igpu dgpu system mali nvidia)
        set(platform "Intel(R) OpenCL Graphics")
        if(machine STREQUAL "mali")
            set(platform "ARM Platform")
        elseif(machine STREQUAL "nvidia")
            set(platform "NVIDIA CUDA")
        endif()
        ferry_opencl_implementation(pocl-as-${machine} "${library}" "${platform}"
            "FERRY_OPENCL_LIBRARY=$<TARGET_FILE:ferry_opencl_machine_double>"
            "FERRY_DOUBLE_OPENCL_ANSWERS=${as_${machine}}")
    endforeach()
    # Still a processor's.
    ferry_opencl_implementation(pocl-as-shadow "${library}" "Portable Computing Language"
        "FERRY_OPENCL_LIBRARY=$<TARGET_FILE:ferry_opencl_machine_double>" FERRY_DOUBLE_LIE=shadow
        "FERRY_DOUBLE_OPENCL_ANSWERS=CL_DEVICE_SVM_CAPABILITIES=0")
endfunction()

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

# AMD's own HIP, ROCr and compiler on an emulated GPU. The emulator takes the place of libhsakmt.so.1 in the tests of this
# implementation alone, and speaks the interface of ROCm 5.2. Each allocation is one of the driver's, so that its end is known.
function(ferry_amd_emulated library)
    get_filename_component(real "${library}" REALPATH)
    if(FERRY_SANITIZE OR NOT real MATCHES "libamdhip64[.]so[.]5[.]2[.]")
        return()
    endif()
    set(path "$<TARGET_FILE_DIR:ferry_amd_gpu_double>")
    if(DEFINED ENV{LD_LIBRARY_PATH})
        string(APPEND path ":$ENV{LD_LIBRARY_PATH}")
    endif()
    ferry_implementation(amd-emulated BACKEND hip EXPECT "Emulated AMD GPU"
        ENVIRONMENT "FERRY_HIP_LIBRARY=${library}" "LD_LIBRARY_PATH=${path}" HSA_DISABLE_FRAGMENT_ALLOCATOR=1)
endfunction()

# The same below HIP 5.7 and ROCr 6.1, in a folder of unpacked packages with a C library of their own.
function(ferry_amd_emulated_57)
    set(folder "${FERRY_HIP57_DIR}/usr/lib/x86_64-linux-gnu")
    find_program(FERRY_PATCHELF patchelf DOC "Changes the loader of programs, for tests with unpacked libraries")
    mark_as_advanced(FERRY_PATCHELF)
    if(FERRY_SANITIZE OR NOT FERRY_PATCHELF OR NOT EXISTS "${folder}/libamdhip64.so.5")
        return()
    endif()
    set_property(GLOBAL PROPERTY FERRY_amd-emulated-5.7_LIBRARIES
        "$<TARGET_FILE_DIR:ferry_amd_gpu6_double>:${folder}" "${FERRY_HIP57_DIR}/usr/lib64/ld-linux-x86-64.so.2")
    ferry_implementation(amd-emulated-5.7 BACKEND hip EXPECT "Emulated AMD GPU"
        ENVIRONMENT "FERRY_HIP_LIBRARY=${folder}/libamdhip64.so.5" HSA_DISABLE_FRAGMENT_ALLOCATOR=1)
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

function(ferry_find_implementations)
    ferry_implementation(host BACKEND host EXPECT host)
    ferry_implementation(host-strict BACKEND host EXPECT ", strict" ENVIRONMENT "FERRY_HOST_MODE=strict")
    if(CMAKE_CROSSCOMPILING) # the building machine's drivers are for another processor
        return()
    endif()

    ferry_icd_library("pocl*.icd" library)
    if(library)
        ferry_opencl_implementation(pocl "${library}" "Portable Computing Language")
        if(TARGET ferry_opencl_12_double)
            ferry_opencl_implementation(pocl-1.2 "${library}" "Portable Computing Language"
                "FERRY_OPENCL_LIBRARY=$<TARGET_FILE:ferry_opencl_12_double>")
        endif()
        if(TARGET ferry_opencl_machine_double)
            ferry_opencl_machines("${library}")
        endif()
    endif()
    ferry_icd_library("rusticl.icd" library)
    if(library)
        ferry_opencl_implementation(rusticl "${library}" rusticl "RUSTICL_ENABLE=llvmpipe")
        ferry_opencl_gpu(rusticl "${library}" rusticl "RUSTICL_ENABLE=llvmpipe")
    endif()
    set(folder "${FERRY_INTEL_OCL_DIR}")
    if(NOT folder)
        set(folder "${PROJECT_SOURCE_DIR}/.deps/intelocl")
    endif()
    if(EXISTS "${folder}/lib/libintelocl.so")
        ferry_opencl_implementation(intel "${folder}/lib/libintelocl.so" "Intel(R) OpenCL")
        ferry_opencl_gpu(intel "${folder}/lib/libintelocl.so" "Intel(R) OpenCL")
        if(TARGET ferry_opencl_spirv_double)
            ferry_opencl_implementation(intel-spirv "${folder}/lib/libintelocl.so" "Intel(R) OpenCL"
                "FERRY_OPENCL_LIBRARY=$<TARGET_FILE:ferry_opencl_spirv_double>" "FERRY_CACHE_LIMIT=0")
        endif()
    endif()

    # Mesa's Vulkan driver for processors.
    file(GLOB icd "/usr/share/vulkan/icd.d/lvp_icd*.json" "/etc/vulkan/icd.d/lvp_icd*.json")
    if(icd)
        list(GET icd 0 icd)
        ferry_implementation(lavapipe BACKEND vulkan EXPECT llvmpipe
            ENVIRONMENT "VK_DRIVER_FILES=${icd}" "VK_ICD_FILENAMES=${icd}") # The second name is for older loaders.
    endif()

    file(GLOB nvidia "/dev/nvidia[0-9]*")
    if(nvidia)
        ferry_implementation(cuda BACKEND cuda EXPECT "cuda:0")
        file(GLOB icd "/etc/vulkan/icd.d/nvidia_icd*.json" "/usr/share/vulkan/icd.d/nvidia_icd*.json"
            "/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd*.json")
        if(icd)
            list(GET icd 0 icd)
            ferry_implementation(nvidia-vulkan BACKEND vulkan EXPECT NVIDIA
                ENVIRONMENT "VK_DRIVER_FILES=${icd}" "VK_ICD_FILENAMES=${icd}")
        endif()
        ferry_icd_library("nvidia*.icd" library)
        if(NOT library AND "$ENV{OCL_ICD_FILENAMES}" MATCHES "[^:]*libnvidia-opencl[^:]*")
            set(library "${CMAKE_MATCH_0}") # no .icd file: the loader is told by its variable
        endif()
        if(library)
            ferry_opencl_implementation(nvidia-opencl "${library}" "NVIDIA CUDA")
        endif()
    endif()

    find_library(FERRY_AMD_HIP_LIBRARY NAMES libamdhip64.so.7 libamdhip64.so.6 libamdhip64.so.5
        PATHS /opt/rocm/lib DOC "AMD's HIP runtime, for the tests")
    find_library(FERRY_AMD_HIPRTC_LIBRARY
        NAMES libhiprtc.so.7 libhiprtc.so.6 libhiprtc.so.5 libamdhip64.so.6 libamdhip64.so.5
        PATHS /opt/rocm/lib DOC "AMD's run-time compiler, for the tests")
    mark_as_advanced(FERRY_AMD_HIP_LIBRARY FERRY_AMD_HIPRTC_LIBRARY)
    if(FERRY_AMD_HIP_LIBRARY)
        set(environment "FERRY_HIP_LIBRARY=${FERRY_AMD_HIP_LIBRARY}")
        if(EXISTS /dev/kfd)
            ferry_implementation(hip BACKEND hip EXPECT "hip:0" ENVIRONMENT ${environment})
        else()
            ferry_implementation(amd-no-device BACKEND hip ENVIRONMENT ${environment})
        endif()
    endif()
    if(TARGET ferry_amd_gpu_double AND FERRY_AMD_HIP_LIBRARY)
        ferry_amd_emulated("${FERRY_AMD_HIP_LIBRARY}")
    endif()
    if(TARGET ferry_amd_gpu6_double)
        ferry_amd_emulated_57()
    endif()
    if(FERRY_AMD_HIPRTC_LIBRARY)
        ferry_implementation(hiprtc BACKEND hip ENVIRONMENT "FERRY_HIPRTC_LIBRARY=${FERRY_AMD_HIPRTC_LIBRARY}")
    endif()

    # The stand-ins of tests/doubles: the same library holds the runtime and the run-time compiler.
    if(TARGET ferry_hip_cpu_double)
        set(library "$<TARGET_FILE:ferry_hip_cpu_double>")
        ferry_implementation(hip-cpu-double BACKEND hip EXPECT "hip:0"
            ENVIRONMENT "FERRY_HIP_LIBRARY=${library}" "FERRY_HIPRTC_LIBRARY=${library}")
        # Those of other versions: hipRTC is found as ROCm has it, in the runtime or in a library beside it.
        foreach(abi IN ITEMS 5 7)
            ferry_implementation(hip-cpu${abi}-double BACKEND hip EXPECT "hip:0"
                ENVIRONMENT "FERRY_HIP_LIBRARY=$<TARGET_FILE:ferry_hip_cpu${abi}_double>")
        endforeach()
        ferry_implementation(hip-old-double BACKEND hip EXPECT "hip:0"
            ENVIRONMENT "FERRY_HIP_LIBRARY=$<TARGET_FILE:ferry_hip_old_double>")
    endif()
    if(TARGET ferry_cuda_cpu_double)
        set(library "$<TARGET_FILE:ferry_cuda_cpu_double>")
        ferry_implementation(cuda-cpu-double BACKEND cuda EXPECT "cuda:0"
            ENVIRONMENT "FERRY_CUDA_LIBRARY=${library}" "FERRY_NVRTC_LIBRARY=${library}")
    endif()
    if(TARGET ferry_hip_on_cuda_double AND nvidia)
        set(library "$<TARGET_FILE:ferry_hip_on_cuda_double>")
        ferry_implementation(hip-on-cuda BACKEND hip EXPECT "hip:0"
            ENVIRONMENT "FERRY_HIP_LIBRARY=${library}" "FERRY_HIPRTC_LIBRARY=${library}")
    endif()

    get_property(found GLOBAL PROPERTY FERRY_IMPLEMENTATIONS)
    list(JOIN found ", " text)
    message(STATUS "Ferry tests: implementations found: ${text}")
    ferry_require_implementations("${found}")
endfunction()

function(ferry_require_implementations found)
    set(how_pocl "apt-get install pocl-opencl-icd")
    set(how_rusticl "apt-get install mesa-opencl-icd")
    set(how_lavapipe "apt-get install libvulkan1 mesa-vulkan-drivers")
    set(how_intel "run tests/run, or name its folder with FERRY_INTEL_OCL_DIR")
    set(how_amd-no-device "apt-get install libamdhip64-5 (and no AMD GPU in the machine)")
    set(how_amd-emulated "apt-get install libamdhip64-5 libhiprtc-builtins5 libhsakmt-dev libhsa-runtime-dev")
    set(how_amd-emulated-5.7 "unpack its packages (docs/testing.md), or name their folder with FERRY_HIP57_DIR")
    set(how_hiprtc "apt-get install libamdhip64-5")
    set(how_hip-cpu-double "it is built from tests/doubles with FERRY_BUILD_TESTS")
    set(how_cuda-cpu-double "it is built from tests/doubles with FERRY_BUILD_TESTS")
    set(how_intel-spirv "run tests/run; it is Intel's runtime behind a library of tests/doubles")
    set(how_hip-on-cuda "it is built from tests/doubles where an NVIDIA GPU is")
    set(how_cuda "an NVIDIA GPU and its driver")
    set(how_nvidia-vulkan "an NVIDIA GPU, its driver with nvidia_icd.json, and libvulkan1")
    set(how_nvidia-opencl "an NVIDIA GPU, its driver and /etc/OpenCL/vendors/nvidia.icd")
    set(missing "")
    foreach(name IN LISTS FERRY_REQUIRE_IMPLEMENTATIONS)
        if(FERRY_SANITIZE AND name MATCHES "^amd-emulated") # AMD's libraries are not instrumented
            continue()
        endif()
        if(NOT name IN_LIST found)
            string(APPEND missing "\n  ${name}: ${how_${name}}")
        endif()
    endforeach()
    if(missing)
        message(FATAL_ERROR "FERRY_REQUIRE_IMPLEMENTATIONS names implementations that this machine lacks:${missing}")
    endif()
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
    endforeach()
endfunction()

# ferry_opencl_for_tests(OUT): an OpenCL implementation that is here, for tests that need one and do not mind which.
function(ferry_opencl_for_tests out)
    get_property(found GLOBAL PROPERTY FERRY_IMPLEMENTATIONS)
    foreach(name IN ITEMS pocl intel nvidia-opencl rusticl)
        if(name IN_LIST found)
            set(${out} ${name} PARENT_SCOPE)
            return()
        endif()
    endforeach()
    message(FATAL_ERROR "The tests need an OpenCL implementation, and this machine has none that they know: "
        "apt-get install pocl-opencl-icd.")
endfunction()

# ferry_long_on(PATTERN IMPLEMENTATION OUT): sets OUT to the label "long" if PATTERN matches the implementation, else to
# nothing. CI runs what is not long (-LE long): where a device costs much and shows little more, -L long asks it.
function(ferry_long_on pattern implementation out)
    set(${out} "" PARENT_SCOPE)
    if(implementation MATCHES "^(${pattern})$")
        set(${out} long PARENT_SCOPE)
    endif()
endfunction()
