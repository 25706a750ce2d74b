// SPDX-License-Identifier: Apache-2.0
#include "hal/fact_builders.hpp"
#include "strict/strict_device.hpp"
#include "system/pages.hpp"

namespace ferry::host {

using backend::declared;
using backend::with;
using backend::without;

MemoryCapabilities StrictDevice::memory_facts(MemoryKind kind) const {
    const char* const source = "FERRY_HOST_MODE=strict";
    if (kind == MemoryKind::shared) {
        return without(kind, "The strict device has no memory that both sides address.");
    }
    const bool own = kind == MemoryKind::device;
    MemoryCapabilities facts = with(kind);
    facts.reach = declared(own ? Reach::local : Reach::copy, source);
    facts.coherence = declared(own ? Coherence::map : Coherence::kernel_boundary, source);
    facts.atomics = declared(Atomics::device, source);
    facts.same_address = declared(false, source);
    facts.migrates = declared(false, source);
    facts.host_cached = declared(!own, source);
    const bool imported = kind == MemoryKind::imported;
    facts.pointer_alignment = declared<std::size_t>(imported ? detail::page_size() : 64, source);
    facts.size_granularity = declared<std::size_t>(imported ? detail::page_size() : 1, source);
    facts.max_size = declared<std::size_t>(info().max_allocation, source);
    return facts;
}

} // namespace ferry::host
