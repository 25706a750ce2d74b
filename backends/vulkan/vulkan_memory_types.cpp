// SPDX-License-Identifier: Apache-2.0
#include "vulkan_memory_types.hpp"

#include "hal/fact_builders.hpp"
#include "system/pages.hpp"

#include <array>
#include <string_view>

namespace ferry::vulkan {
namespace {

using backend::declared;
using backend::inferred;
using backend::not_known;
using backend::with;
using backend::without;
using Flags = std::uint32_t;

constexpr Flags local = constant::device_local;
constexpr Flags visible = constant::host_visible;
constexpr Flags coherent = constant::host_coherent;
constexpr Flags cached = constant::host_cached;
// Memory that ordinary buffers cannot use, or that caches make slow.
constexpr Flags never = static_cast<Flags>(constant::lazily_allocated | constant::is_protected |
                                           constant::amd_coherent | constant::amd_uncached);

/// The memory types for a kind of memory. They have all of `needs`, and as many preferred properties as
/// possible. The first preference has priority over the second.
struct Choice {
    MemoryKind kind;
    Flags needs;
    Flags prefers; ///< Has these.
    Flags avoids;  ///< Does not have these.
};

constexpr std::array choices{
    // A window that the host can see is small on discrete devices without resizable BAR.
    Choice{MemoryKind::device, local, 0, visible},
    Choice{MemoryKind::host, visible | coherent, cached, local},
    Choice{MemoryKind::shared, local | visible | coherent, cached, 0},
    Choice{MemoryKind::imported, visible | coherent, cached, 0},
};

const Choice& choice_of(MemoryKind kind) noexcept {
    return choices[static_cast<std::size_t>(kind)];
}

bool covers_device(const Traits& traits, std::uint32_t heap) noexcept {
    return traits.memory.heaps[heap].bytes >= device_heap_bytes(traits.memory);
}

bool fits(const Traits& traits, MemoryKind kind, const MemoryType& type) noexcept {
    const Choice& choice = choice_of(kind);
    if ((type.flags & choice.needs) != choice.needs || (type.flags & never) != 0 || type.heap >= 16) {
        return false;
    }
    // Without resizable BAR, the host sees only a small part of a discrete device's memory.
    return kind != MemoryKind::shared || traits.unified || covers_device(traits, type.heap);
}

std::string_view flag_name(Flags flag) noexcept {
    constexpr std::array<std::string_view, 8> names{
        "DEVICE_LOCAL",     "HOST_VISIBLE", "HOST_COHERENT",       "HOST_CACHED",
        "LAZILY_ALLOCATED", "PROTECTED",    "DEVICE_COHERENT_AMD", "DEVICE_UNCACHED_AMD"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (flag == Flags{1} << i) {
            return names[i];
        }
    }
    return "another flag";
}

/// The facts of memory that both sides use in place.
void common_facts(const Traits& traits, Flags flags, const std::string& source, MemoryCapabilities& facts) {
    const bool near = traits.unified || (flags & local) != 0;
    facts.reach = declared(near ? Reach::local : Reach::link, source);
    facts.coherence = declared(Coherence::kernel_boundary, source);
    facts.atomics = inferred(Atomics::device, "Vulkan promises atomics between invocations of one device");
    facts.same_address = not_known(false, "Vulkan does not relate the addresses of the two sides");
    facts.host_cached = declared((flags & cached) != 0, source);
}

} // namespace

int memory_type(const Traits& traits, MemoryKind kind, std::uint32_t allowed) noexcept {
    const Choice& choice = choice_of(kind);
    int best = -1;
    int best_score = -1;
    for (std::uint32_t i = 0; i < traits.memory.type_count; ++i) {
        const MemoryType& type = traits.memory.types[i];
        if ((allowed >> i & 1U) == 0 || !fits(traits, kind, type)) {
            continue;
        }
        const int score = ((type.flags & choice.prefers) == choice.prefers ? 2 : 0) +
                          ((type.flags & choice.avoids) == 0 ? 1 : 0);
        if (score > best_score) {
            best = static_cast<int>(i);
            best_score = score;
        }
    }
    return best;
}

std::string type_text(const Traits& traits, int type) {
    std::string text = "memory type " + std::to_string(type) + ":";
    const Flags flags = traits.memory.types[type].flags;
    const char* between = " ";
    for (unsigned bit = 0; bit < 32; ++bit) {
        if ((flags >> bit & 1U) != 0) {
            text.append(between).append(flag_name(Flags{1} << bit));
            between = " | ";
        }
    }
    return text;
}

bool is_host_cached(const Traits& traits, int type) noexcept {
    constexpr Flags all = visible | coherent | cached;
    return (traits.memory.types[type].flags & all) == all;
}

std::uint32_t device_heap(const PhysicalDeviceMemoryProperties& memory) noexcept {
    std::uint32_t best = 0;
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < memory.heap_count; ++i) {
        if ((memory.heaps[i].flags & static_cast<Flags>(constant::heap_device_local)) != 0 &&
            memory.heaps[i].bytes > bytes) {
            best = i;
            bytes = memory.heaps[i].bytes;
        }
    }
    return best;
}

std::uint64_t device_heap_bytes(const PhysicalDeviceMemoryProperties& memory) noexcept {
    return memory.heaps[device_heap(memory)].bytes;
}

MemoryCapabilities memory_facts(const Traits& traits, const DeviceInfo& info, MemoryKind kind) {
    if (kind == MemoryKind::imported && traits.import_alignment == 0) {
        return without(kind, "The driver lacks VK_EXT_external_memory_host.");
    }
    const int type = memory_type(traits, kind, ~0U);
    if (type < 0) {
        return without(kind, kind == MemoryKind::shared
                                 ? "No memory type that covers the device's memory is DEVICE_LOCAL, "
                                   "HOST_VISIBLE and HOST_COHERENT."
                                 : "No memory type is HOST_VISIBLE and HOST_COHERENT.");
    }
    MemoryCapabilities facts = with(kind);
    const std::string source = type_text(traits, type);
    const Flags flags = traits.memory.types[type].flags;
    common_facts(traits, flags, source, facts);
    facts.migrates = inferred(false, "Vulkan moves no pages");
    facts.pointer_alignment = inferred<std::size_t>(64, "each allocation is one of the driver's");
    facts.size_granularity = inferred<std::size_t>(1, "any size is taken");
    facts.max_size = declared<std::size_t>(info.max_allocation, "maxMemoryAllocationSize and maxBufferSize");
    if (kind == MemoryKind::device) {
        facts.coherence = inferred(Coherence::map, "the host reaches it by mappings and copies");
        facts.same_address = inferred(false, "the host has no address for it");
    } else if (kind == MemoryKind::imported) {
        const char* const extension = "VK_EXT_external_memory_host";
        facts.reach = inferred(traits.unified ? Reach::local : Reach::link, extension);
        facts.host_cached = inferred(true, "ordinary memory of the program");
        facts.pointer_alignment =
            declared<std::size_t>(traits.import_alignment, "minImportedHostPointerAlignment");
        facts.size_granularity =
            declared<std::size_t>(traits.import_alignment, "minImportedHostPointerAlignment");
    }
    return facts;
}

} // namespace ferry::vulkan
