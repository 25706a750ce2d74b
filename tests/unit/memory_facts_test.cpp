// SPDX-License-Identifier: Apache-2.0
// The truth table of machines' answers and the facts that follow from them.
#include "driver_machines.hpp"
#include "opencl_machines.hpp"
#include "system/pages.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace memory_facts_test {

using namespace ferry;

namespace {

void expect(const MemoryCapabilities& facts, Reach reach, Coherence coherence, Atomics atomics,
            bool same_address, bool migrates) {
    INFO("memory of kind " << to_string(facts.kind));
    CHECK(to_string(facts.reach.value) == to_string(reach));
    CHECK(to_string(facts.coherence.value) == to_string(coherence));
    CHECK(to_string(facts.atomics.value) == to_string(atomics));
    CHECK(facts.same_address.value == same_address);
    CHECK(facts.migrates.value == migrates);
    CHECK(facts.available == facts.why_not.empty());
    if (facts.available) {
        for (const std::string* source :
             {&facts.reach.source, &facts.coherence.source, &facts.atomics.source, &facts.same_address.source,
              &facts.migrates.source, &facts.host_cached.source, &facts.pointer_alignment.source,
              &facts.size_granularity.source, &facts.max_size.source}) {
            CHECK_FALSE(source->empty());
        }
    }
}

const auto h200 = machines::h200();

} // namespace

TEST_CASE("memory facts: a discrete NVIDIA device") {
    const auto of = [&](MemoryKind kind) { return driver::cuda_memory_facts(h200, kind); };
    expect(of(MemoryKind::device), Reach::local, Coherence::map, Atomics::device, false, false);
    expect(of(MemoryKind::host), Reach::link, Coherence::concurrent, Atomics::device, true, false);
    expect(of(MemoryKind::shared), Reach::local, Coherence::concurrent, Atomics::device, true, true);
    expect(of(MemoryKind::imported), Reach::link, Coherence::concurrent, Atomics::device, true, false);
    CHECK(of(MemoryKind::host).reach.source == "CU_DEVICE_ATTRIBUTE_INTEGRATED=0");
    CHECK(of(MemoryKind::host).reach.confidence == Confidence::declared);
    CHECK(of(MemoryKind::host).coherence.confidence == Confidence::inferred);
    CHECK(of(MemoryKind::host).host_cached.value);
    CHECK(of(MemoryKind::device).max_size.value == h200.total_memory);
    CHECK(of(MemoryKind::imported).pointer_alignment.value == detail::page_size());
    CHECK(of(MemoryKind::imported).same_address.source ==
          "CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM=1");
}

TEST_CASE("memory facts: an NVIDIA device that walks the host's page tables over a coherent link") {
    const auto grace = machines::grace();
    const auto of = [&](MemoryKind kind) { return driver::cuda_memory_facts(grace, kind); };
    expect(of(MemoryKind::host), Reach::link, Coherence::concurrent, Atomics::system, true, false);
    expect(of(MemoryKind::shared), Reach::local, Coherence::concurrent, Atomics::system, true, true);
    expect(of(MemoryKind::imported), Reach::link, Coherence::concurrent, Atomics::system, true, false);
    CHECK(of(MemoryKind::imported).pointer_alignment.value == 1);
    CHECK(of(MemoryKind::imported).coherence.confidence == Confidence::declared);
    CHECK(of(MemoryKind::shared).host_cached.value);
}

TEST_CASE("memory facts: pageable memory without the host's page tables migrates") {
    const auto hmm = machines::pageable();
    expect(driver::cuda_memory_facts(hmm, MemoryKind::imported), Reach::local, Coherence::kernel_boundary,
           Atomics::device, true, true);
}

TEST_CASE("memory facts: managed memory that the host must not touch meanwhile") {
    const auto windows = machines::windows();
    const auto facts = driver::cuda_memory_facts(windows, MemoryKind::shared);
    CHECK_FALSE(facts.available);
    CHECK(facts.why_not == "CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS=0: the host must not touch managed "
                           "memory while any kernel of the device runs.");
    expect(facts, Reach::copy, Coherence::exclusive, Atomics::device, true, false);
    expect(driver::cuda_memory_facts(windows, MemoryKind::imported), Reach::link, Coherence::concurrent,
           Atomics::device, false, false);
}

TEST_CASE("memory facts: an embedded NVIDIA device whose caches the processor does not see") {
    const auto tegra = machines::tegra();
    const auto of = [&](MemoryKind kind) { return driver::cuda_memory_facts(tegra, kind); };
    expect(of(MemoryKind::host), Reach::local, Coherence::concurrent, Atomics::device, false, false);
    CHECK_FALSE(of(MemoryKind::host).host_cached.value);
    expect(of(MemoryKind::shared), Reach::local, Coherence::exclusive, Atomics::device, true, false);
    CHECK(of(MemoryKind::imported).why_not ==
          "CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED=0: the driver cannot page-lock memory that exists "
          "already.");
    auto without = tegra;
    without.map_host_memory.value = 0;
    for (const MemoryKind kind : {MemoryKind::host, MemoryKind::imported}) {
        CHECK(driver::cuda_memory_facts(without, kind).why_not ==
              "CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY=0: kernels cannot use the host's memory.");
    }
    without.managed.value = 0;
    CHECK(driver::cuda_memory_facts(without, MemoryKind::shared).why_not ==
          "CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY=0: the device has no managed memory.");
    without.allocates_managed = false;
    CHECK(driver::cuda_memory_facts(without, MemoryKind::shared).why_not ==
          "The driver's library has no function that allocates managed memory.");
}

TEST_CASE("memory facts: a library that cannot page-lock what exists already") {
    auto cuda = machines::machine<true>({{"CAN_MAP_HOST_MEMORY", 1}, {"HOST_REGISTER_SUPPORTED", 1}});
    auto hip = machines::machine<false>({{"CanMapHostMemory", 1}});
    CHECK(driver::cuda_memory_facts(cuda, MemoryKind::imported).available);
    CHECK(driver::hip_memory_facts(hip, MemoryKind::imported).available);
    cuda.registers_host = false;
    hip.registers_host = false;
    for (const auto& facts : {driver::cuda_memory_facts(cuda, MemoryKind::imported),
                              driver::hip_memory_facts(hip, MemoryKind::imported)}) {
        CHECK_FALSE(facts.available);
        CHECK(facts.why_not ==
              "The driver's library has no function that page-locks memory that exists already.");
    }
    hip.pageable.value = 1; // then the device reads the program's pages directly
    CHECK(driver::hip_memory_facts(hip, MemoryKind::imported).available);
}

TEST_CASE("memory facts: an AMD device on the processor's memory, with XNACK") {
    const auto apu = machines::amd_integrated();
    const auto of = [&](MemoryKind kind) { return driver::hip_memory_facts(apu, kind); };
    expect(of(MemoryKind::device), Reach::local, Coherence::map, Atomics::device, false, false);
    // This UnifiedAddressing differs from CUDA's. It does not make host pointers valid on the device.
    expect(of(MemoryKind::host), Reach::local, Coherence::concurrent, Atomics::system, false, false);
    CHECK(of(MemoryKind::host).same_address.confidence == Confidence::unknown);
    expect(of(MemoryKind::shared), Reach::local, Coherence::concurrent, Atomics::system, true, false);
    expect(of(MemoryKind::imported), Reach::local, Coherence::concurrent, Atomics::system, true, false);
    CHECK(of(MemoryKind::imported).size_granularity.value == 1);
    CHECK(of(MemoryKind::shared).reach.source ==
          "hipDeviceAttributeIntegrated=1, hipDeviceAttributePageableMemoryAccess=1");
}

TEST_CASE("memory facts: a discrete AMD device, without XNACK and with it") {
    auto discrete = machines::amd_discrete();
    const auto of = [&](MemoryKind kind) { return driver::hip_memory_facts(discrete, kind); };
    expect(of(MemoryKind::host), Reach::link, Coherence::concurrent, Atomics::system, false, false);
    expect(of(MemoryKind::shared), Reach::link, Coherence::concurrent, Atomics::system, true, false);
    expect(of(MemoryKind::imported), Reach::link, Coherence::concurrent, Atomics::system, false, false);
    discrete.pageable.value = 1;
    expect(of(MemoryKind::shared), Reach::local, Coherence::concurrent, Atomics::system, true, true);
    expect(of(MemoryKind::imported), Reach::local, Coherence::concurrent, Atomics::system, true, true);
    // In a slot without PCIe atomics. Atomics on host memory are lost, both the host's and the device's.
    discrete.pageable.value = 0;
    discrete.host_atomics.value = 0;
    discrete.fine_grained.value = 0;
    expect(of(MemoryKind::host), Reach::link, Coherence::kernel_boundary, Atomics::none, false, false);
    expect(of(MemoryKind::shared), Reach::link, Coherence::kernel_boundary, Atomics::none, true, false);
}

TEST_CASE("memory facts: Intel's OpenCL devices") {
    const auto shares = machines::intel_integrated();
    const auto of = [&](MemoryKind kind) { return opencl::memory_facts(shares, kind); };
    expect(of(MemoryKind::device), Reach::local, Coherence::map, Atomics::device, false, false);
    expect(of(MemoryKind::host), Reach::local, Coherence::kernel_boundary, Atomics::device, true, false);
    expect(of(MemoryKind::shared), Reach::local, Coherence::kernel_boundary, Atomics::device, true, false);
    expect(of(MemoryKind::imported), Reach::local, Coherence::map, Atomics::device, false, false);
    CHECK(of(MemoryKind::imported).pointer_alignment.value == detail::page_size());
    CHECK(of(MemoryKind::imported).size_granularity.value == 64);
    CHECK(of(MemoryKind::host).coherence.source == "CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL=0x3");
    CHECK(of(MemoryKind::host).reach.source ==
          "CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL=0x3, CL_DEVICE_HOST_UNIFIED_MEMORY=1");

    const auto own = machines::intel_discrete();
    expect(opencl::memory_facts(own, MemoryKind::host), Reach::link, Coherence::kernel_boundary,
           Atomics::none, true, false);
    expect(opencl::memory_facts(own, MemoryKind::shared), Reach::local, Coherence::kernel_boundary,
           Atomics::device, true, true);
    expect(opencl::memory_facts(own, MemoryKind::imported), Reach::copy, Coherence::map, Atomics::device,
           false, false);
}

TEST_CASE("memory facts: OpenCL devices that may copy without the program's knowledge") {
    const auto mali = machines::mali();
    expect(opencl::memory_facts(mali, MemoryKind::host), Reach::local, Coherence::map, Atomics::device, false,
           false);
    expect(opencl::memory_facts(mali, MemoryKind::imported), Reach::copy, Coherence::map, Atomics::device,
           false, false);
    CHECK(opencl::memory_facts(mali, MemoryKind::imported).reach.source ==
          "Ferry copies what a command uses, CL_DEVICE_HOST_UNIFIED_MEMORY=1");
    CHECK(opencl::memory_facts(mali, MemoryKind::shared).why_not ==
          "CL_DEVICE_SVM_CAPABILITIES=0x1 has no fine-grained buffers, and there is no shared memory of "
          "cl_intel_unified_shared_memory.");

    const auto nvidia = machines::nvidia();
    expect(opencl::memory_facts(nvidia, MemoryKind::host), Reach::copy, Coherence::map, Atomics::device,
           false, false);
    expect(opencl::memory_facts(nvidia, MemoryKind::imported), Reach::copy, Coherence::map, Atomics::device,
           false, false);
    CHECK(opencl::memory_facts(nvidia, MemoryKind::imported).reach.confidence == Confidence::inferred);
    CHECK_FALSE(opencl::memory_facts(nvidia, MemoryKind::shared).available);

    const auto old = machines::version_1_2();
    expect(opencl::memory_facts(old, MemoryKind::host), Reach::copy, Coherence::map, Atomics::device, false,
           false);
    CHECK_FALSE(opencl::memory_facts(old, MemoryKind::shared).available);
    CHECK(opencl::memory_facts(old, MemoryKind::imported).available);
}

TEST_CASE("memory facts: OpenCL on processors") {
    const auto pocl = machines::pocl();
    for (const MemoryKind kind : {MemoryKind::host, MemoryKind::shared}) {
        expect(opencl::memory_facts(pocl, kind), Reach::local, Coherence::concurrent, Atomics::system, true,
               false);
    }
    expect(opencl::memory_facts(pocl, MemoryKind::imported), Reach::local, Coherence::map, Atomics::device,
           false, false);
    CHECK(opencl::memory_facts(pocl, MemoryKind::imported).host_cached.value);
    CHECK(opencl::memory_facts(pocl, MemoryKind::imported).pointer_alignment.value == 1);
    CHECK(opencl::memory_facts(pocl, MemoryKind::host).pointer_alignment.value == 128);

    const auto intel = machines::intel_processor();
    expect(opencl::memory_facts(intel, MemoryKind::imported), Reach::local, Coherence::concurrent,
           Atomics::system, true, false);
    CHECK(opencl::memory_facts(intel, MemoryKind::imported).coherence.source ==
          "CL_DEVICE_SVM_CAPABILITIES=0xF");
    expect(opencl::memory_facts(intel, MemoryKind::host), Reach::local, Coherence::concurrent,
           Atomics::system, true, false);

    auto coarse = pocl;
    coarse.svm = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    expect(opencl::memory_facts(coarse, MemoryKind::host), Reach::local, Coherence::kernel_boundary,
           Atomics::device, true, false);
}

TEST_CASE("memory facts: OpenCL devices that take any pointer") {
    // With system SVM, the reported atomics decide, and whether host and device are the same chip.
    auto device = machines::nvidia();
    device.imports = opencl::InPlace::svm_pointers;
    device.svm = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
                 CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS;
    const auto imported = [&] { return opencl::memory_facts(device, MemoryKind::imported); };
    expect(imported(), Reach::link, Coherence::concurrent, Atomics::system, true, false);
    CHECK(imported().reach.source == "CL_DEVICE_SVM_CAPABILITIES=0xF, CL_DEVICE_HOST_UNIFIED_MEMORY=0");
    CHECK(imported().migrates.confidence == Confidence::unknown);
    CHECK(imported().pointer_alignment.value == 1);
    device.svm &= ~cl_device_svm_capabilities{CL_DEVICE_SVM_ATOMICS};
    expect(imported(), Reach::link, Coherence::kernel_boundary, Atomics::device, true, false);
    CHECK(imported().coherence.source == "CL_DEVICE_SVM_CAPABILITIES=0x7");

    // With shared-system USM only.
    device = machines::intel_integrated();
    device.imports = opencl::InPlace::usm_pointers;
    device.usm_system = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL |
                        CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL;
    expect(imported(), Reach::local, Coherence::concurrent, Atomics::device, true, false);
    CHECK(imported().coherence.source == "CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL=0x7");
    device.usm_system |= CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
    device.host_unified = false;
    expect(imported(), Reach::link, Coherence::concurrent, Atomics::system, true, false);
    device.usm_system = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL;
    expect(imported(), Reach::link, Coherence::kernel_boundary, Atomics::none, true, false);
}

} // namespace memory_facts_test
