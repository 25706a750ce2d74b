# SPDX-License-Identifier: Apache-2.0
# Which parts of the conformance tests run again under other conditions. ferry_add_conformance() runs all of them on each
# implementation (tests/CMakeLists.txt). Each call here is a row of a table:
#
# ferry_conformance_variant(SUFFIX
#     ON implementation...     the test is conformance.IMPLEMENTATION + SUFFIX, for each implementation on this machine
#     IN suite                 the same for the implementations of a suite of tests/implementations.cmake
#     EACH subject...          a test for each subject; its name also ends in .SUBJECT
#     SUBJECTS subject...      several subjects in one process
#     SUITE name               one doctest suite
#     CASES pattern...         test cases by name
#     EXCLUDE pattern...       without these test cases
#     ENVIRONMENT NAME=value...   {backend} is the implementation's backend
#     LABELS label... TIMEOUT seconds)
function(ferry_conformance_variant suffix)
    cmake_parse_arguments(arg "" "IN;SUITE;TIMEOUT" "ON;EACH;SUBJECTS;CASES;EXCLUDE;ENVIRONMENT;LABELS" ${ARGN})
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 600)
    endif()
    set(options "")
    set(subjects ${arg_SUBJECTS})
    if(arg_SUBJECTS)
        list(TRANSFORM arg_SUBJECTS REPLACE "(.+)" "*/\\1_test.cpp")
        list(JOIN arg_SUBJECTS "," files)
        list(APPEND options "--source-file=${files}")
    endif()
    if(arg_SUITE)
        list(APPEND options "--test-suite=${arg_SUITE}")
    endif()
    if(arg_CASES)
        list(JOIN arg_CASES "," cases)
        list(APPEND options "--test-case=${cases}")
    endif()
    if(arg_EXCLUDE)
        list(JOIN arg_EXCLUDE "," cases)
        list(APPEND options "--test-case-exclude=${cases}")
    endif()
    if(arg_IN)
        get_property(arg_ON GLOBAL PROPERTY FERRY_SUITE_${arg_IN})
    endif()
    foreach(implementation IN LISTS arg_ON)
        get_property(backend GLOBAL PROPERTY FERRY_${implementation}_BACKEND)
        string(REPLACE "{backend}" "${backend}" environment "${arg_ENVIRONMENT}")
        set(answers ${environment}) # other answers of a driver can change what is compiled and measured
        list(FILTER answers EXCLUDE REGEX "^FERRY_(BACKEND|STAGING)=")
        set(labels conformance ${arg_LABELS})
        if(arg_IN)
            get_property(label GLOBAL PROPERTY FERRY_SUITE_${arg_IN}_LABEL_${implementation})
            list(APPEND labels ${label})
        endif()
        set(test conformance.${implementation}${suffix})
        foreach(subject IN LISTS arg_EACH)
            ferry_add_implementation_test(${test}.${subject} ${implementation}
                COMMAND ferry_conformance "--source-file=*/${subject}_test.cpp" ${options}
                ENVIRONMENT ${environment} LABELS ${labels} TIMEOUT ${arg_TIMEOUT})
            ferry_share_caches(${test}.${subject} ${implementation} ${subject})
        endforeach()
        if(NOT arg_EACH)
            ferry_add_implementation_test(${test} ${implementation} COMMAND ferry_conformance ${options}
                ENVIRONMENT ${environment} LABELS ${labels} TIMEOUT ${arg_TIMEOUT})
            if(answers)
                ferry_share_pocl_cache(${test} ${implementation} ${subjects})
            else()
                ferry_share_caches(${test} ${implementation} ${subjects})
            endif()
        endif()
    endforeach()
endfunction()

# -- Other ways through Ferry ---------------------------------------------------------------------------------------------
# The tests of copies must also pass with staged copies. This is the front's work, and rusticl is slow.
ferry_conformance_variant(+staging IN staging
    EACH copy view map event queue thread callback ENVIRONMENT FERRY_STAGING=on)
# Without a compiler, Ferry's own kernels are not available. Fills and batches must work without them.
ferry_conformance_variant(.no-helpers ON hip-cpu-double
    CASES "fill: patterns of any*" "fill: large*" "batch: random*" "batch: from and to*"
    ENVIRONMENT FERRY_DOUBLE_FAIL=hiprtcCompileProgram:6)

# -- Several backends and devices -----------------------------------------------------------------------------------------
# Work between backends needs two of them in one process.
ferry_conformance_variant(+host IN with_host
    EACH host_work event map argument staging box batch recording share ENVIRONMENT FERRY_BACKEND={backend},host)
ferry_conformance_variant(+host.pool IN with_host
    CASES "pool between devices*" ENVIRONMENT FERRY_BACKEND={backend},host FERRY_DOUBLE_DEVICES=2)
# A device that withholds the host's pages, together with one that uses them in place.
ferry_conformance_variant(+host-strict.share IN strict_host SUBJECTS share
    ENVIRONMENT FERRY_BACKEND={backend},host FERRY_HOST_MODE=strict)
ferry_conformance_variant(+opencl+host.host_work ON hip-cpu-double SUBJECTS host_work
    ENVIRONMENT FERRY_BACKEND=hip,opencl,host FERRY_DOUBLE_DEVICES=2)
ferry_conformance_variant(+opencl+host.transfer_fault ON hip-cpu-double
    CASES "transfer fault between devices*" "share order: what the double*" ENVIRONMENT FERRY_BACKEND=hip,opencl,host)
# Memory of Vulkan on a device of CUDA or HIP, which has the UUID of the Vulkan device.
foreach(vendor IN ITEMS cuda hip)
    if(TARGET ferry_${vendor}_cpu_double)
        string(TOUPPER ${vendor} name)
        set(compiler HIPRTC)
        if(vendor STREQUAL "cuda")
            set(compiler NVRTC)
        endif()
        ferry_conformance_variant(+${vendor}.exported ON lavapipe CASES "exported: CUDA's or HIP's*"
            ENVIRONMENT "FERRY_${name}_LIBRARY=$<TARGET_FILE:ferry_${vendor}_cpu_double>"
                "FERRY_${compiler}_LIBRARY=$<TARGET_FILE:ferry_${vendor}_cpu_double>")
    endif()
endforeach()
# Two devices of one backend, with and without access to each other's memory. These run the tests of pairs, of devices
# that must not be affected, and of the selection of a device by text.
ferry_conformance_variant(.no-peers ON hip-cpu-double
    CASES "host work*" "box: between*" "pool between*" "staging: large copies between*"
    ENVIRONMENT FERRY_DOUBLE_DEVICES=2 FERRY_DOUBLE_PEER=0)
foreach(peer IN ITEMS 1 0)
    set(suffix +2)
    if(NOT peer)
        set(suffix +2.no-peer)
    endif()
    set(environment FERRY_DOUBLE_DEVICES=2 FERRY_DOUBLE_PEER=${peer})
    ferry_conformance_variant(${suffix}.pairs ON hip-cpu-double SUITE pairs ENVIRONMENT ${environment})
    ferry_conformance_variant(${suffix}.others ON hip-cpu-double
        CASES "device: *" "error: other queues*" "error: a lost device*" ENVIRONMENT ${environment})
endforeach()
ferry_conformance_variant(+2.pairs ON cuda-cpu-double hip-old-double SUITE pairs ENVIRONMENT FERRY_DOUBLE_DEVICES=2)

# -- Other versions of the vendors' libraries -----------------------------------------------------------------------------
# The differences of ROCm 5 and 7 from 6: names, layouts, texts, and the place of the run-time compiler.
ferry_conformance_variant(.some ON hip-cpu5-double hip-cpu7-double
    SUBJECTS copy device error event hints kernel lost memory_kind program recording)
# The faults of HIP 5.2 that AMD corrected in 5.3. It cannot import memory at the host's own address.
ferry_conformance_variant(.as-5.2 ON hip-cpu5-double SUBJECTS fill recording EXCLUDE "import:*"
    ENVIRONMENT FERRY_DOUBLE_RUNTIME_VERSION=50221153)
# A HIP without all functions that are optional for Ferry supports fewer features. Also with shared memory of the
# processor, and between two devices without a copy function.
ferry_conformance_variant(.some ON hip-old-double
    SUBJECTS argument batch box buffer callback capabilities copy device error event exclusions fill hints import
        interop interop_order kernel lost map memory_kind program queue recording share staging view wait)
ferry_conformance_variant(.integrated ON hip-old-double SUBJECTS capabilities share
    ENVIRONMENT FERRY_DOUBLE_ANSWERS=Integrated=1)
# CUDA shares all code except backends/cuda with HIP, so CI tests only the subjects that use that folder. The rest is
# long.
ferry_conformance_variant(.some ON cuda-cpu-double
    SUBJECTS argument batch box capabilities copy device embedded error event exclusions fill hints import import_end
        intermediate interop interop_order kernel lost map map_commands memory_kind offset pool queue recording
        recording_fault share share_order staging_fault stream transfer_fault)
ferry_add_conformance(cuda-cpu-double LABELS long)
# A driver of OpenCL 1.2 without functions, extensions and numbers of later versions. Its launches fail on request of a
# test, and the host continues.
ferry_conformance_variant(.some ON pocl-1.2
    SUBJECTS argument batch box buffer callback capabilities copy device embedded error event exclusions fill hints import
        interop interop_order kernel map memory_kind program queue recording share staging stream view wait)
ferry_conformance_variant(.exit ON pocl-1.2 cuda-cpu-double CASES "lifetime: the vendor calls exit()*")
ferry_conformance_variant(+host.pairs ON pocl-1.2 SUITE pairs ENVIRONMENT FERRY_BACKEND=opencl,host)
ferry_conformance_variant(+host.error ON pocl-1.2 SUBJECTS error ENVIRONMENT FERRY_BACKEND=opencl,host)

# -- Other machines, simulated by their drivers' answers ------------------------------------------------------------------
# Each allocates a kind of memory differently, and imports use another path.
ferry_conformance_variant(.some ON pocl-as-igpu pocl-as-dgpu pocl-as-mali
    SUBJECTS batch capabilities fill import memory_kind share)
ferry_conformance_variant(.some ON pocl-as-system SUBJECTS import memory_kind share) # only imports differ
# Batches become packs on GPUs, and fills become launches. NVIDIA's driver has additional paths.
ferry_conformance_variant(.some ON pocl-as-nvidia
    SUBJECTS annotation batch box copy fill import memory_kind recording thread untrusted)
ferry_conformance_variant(.some ON intel-as-gpu rusticl-as-gpu SUBJECTS batch fill)
# Machines with NVIDIA's and AMD's devices. Memory takes another path on each. As the machines above, they run in CI.
set(memory_subjects batch box capabilities fill import interop_order memory_kind share share_memory share_order stream)
ferry_conformance_variant(.as-apu-xnack ON hip-cpu-double SUBJECTS ${memory_subjects} LABELS ci ENVIRONMENT
    FERRY_DOUBLE_ANSWERS=Integrated=1,PageableMemoryAccess=1,PageableMemoryAccessUsesHostPageTables=1,HostNativeAtomicSupported=1,DirectManagedMemAccessFromHost=1
    "FERRY_EXPECT_PLACEMENTS=alias stage")
ferry_conformance_variant(.as-grace ON hip-cpu-double SUBJECTS ${memory_subjects} LABELS ci ENVIRONMENT
    FERRY_DOUBLE_ANSWERS=PageableMemoryAccess=1,PageableMemoryAccessUsesHostPageTables=1,HostNativeAtomicSupported=1,DirectManagedMemAccessFromHost=1
    "FERRY_EXPECT_PLACEMENTS=link copy stage")
ferry_conformance_variant(.as-xnack ON hip-cpu-double SUBJECTS ${memory_subjects} LABELS ci ENVIRONMENT
    FERRY_DOUBLE_ANSWERS=PageableMemoryAccess=1 "FERRY_EXPECT_PLACEMENTS=migrate stage")
# Registered memory has another address there, so two neighbours in one page cannot both be forced into place.
ferry_conformance_variant(.as-windows ON hip-cpu-double SUBJECTS ${memory_subjects}
    EXCLUDE "share: reads*" "share: random launches*" LABELS ci ENVIRONMENT
    FERRY_DOUBLE_ANSWERS=ConcurrentManagedAccess=0,CanUseHostPointerForRegisteredMem=0
    "FERRY_EXPECT_PLACEMENTS=link copy stage")
# Kernels that were compiled ahead of time, on an emulated processor without SVE2. The default emulated one has SVE2.
if(CMAKE_CROSSCOMPILING)
    ferry_conformance_variant(.embedded.without_sve ON host SUBJECTS embedded ENVIRONMENT QEMU_CPU=cortex-a72)
endif()

# GPUs of Vulkan: the host does not see the memory of one, and sees all of the other. No write of an unfinished
# kernel was late there; a likely cause is that lavapipe waits for the device when time stamps are read.
ferry_conformance_variant(.some ON lavapipe-as-discrete lavapipe-as-resizable-bar
    SUBJECTS batch box capabilities copy event exported fill import import_end map map_commands memory_kind pool recording share
        share_memory share_order staging stream
    EXCLUDE "pool: another queue does not see late writes*")
ferry_conformance_variant(.lost ON lavapipe-as-discrete CASES "error: a lost device*")
# A family of 16 VkQueues with priorities. lavapipe itself has one.
ferry_conformance_variant(.some ON lavapipe-as-many-queues
    SUBJECTS batch busy_queue event hints host_work interop interop_order interop_vulkan queue recording stream thread
        vulkan_submit wait)
# The smallest limits that Vulkan allows, and allocations of 256 MiB.
ferry_conformance_variant(.some ON lavapipe-as-small-limits
    SUBJECTS annotation argument batch box buffer device embedded kernel launch memory_kind offset pool prepare program
        recording stream)
foreach(machine IN ITEMS discrete resizable-bar many-queues small-limits)
    ferry_conformance_variant(.whole ON lavapipe-as-${machine}
        EXCLUDE "exclusions: none is obsolete*" "pool: another queue does not see late writes*"
        LABELS long TIMEOUT 3600)
endforeach()

# -- AMD's runtime on the emulated GPU ------------------------------------------------------------------------------------
# Registered memory has another address there, so two neighbours in one page cannot both be forced into place. Slots are
# measured within a time limit, in which the emulator copies too little.
ferry_conformance_variant(.share ON amd-emulated SUBJECTS share EXCLUDE "share: reads*" "share: random launches*")
ferry_conformance_variant(.staging ON amd-emulated SUBJECTS staging EXCLUDE "staging: measuring slots*")
ferry_conformance_variant(+2.pairs ON amd-emulated SUITE pairs ENVIRONMENT FERRY_DOUBLE_GPU_COUNT=2 LABELS long TIMEOUT 900)
# Page faults: kernels reach all memory of the process, and managed memory is there.
ferry_conformance_variant(.as-xnack ON amd-emulated SUBJECTS capabilities import_end kernel memory_kind
    ENVIRONMENT FERRY_DOUBLE_GPU_XNACK=1)
# HIP 5.7 and ROCr 6.1, with graphs and another compiler.
ferry_conformance_variant(.some ON amd-emulated-5.7 SUBJECTS copy event fill kernel recording)
