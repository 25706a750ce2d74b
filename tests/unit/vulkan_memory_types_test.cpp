// SPDX-License-Identifier: Apache-2.0
// The choice of memory types on machines that drivers are known to describe.
#include "vulkan/vulkan_memory_types.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace vulkan_memory_types_test {

using namespace ferry;
using ferry::vulkan::MemoryType;
using ferry::vulkan::Traits;

constexpr std::uint32_t local = 1, visible = 2, coherent = 4, cached = 8, lazy = 16, amd = 64;
constexpr std::uint64_t gib = std::uint64_t{1} << 30U;

struct Machine {
    const char* name;
    bool unified;
    std::vector<MemoryType> types;
    std::vector<std::uint64_t> device_heaps; ///< Bytes; the first heaps. The next one is the host's.
    std::uint32_t device, host, shared;      ///< The flags of the chosen types. 0: there is none.
};

const std::vector<Machine>& machines() {
    static const std::vector<Machine> all{
        {"a processor",
         true,
         {{local | visible | coherent | cached, 0}},
         {2 * gib},
         local | visible | coherent | cached,
         local | visible | coherent | cached,
         local | visible | coherent | cached},
        {"a discrete GPU with a window of 256 MiB",
         false,
         {{0, 2},
          {local, 0},
          {visible | coherent, 2},
          {visible | coherent | cached, 2},
          {local | visible | coherent, 1}},
         {8 * gib, gib / 4},
         local,
         visible | coherent | cached,
         0},
        {"a discrete GPU with resizable BAR",
         false,
         {{local, 0},
          {local | visible | coherent, 0},
          {visible | coherent, 1},
          {visible | coherent | cached, 1}},
         {16 * gib},
         local,
         visible | coherent | cached,
         local | visible | coherent},
        {"an integrated GPU with uncached memory",
         true,
         {{local, 0}, {local | visible | coherent, 0}, {local | visible | coherent | cached, 0}},
         {4 * gib},
         local,
         local | visible | coherent | cached,
         local | visible | coherent | cached},
        {"memory that is not coherent, lazy or uncached is never taken",
         true,
         {{local | visible | cached, 0},
          {local | lazy, 0},
          {local | visible | coherent | amd, 0},
          {local, 0}},
         {4 * gib},
         local,
         0,
         0},
    };
    return all;
}

Traits traits_of(const Machine& machine) {
    Traits traits;
    traits.unified = machine.unified;
    traits.memory.type_count = static_cast<std::uint32_t>(machine.types.size());
    std::copy(machine.types.begin(), machine.types.end(), traits.memory.types);
    traits.memory.heap_count = static_cast<std::uint32_t>(machine.device_heaps.size() + 1);
    for (std::size_t i = 0; i < machine.device_heaps.size(); ++i) {
        traits.memory.heaps[i] = {machine.device_heaps[i], 1};
    }
    traits.memory.heaps[machine.device_heaps.size()] = {64 * gib, 0};
    return traits;
}

std::uint32_t chosen(const Traits& traits, MemoryKind kind, std::uint32_t allowed) {
    const int type = vulkan::memory_type(traits, kind, allowed);
    return type < 0 ? 0 : traits.memory.types[type].flags;
}

TEST_CASE("vulkan memory types: the kinds of memory of known machines, in any order of types") {
    std::mt19937 random(std::random_device{}()); // NOLINT(cert-msc51-cpp)
    for (Machine machine : machines()) {
        for (int round = 0; round < 8; ++round) {
            INFO(std::string(machine.name));
            const Traits traits = traits_of(machine);
            CHECK(chosen(traits, MemoryKind::device, ~0U) == machine.device);
            CHECK(chosen(traits, MemoryKind::host, ~0U) == machine.host);
            CHECK(chosen(traits, MemoryKind::shared, ~0U) == machine.shared);
            CHECK(vulkan::memory_type(traits, MemoryKind::device, 0) == -1);
            std::shuffle(machine.types.begin(), machine.types.end(), random);
        }
    }
}

TEST_CASE("vulkan memory types: facts name the type, and say why there is no memory of a kind") {
    for (const Machine& machine : machines()) {
        INFO(std::string(machine.name));
        const Traits traits = traits_of(machine);
        for (const MemoryKind kind : {MemoryKind::device, MemoryKind::host, MemoryKind::shared}) {
            const MemoryCapabilities facts = vulkan::memory_facts(traits, {}, kind);
            const int type = vulkan::memory_type(traits, kind, ~0U);
            CHECK(facts.available == (type >= 0));
            CHECK(facts.why_not.empty() == facts.available);
            if (type >= 0) {
                CHECK(facts.reach.source.find("memory type " + std::to_string(type) + ": ") == 0);
                const bool near = machine.unified || (traits.memory.types[type].flags & local) != 0;
                CHECK(facts.reach.value == (near ? Reach::local : Reach::link));
            }
        }
        CHECK(!vulkan::memory_facts(traits, {}, MemoryKind::imported).available);
    }
    CHECK(vulkan::type_text(traits_of(machines()[0]), 0) ==
          "memory type 0: DEVICE_LOCAL | HOST_VISIBLE | HOST_COHERENT | HOST_CACHED");
}

} // namespace vulkan_memory_types_test
