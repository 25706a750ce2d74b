// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_api.hpp"
#include "hal/fact_builders.hpp"

#include <cstdint>
#include <string>

namespace ferry::driver {

/// A driver's answer for one attribute.
struct Answer {
    const char* name = nullptr; ///< The vendor's name. Null if this vendor has no such attribute.
    int value = 0;

    bool yes() const noexcept { return value > 0; }
    std::string text() const { return std::string(name) + "=" + std::to_string(value); }
};

/// All inputs of the facts about memory.
struct MemoryAnswers {
#define FERRY_MEMORY_ATTRIBUTE(member, cuda, cuda_number, hip, hip_number) Answer member;
#define FERRY_CUDA_MEMORY_ATTRIBUTE(member, name, number) Answer member;
#define FERRY_HIP_MEMORY_ATTRIBUTE(member, name, number) Answer member;
#include "driver/memory_attributes.def"
#undef FERRY_MEMORY_ATTRIBUTE
#undef FERRY_CUDA_MEMORY_ATTRIBUTE
#undef FERRY_HIP_MEMORY_ATTRIBUTE
    bool allocates_managed = true; ///< The library has the function.
    bool registers_host = true;    ///< The same.
    std::uint64_t total_memory = 0;
};

/// The answers' names, and the attribute numbers of the queries. Values are zero.
template <bool Cuda, class Visit>
MemoryAnswers ask_memory(Visit ask) {
    MemoryAnswers answers;
#define FERRY_MEMORY_ATTRIBUTE(member, cuda, cuda_number, hip, hip_number)                           \
    answers.member = Cuda ? Answer{"CU_DEVICE_ATTRIBUTE_" #cuda, ask(static_cast<int>(cuda_number))} \
                          : Answer{"hipDeviceAttribute" #hip, ask(static_cast<int>(hip_number))};
#define FERRY_CUDA_MEMORY_ATTRIBUTE(member, name, number)                               \
    if constexpr (Cuda) {                                                               \
        answers.member = {"CU_DEVICE_ATTRIBUTE_" #name, ask(static_cast<int>(number))}; \
    }
#define FERRY_HIP_MEMORY_ATTRIBUTE(member, name, number)                              \
    if constexpr (!Cuda) {                                                            \
        answers.member = {"hipDeviceAttribute" #name, ask(static_cast<int>(number))}; \
    }
#include "driver/memory_attributes.def"
#undef FERRY_MEMORY_ATTRIBUTE
#undef FERRY_CUDA_MEMORY_ATTRIBUTE
#undef FERRY_HIP_MEMORY_ATTRIBUTE
    return answers;
}

/// The tables of driver_memory_facts.cpp. HIP's differs where the same word has another meaning.
MemoryCapabilities cuda_memory_facts(const MemoryAnswers& answers, MemoryKind kind);
MemoryCapabilities hip_memory_facts(const MemoryAnswers& answers, MemoryKind kind);

} // namespace ferry::driver
