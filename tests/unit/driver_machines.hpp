// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_memory_facts.hpp"

#include <initializer_list>
#include <string_view>
#include <utility>

// Answers of CUDA's and HIP's drivers about memory, for very different machines.
namespace machines {

using Reply = std::pair<std::string_view, int>;

// Like the drivers, the machine answers 0 to every attribute that is not listed.
template <bool Cuda>
ferry::driver::MemoryAnswers machine(std::initializer_list<Reply> replies) {
    ferry::driver::MemoryAnswers answers = ferry::driver::ask_memory<Cuda>([](int) { return 0; });
    const auto set = [&](ferry::driver::Answer& answer) {
        for (const auto& [name, value] : replies) {
            const std::string_view full = answer.name != nullptr ? answer.name : "";
            if (full.ends_with(name) && full.size() == name.size() + (Cuda ? 20 : 18)) {
                answer.value = value;
            }
        }
    };
#define FERRY_MEMORY_ATTRIBUTE(member, ...) set(answers.member);
#define FERRY_CUDA_MEMORY_ATTRIBUTE(member, ...) set(answers.member);
#define FERRY_HIP_MEMORY_ATTRIBUTE(member, ...) set(answers.member);
#include "driver/memory_attributes.def"
#undef FERRY_MEMORY_ATTRIBUTE
#undef FERRY_CUDA_MEMORY_ATTRIBUTE
#undef FERRY_HIP_MEMORY_ATTRIBUTE
    answers.total_memory = std::uint64_t{64} << 30;
    return answers;
}

/// A discrete NVIDIA device.
inline ferry::driver::MemoryAnswers h200() {
    return machine<true>({{"CAN_MAP_HOST_MEMORY", 1},
                          {"UNIFIED_ADDRESSING", 1},
                          {"MANAGED_MEMORY", 1},
                          {"CONCURRENT_MANAGED_ACCESS", 1},
                          {"CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM", 1},
                          {"HOST_REGISTER_SUPPORTED", 1}});
}

/// It uses the host's page tables over a coherent link.
inline ferry::driver::MemoryAnswers grace() {
    return machine<true>({{"CAN_MAP_HOST_MEMORY", 1},
                          {"UNIFIED_ADDRESSING", 1},
                          {"MANAGED_MEMORY", 1},
                          {"CONCURRENT_MANAGED_ACCESS", 1},
                          {"PAGEABLE_MEMORY_ACCESS", 1},
                          {"PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES", 1},
                          {"DIRECT_MANAGED_MEM_ACCESS_FROM_HOST", 1},
                          {"HOST_NATIVE_ATOMIC_SUPPORTED", 1},
                          {"CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM", 1},
                          {"HOST_REGISTER_SUPPORTED", 1}});
}

/// It accesses pageable memory without the host's page tables.
inline ferry::driver::MemoryAnswers pageable() {
    return machine<true>({{"CAN_MAP_HOST_MEMORY", 1},
                          {"UNIFIED_ADDRESSING", 1},
                          {"PAGEABLE_MEMORY_ACCESS", 1},
                          {"HOST_REGISTER_SUPPORTED", 1}});
}

/// The host must not access managed memory while a kernel runs.
inline ferry::driver::MemoryAnswers windows() {
    return machine<true>({{"CAN_MAP_HOST_MEMORY", 1},
                          {"UNIFIED_ADDRESSING", 1},
                          {"MANAGED_MEMORY", 1},
                          {"HOST_REGISTER_SUPPORTED", 1}});
}

/// An embedded device. The processor does not see the device's caches.
inline ferry::driver::MemoryAnswers tegra() {
    return machine<true>({{"INTEGRATED", 1}, {"CAN_MAP_HOST_MEMORY", 1}, {"MANAGED_MEMORY", 1}});
}

/// It uses the processor's memory, with XNACK.
inline ferry::driver::MemoryAnswers amd_integrated() {
    return machine<false>({{"Integrated", 1},
                           {"CanMapHostMemory", 1},
                           {"UnifiedAddressing", 1},
                           {"ManagedMemory", 1},
                           {"ConcurrentManagedAccess", 1},
                           {"PageableMemoryAccess", 1},
                           {"PageableMemoryAccessUsesHostPageTables", 1},
                           {"HostNativeAtomicSupported", 1},
                           {"CanUseHostPointerForRegisteredMem", 1},
                           {"DirectManagedMemAccessFromHost", 1},
                           {"FineGrainSupport", 1}});
}

/// A discrete AMD device without XNACK.
inline ferry::driver::MemoryAnswers amd_discrete() {
    return machine<false>({{"CanMapHostMemory", 1},
                           {"ManagedMemory", 1},
                           {"ConcurrentManagedAccess", 1},
                           {"FineGrainSupport", 1},
                           {"HostNativeAtomicSupported", 1}});
}

/// A discrete AMD device with XNACK.
inline ferry::driver::MemoryAnswers amd_discrete_xnack() {
    auto answers = amd_discrete();
    answers.pageable.value = 1;
    return answers;
}

/// In a slot without PCIe atomics. Atomics on host memory are lost, both the host's and the device's.
inline ferry::driver::MemoryAnswers amd_discrete_no_atomics() {
    auto answers = amd_discrete();
    answers.host_atomics.value = 0;
    answers.fine_grained.value = 0;
    return answers;
}

} // namespace machines
