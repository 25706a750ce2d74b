// SPDX-License-Identifier: Apache-2.0
#include "hal/fact_builders.hpp"
#include "host_device.hpp"

namespace ferry::host {

using backend::declared;
using backend::with;
using backend::without;

MemoryCapabilities HostDevice::memory_facts(MemoryKind kind) const {
    const char* const source = "the device is the processor";
    MemoryCapabilities facts = with(kind);
    facts.reach = declared(Reach::local, source);
    facts.coherence = declared(Coherence::concurrent, source);
    facts.atomics = declared(Atomics::system, source);
    facts.same_address = declared(true, source);
    facts.migrates = declared(false, source);
    facts.host_cached = declared(true, source);
    facts.pointer_alignment =
        declared<std::size_t>(kind == MemoryKind::imported ? 1 : 64, "what Ferry allocates");
    facts.size_granularity = declared<std::size_t>(1, source);
    facts.max_size = declared<std::size_t>(info_.max_allocation, "the machine's memory");
    // The contract gives the host no address for it, so that a program that runs here also runs elsewhere.
    if (kind == MemoryKind::device) {
        facts.coherence = declared(Coherence::map, "memory of kind device has no address on the host");
        facts.same_address = declared(false, "memory of kind device has no address on the host");
    }
    return facts;
}

} // namespace ferry::host
