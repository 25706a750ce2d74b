# SPDX-License-Identifier: Apache-2.0
# The implementations that tests run on: drivers and libraries of this machine, and the stand-ins of tests/doubles. One row
# for each (ferry_implementation() in cmake/FerryImplementations.cmake); cmake/FerryVendorLibraries.cmake sets the variables.
#
# suite               tests
# any_opencl          one OpenCL implementation is enough: the first in this table
# bench               bench.measuring.*
# c, c_python           the C interface; from Python
# conformance         all of the conformance tests
# with_host           the conformance tests of two backends, this one and host
# staging             the conformance tests of copies, with staged copies
# exit, stress        the end of the process; many threads
# heap                allocations of a warm process
# heat, mpi           messages between ranks: the sample, the tests
# kernels_*           the kernel language
# kokkos              Ferry's memory in Kokkos
# libraries           samples with vendors' libraries for OpenCL
# races, wrong        the race check: no report of correct programs; reports of wrong ones
# samples             the whole suite of samples; samples_races: with the race check
# stress_host         several backends under load
# strict_host         the conformance tests of shares, together with the strict host device
# trace, trace_staged traces
# trial               measurements in a child process; all but host, which has its own

# -- The processor ----------------------------------------------------------------------------------------------------------
ferry_implementation(host BACKEND host EXPECT host
    SUITES c c_python conformance exit heap kernels_builtin kernels_corpus kernels_random kokkos races:long samples samples_races
        staging stress trace wrong)
ferry_implementation(host-strict BACKEND host EXPECT ", strict" ENVIRONMENT FERRY_HOST_MODE=strict
    SUITES bench c conformance kokkos races:long samples:ci samples_races:long trial:long wrong)

# -- OpenCL -----------------------------------------------------------------------------------------------------------------
ferry_implementation(pocl BACKEND opencl EXPECT "Portable Computing Language" NEEDS pocl OPENCL "${pocl}"
    INSTALL "apt-get install pocl-opencl-icd"
    SUITES any_opencl bench c c_python conformance exit heap heat kernels_builtin:long kernels_corpus:long kernels_random kokkos
        libraries mpi races:ci samples samples_races:ci staging stress stress_host strict_host trace trace_staged trial
        with_host wrong)
ferry_implementation(intel REPEATS pocl BACKEND opencl EXPECT "Intel(R) OpenCL" NEEDS intel OPENCL "${intel}"
    INSTALL "run tests/run, or name its folder with FERRY_INTEL_OCL_DIR"
    SUITES any_opencl bench c c_python conformance exit heap heat kernels_builtin:long kernels_corpus kokkos
        libraries mpi races:long samples samples_races:long staging stress stress_host trace trial:long with_host wrong)
ferry_implementation(nvidia-opencl BACKEND opencl EXPECT "NVIDIA CUDA" NEEDS nvidia_opencl OPENCL "${nvidia_opencl}"
    INSTALL "an NVIDIA GPU, its driver and /etc/OpenCL/vendors/nvidia.icd"
    SUITES any_opencl bench c c_python conformance exit heap kernels_builtin kernels_corpus kernels_random kokkos libraries mpi
        races samples samples_races staging stress trace trial with_host wrong)
# Its compiler takes 6 s. With some programs in some orders, Mesa 22.3 ends the process (a panic in its program.rs, a crash
# in its compiler).
ferry_implementation(rusticl REPEATS pocl BACKEND opencl EXPECT rusticl NEEDS rusticl OPENCL "${rusticl}"
    ENVIRONMENT RUSTICL_ENABLE=llvmpipe INSTALL "apt-get install mesa-opencl-icd"
    SUITES any_opencl c c_python conformance exit:long heap:long kernels_builtin:long kernels_corpus:long kernels_random:long
        kokkos libraries mpi races:long samples samples_races:long staging:long stress stress_host:long trace trial:long
        with_host wrong)
# SPIR-V instead of text.
ferry_implementation(intel-spirv REPEATS pocl BACKEND opencl EXPECT "Intel(R) OpenCL" NEEDS intel ferry_opencl_spirv_double
    OPENCL "${intel}" ENVIRONMENT "FERRY_OPENCL_LIBRARY=$<TARGET_FILE:ferry_opencl_spirv_double>" FERRY_CACHE_LIMIT=0
    INSTALL "run tests/run; it is Intel's runtime behind a library of tests/doubles"
    SUITES kernels_builtin:long)
ferry_implementation(pocl-1.2 REPEATS pocl BACKEND opencl EXPECT "Portable Computing Language" NEEDS pocl ferry_opencl_12_double
    OPENCL "${pocl}" ENVIRONMENT "FERRY_OPENCL_LIBRARY=$<TARGET_FILE:ferry_opencl_12_double>")

# Machines that are not here: a processor's driver that answers as theirs do, and copies the memory that they copy.
# ferry_opencl_machine(NAME DRIVER PLATFORM ANSWERS argument...)
function(ferry_opencl_machine name driver platform answers)
    cmake_parse_arguments(arg "" "" "SUITES;ENVIRONMENT" ${ARGN})
    ferry_implementation(${name} REPEATS pocl BACKEND opencl EXPECT "${platform}" NEEDS ${driver} ferry_opencl_machine_double
        OPENCL "${${driver}}" SUITES ${arg_SUITES}
        ENVIRONMENT "FERRY_OPENCL_LIBRARY=$<TARGET_FILE:ferry_opencl_machine_double>"
            "FERRY_DOUBLE_OPENCL_ANSWERS=${answers}" ${arg_ENVIRONMENT})
endfunction()
set(gpu "CL_DEVICE_TYPE=4,CL_DEVICE_SVM_CAPABILITIES=0x1")
set(discrete "CL_DEVICE_HOST_UNIFIED_MEMORY=0")
string(CONCAT of_intel "${gpu},CL_PLATFORM_NAME=Intel(R) OpenCL Graphics,CL_DEVICE_VENDOR=Intel(R) Corporation"
    ",CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL=0x3,CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL=0x3")
set(of_intel_discrete "${of_intel},${discrete},CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL=0x1")
ferry_opencl_machine(pocl-as-igpu pocl "Intel(R) OpenCL Graphics"
    "${of_intel},CL_DEVICE_HOST_UNIFIED_MEMORY=1,CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL=0x3")
ferry_opencl_machine(pocl-as-dgpu pocl "Intel(R) OpenCL Graphics"
    "${of_intel_discrete},CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL=0")
ferry_opencl_machine(pocl-as-system pocl "Intel(R) OpenCL Graphics"
    "${of_intel_discrete},CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL=0xF")
ferry_opencl_machine(pocl-as-mali pocl "ARM Platform"
    "${gpu},CL_PLATFORM_NAME=ARM Platform,CL_DEVICE_VENDOR=ARM,CL_DEVICE_HOST_UNIFIED_MEMORY=1")
ferry_opencl_machine(pocl-as-nvidia pocl "NVIDIA CUDA"
    "${gpu},CL_PLATFORM_NAME=NVIDIA CUDA,CL_DEVICE_VENDOR=NVIDIA Corporation,${discrete}" SUITES heap)
# Still a processor's.
ferry_opencl_machine(pocl-as-shadow pocl "Portable Computing Language" CL_DEVICE_SVM_CAPABILITIES=0
    ENVIRONMENT FERRY_DOUBLE_LIE=shadow)
# Discrete GPUs that share no memory with the host.
ferry_opencl_machine(intel-as-gpu intel "Intel(R) OpenCL" "${gpu},${discrete}")
ferry_opencl_machine(rusticl-as-gpu rusticl rusticl "${gpu},${discrete}" ENVIRONMENT RUSTICL_ENABLE=llvmpipe)

# -- Vulkan. The second name of the variable is for older loaders -------------------------------------------------------------
ferry_implementation(lavapipe BACKEND vulkan EXPECT llvmpipe NEEDS lavapipe
    ENVIRONMENT "VK_DRIVER_FILES=${lavapipe}" "VK_ICD_FILENAMES=${lavapipe}"
    INSTALL "apt-get install libvulkan1 mesa-vulkan-drivers"
    SUITES conformance exit heap kernels_builtin:long kernels_random samples stress trace)
# Behind a library that splits modules, because of a fault of the layer. tests/validation runs programs on it.
ferry_implementation(lavapipe-validated BACKEND vulkan EXPECT llvmpipe
    NEEDS lavapipe vulkan_validation ferry_vulkan_double
    ENVIRONMENT "VK_DRIVER_FILES=${lavapipe}" "VK_ICD_FILENAMES=${lavapipe}"
        "FERRY_VULKAN_LIBRARY=$<TARGET_FILE:ferry_vulkan_double>" FERRY_DOUBLE_VULKAN_MODULES=entries
    INSTALL "apt-get install vulkan-validationlayers")
# Machines that are not here (tests/doubles/vulkan/machine.cpp).
foreach(machine IN ITEMS discrete resizable-bar many-queues small-limits)
    ferry_implementation(lavapipe-as-${machine} BACKEND vulkan EXPECT llvmpipe NEEDS lavapipe ferry_vulkan_double
        ENVIRONMENT "VK_DRIVER_FILES=${lavapipe}" "VK_ICD_FILENAMES=${lavapipe}"
            "FERRY_VULKAN_LIBRARY=$<TARGET_FILE:ferry_vulkan_double>" FERRY_DOUBLE_VULKAN_MACHINE=${machine})
endforeach()
ferry_implementation(nvidia-vulkan BACKEND vulkan EXPECT NVIDIA NEEDS nvidia_vulkan
    ENVIRONMENT "VK_DRIVER_FILES=${nvidia_vulkan}" "VK_ICD_FILENAMES=${nvidia_vulkan}"
    INSTALL "an NVIDIA GPU, its driver with nvidia_icd.json, and libvulkan1"
    SUITES conformance exit heap kernels_builtin kernels_corpus kernels_random samples stress trace)

# -- CUDA and HIP -----------------------------------------------------------------------------------------------------------
ferry_implementation(cuda BACKEND cuda EXPECT "cuda:0" NEEDS nvidia
    INSTALL "an NVIDIA GPU and its driver"
    SUITES bench c c_python conformance exit heap heat kernels_builtin kernels_corpus kernels_random kokkos mpi races samples
        samples_races staging stress stress_host strict_host trace trace_staged trial with_host wrong)
ferry_implementation(hip BACKEND hip EXPECT "hip:0" NEEDS amd_device ENVIRONMENT "FERRY_HIP_LIBRARY=${amd_device}"
    INSTALL "an AMD GPU, its driver and ROCm"
    SUITES bench c conformance exit heap kernels_builtin kernels_corpus kernels_random kokkos races samples samples_races
        staging stress trace trial with_host wrong)
ferry_implementation(amd-no-device BACKEND hip NEEDS amd_no_device ENVIRONMENT "FERRY_HIP_LIBRARY=${amd_no_device}"
    INSTALL "apt-get install libamdhip64-5 (and no AMD GPU in the machine)")
ferry_implementation(hiprtc BACKEND hip NEEDS FERRY_AMD_HIPRTC_LIBRARY
    ENVIRONMENT "FERRY_HIPRTC_LIBRARY=${FERRY_AMD_HIPRTC_LIBRARY}" INSTALL "apt-get install libamdhip64-5")

# AMD's own HIP, ROCr and compiler on an emulated GPU. Each allocation is one of the driver's, so that its end is known.
set(path "$<TARGET_FILE_DIR:ferry_amd_gpu_double>")
if(DEFINED ENV{LD_LIBRARY_PATH})
    string(APPEND path ":$ENV{LD_LIBRARY_PATH}")
endif()
ferry_implementation(amd-emulated REPEATS hip-cpu-double BACKEND hip EXPECT "Emulated AMD GPU" NEEDS amd_5_2 ferry_amd_gpu_double
    ENVIRONMENT "FERRY_HIP_LIBRARY=${amd_5_2}" "LD_LIBRARY_PATH=${path}" HSA_DISABLE_FRAGMENT_ALLOCATOR=1
    INSTALL "apt-get install libamdhip64-5 libhiprtc-builtins5 libhsakmt-dev libhsa-runtime-dev"
    SUITES c kernels_corpus stress)
ferry_implementation(amd-emulated-5.7 REPEATS hip-cpu-double BACKEND hip EXPECT "Emulated AMD GPU" NEEDS amd_5_7 ferry_amd_gpu6_double
    LIBRARIES "$<TARGET_FILE_DIR:ferry_amd_gpu6_double>:${amd_5_7}" "${FERRY_HIP57_DIR}/usr/lib64/ld-linux-x86-64.so.2"
    ENVIRONMENT "FERRY_HIP_LIBRARY=${amd_5_7}/libamdhip64.so.5" HSA_DISABLE_FRAGMENT_ALLOCATOR=1
    INSTALL "unpack its packages (docs/testing.md), or name their folder with FERRY_HIP57_DIR"
    SUITES kernels_corpus:long)

# The stand-ins of tests/doubles. One library has the runtime and the run-time compiler.
ferry_implementation(hip-cpu-double BACKEND hip EXPECT "hip:0" NEEDS ferry_hip_cpu_double
    ENVIRONMENT "FERRY_HIP_LIBRARY=$<TARGET_FILE:ferry_hip_cpu_double>"
        "FERRY_HIPRTC_LIBRARY=$<TARGET_FILE:ferry_hip_cpu_double>"
    INSTALL "it is built from tests/doubles with FERRY_BUILD_TESTS"
    SUITES bench c c_python conformance exit heap heat kernels_builtin:long kernels_corpus kokkos mpi races:long
        samples:ci samples_races:long staging stress stress_host strict_host trace trace_staged trial with_host wrong)
# Those of other versions: hipRTC is found as ROCm has it, in the runtime or in a library beside it.
ferry_implementation(hip-cpu5-double REPEATS hip-cpu-double BACKEND hip EXPECT "hip:0" NEEDS ferry_hip_cpu_double
    ENVIRONMENT "FERRY_HIP_LIBRARY=$<TARGET_FILE:ferry_hip_cpu5_double>")
ferry_implementation(hip-cpu7-double REPEATS hip-cpu-double BACKEND hip EXPECT "hip:0" NEEDS ferry_hip_cpu_double
    ENVIRONMENT "FERRY_HIP_LIBRARY=$<TARGET_FILE:ferry_hip_cpu7_double>")
ferry_implementation(hip-old-double REPEATS hip-cpu-double BACKEND hip EXPECT "hip:0" NEEDS ferry_hip_cpu_double
    ENVIRONMENT "FERRY_HIP_LIBRARY=$<TARGET_FILE:ferry_hip_old_double>")
ferry_implementation(cuda-cpu-double BACKEND cuda EXPECT "cuda:0" NEEDS ferry_cuda_cpu_double
    ENVIRONMENT "FERRY_CUDA_LIBRARY=$<TARGET_FILE:ferry_cuda_cpu_double>"
        "FERRY_NVRTC_LIBRARY=$<TARGET_FILE:ferry_cuda_cpu_double>"
    INSTALL "it is built from tests/doubles with FERRY_BUILD_TESTS")
ferry_implementation(hip-on-cuda BACKEND hip EXPECT "hip:0" NEEDS nvidia ferry_hip_on_cuda_double
    ENVIRONMENT "FERRY_HIP_LIBRARY=$<TARGET_FILE:ferry_hip_on_cuda_double>"
        "FERRY_HIPRTC_LIBRARY=$<TARGET_FILE:ferry_hip_on_cuda_double>"
    INSTALL "it is built from tests/doubles where an NVIDIA GPU is"
    SUITES bench c conformance exit heap kernels_builtin:long kernels_corpus kernels_random races samples samples_races
        staging stress trace trial with_host wrong)
