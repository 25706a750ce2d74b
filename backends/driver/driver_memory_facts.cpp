// SPDX-License-Identifier: Apache-2.0
#include "driver/driver_memory_facts.hpp"

#include "system/pages.hpp"

namespace ferry::driver {
namespace {

using backend::declared;
using backend::inferred;
using backend::not_known;
using backend::with;
using backend::without;

std::string both(const Answer& a, const Answer& b) {
    return a.text() + ", " + b.text();
}

MemoryCapabilities own_memory(const MemoryAnswers& answers) {
    MemoryCapabilities facts = with(MemoryKind::device);
    facts.reach = inferred(Reach::local, "the device's own memory");
    facts.coherence = inferred(Coherence::map, "the host reaches it by copies");
    facts.atomics = inferred(Atomics::device, "the device's own memory");
    facts.same_address = inferred(false, "the host has no address for it");
    facts.migrates = inferred(false, "the device's own memory");
    facts.host_cached = inferred(false, "the host has no address for it");
    facts.pointer_alignment = inferred<std::size_t>(256, "what both vendors document");
    facts.size_granularity = inferred<std::size_t>(1, "any size is taken");
    facts.max_size = declared<std::size_t>(answers.total_memory, "the device's memory");
    return facts;
}

// If the device shares the memory or the page tables, there is no bus in between, or a fast one; otherwise it
// is PCIe.
Fact<Reach> reach_of_host_pages(const MemoryAnswers& answers) {
    return declared(answers.integrated.yes() ? Reach::local : Reach::link, answers.integrated.text());
}

void add_page_limits(MemoryCapabilities& facts) {
    const std::size_t page = detail::page_size();
    facts.pointer_alignment = inferred(page, "pages are locked whole");
    facts.size_granularity =
        inferred<std::size_t>(facts.kind == MemoryKind::imported ? page : 1, "pages are locked whole");
    facts.max_size = not_known<std::size_t>(0, "neither vendor states a limit");
}

// System-wide atomics exist only if the link supports them. Without them CUDA's still work on the device.
Fact<Atomics> cuda_atomics(const MemoryAnswers& answers) {
    return declared(answers.host_atomics.yes() ? Atomics::system : Atomics::device,
                    answers.host_atomics.text());
}
// AMD's atomics on host memory need a link that supports them. Without it they are lost, including the
// device's own.
Fact<Atomics> hip_atomics(const MemoryAnswers& answers, Reach reach) {
    if (answers.host_atomics.yes()) {
        return declared(Atomics::system, answers.host_atomics.text());
    }
    return inferred(reach == Reach::local ? Atomics::device : Atomics::none, answers.host_atomics.text());
}
Fact<Coherence> hip_coherence(const MemoryAnswers& answers) {
    return inferred(answers.fine_grained.yes() ? Coherence::concurrent : Coherence::kernel_boundary,
                    answers.fine_grained.text());
}

std::string no_managed_memory(const MemoryAnswers& answers) {
    if (!answers.allocates_managed) {
        return "The driver's library has no function that allocates managed memory.";
    }
    if (!answers.managed.yes()) {
        return answers.managed.text() + ": the device has no managed memory.";
    }
    if (!answers.concurrent_managed.yes()) {
        return answers.concurrent_managed.text() +
               ": the host must not touch managed memory while any kernel of the device runs.";
    }
    return {};
}

// Managed memory under Windows and on some embedded devices is moved to the device for each launch.
MemoryCapabilities unusable_managed(const MemoryAnswers& answers, std::string why_not) {
    MemoryCapabilities facts = without(MemoryKind::shared, std::move(why_not));
    if (answers.allocates_managed && answers.managed.yes()) {
        facts.reach = inferred(answers.integrated.yes() ? Reach::local : Reach::copy,
                               both(answers.concurrent_managed, answers.integrated));
        facts.coherence = declared(Coherence::exclusive, answers.concurrent_managed.text());
        facts.atomics = inferred(Atomics::device, answers.concurrent_managed.text());
        facts.same_address = inferred(true, answers.managed.text());
    }
    return facts;
}

MemoryCapabilities no_registering() {
    return without(MemoryKind::imported,
                   "The driver's library has no function that page-locks memory that exists already.");
}

MemoryCapabilities no_mapping(MemoryKind kind, const Answer& answer) {
    return without(kind, answer.text() + ": kernels cannot use the host's memory.");
}

} // namespace

MemoryCapabilities cuda_memory_facts(const MemoryAnswers& answers, MemoryKind kind) {
    MemoryCapabilities facts = with(kind);
    switch (kind) {
    case MemoryKind::device:
        return own_memory(answers);
    case MemoryKind::host:
        if (!answers.map_host_memory.yes()) {
            return no_mapping(kind, answers.map_host_memory);
        }
        facts.reach = reach_of_host_pages(answers);
        facts.coherence = inferred(Coherence::concurrent, "page-locked and mapped");
        facts.atomics = cuda_atomics(answers);
        facts.same_address = declared(answers.unified_addressing.yes(), answers.unified_addressing.text());
        facts.migrates = inferred(false, "page-locked");
        // If a processor's caches do not see the device's accesses, the driver makes such memory uncached,
        // and it cannot register memory either.
        facts.host_cached = inferred(!answers.integrated.yes() || answers.host_register.yes(),
                                     both(answers.integrated, answers.host_register));
        add_page_limits(facts);
        return facts;
    case MemoryKind::shared: {
        if (std::string why_not = no_managed_memory(answers); !why_not.empty()) {
            return unusable_managed(answers, std::move(why_not));
        }
        facts.reach = inferred(Reach::local, answers.integrated.yes() ? answers.integrated.text()
                                                                      : "pages move to the device");
        facts.coherence = declared(Coherence::concurrent, answers.concurrent_managed.text());
        facts.atomics = cuda_atomics(answers);
        facts.same_address = inferred(true, answers.managed.text());
        facts.migrates = inferred(!answers.integrated.yes(), answers.integrated.text());
        // Pages that have moved away are read over the link if possible, otherwise transferred.
        facts.host_cached = inferred(!answers.direct_managed.yes() || answers.host_page_tables.yes() ||
                                         answers.integrated.yes(),
                                     both(answers.direct_managed, answers.host_page_tables));
        add_page_limits(facts);
        facts.max_size = not_known<std::size_t>(0, "more than the device's memory may be taken");
        return facts;
    }
    case MemoryKind::imported:
        break;
    }
    facts.migrates = inferred(false, "page-locked");
    facts.host_cached = inferred(true, "ordinary memory of the program");
    facts.atomics = cuda_atomics(answers);
    if (answers.pageable.yes()) {
        const bool walks = answers.host_page_tables.yes();
        const std::string source = both(answers.pageable, answers.host_page_tables);
        facts.reach = walks ? reach_of_host_pages(answers) : inferred(Reach::local, source);
        facts.coherence = declared(walks ? Coherence::concurrent : Coherence::kernel_boundary, source);
        facts.same_address = declared(true, answers.pageable.text());
        facts.migrates = inferred(!walks, source);
        facts.pointer_alignment = inferred<std::size_t>(1, answers.pageable.text());
        facts.size_granularity = inferred<std::size_t>(1, answers.pageable.text());
        facts.max_size = not_known<std::size_t>(0, answers.pageable.text());
        return facts;
    }
    if (!answers.map_host_memory.yes() || !answers.host_register.yes()) {
        return answers.map_host_memory.yes()
                   ? without(kind, answers.host_register.text() +
                                       ": the driver cannot page-lock memory that exists already.")
                   : no_mapping(kind, answers.map_host_memory);
    }
    if (!answers.registers_host) {
        return no_registering();
    }
    facts.reach = reach_of_host_pages(answers);
    facts.coherence = inferred(Coherence::concurrent, "page-locked and mapped");
    facts.same_address = declared(answers.registered_pointer.yes(), answers.registered_pointer.text());
    add_page_limits(facts);
    return facts;
}

MemoryCapabilities hip_memory_facts(const MemoryAnswers& answers, MemoryKind kind) {
    MemoryCapabilities facts = with(kind);
    switch (kind) {
    case MemoryKind::device:
        return own_memory(answers);
    case MemoryKind::host:
        if (!answers.map_host_memory.yes()) {
            return no_mapping(kind, answers.map_host_memory);
        }
        facts.reach = reach_of_host_pages(answers);
        facts.coherence = hip_coherence(answers);
        facts.atomics = hip_atomics(answers, facts.reach.value);
        // hipDeviceAttributeUnifiedAddressing describes whether the host reaches managed memory, not this
        // fact.
        facts.same_address = not_known(false, "no attribute tells");
        facts.migrates = inferred(false, "page-locked");
        facts.host_cached = inferred(true, "not write-combined");
        add_page_limits(facts);
        return facts;
    case MemoryKind::shared: {
        if (std::string why_not = no_managed_memory(answers); !why_not.empty()) {
            return unusable_managed(answers, std::move(why_not));
        }
        // Pages move only if the device can wait for a missing one (XNACK). Otherwise they stay with the
        // host.
        const bool moves = answers.pageable.yes() && !answers.integrated.yes();
        const std::string source = both(answers.integrated, answers.pageable);
        facts.reach = inferred(answers.integrated.yes() || moves ? Reach::local : Reach::link, source);
        facts.coherence = hip_coherence(answers);
        facts.atomics = hip_atomics(answers, facts.reach.value);
        facts.same_address = inferred(true, answers.managed.text());
        facts.migrates = inferred(moves, source);
        facts.host_cached = inferred(!moves || !answers.direct_managed.yes(), answers.direct_managed.text());
        add_page_limits(facts);
        return facts;
    }
    case MemoryKind::imported:
        break;
    }
    facts.host_cached = inferred(true, "ordinary memory of the program");
    facts.coherence = hip_coherence(answers);
    if (answers.pageable.yes()) {
        const bool moves = !answers.integrated.yes();
        facts.reach = inferred(Reach::local, both(answers.pageable, answers.integrated));
        facts.atomics = hip_atomics(answers, facts.reach.value);
        facts.same_address = declared(true, answers.pageable.text());
        facts.migrates = inferred(moves, answers.integrated.text());
        facts.pointer_alignment = inferred<std::size_t>(1, answers.pageable.text());
        facts.size_granularity = inferred<std::size_t>(1, answers.pageable.text());
        facts.max_size = not_known<std::size_t>(0, answers.pageable.text());
        return facts;
    }
    if (!answers.map_host_memory.yes()) {
        return no_mapping(kind, answers.map_host_memory);
    }
    if (!answers.registers_host) {
        return no_registering();
    }
    facts.reach = reach_of_host_pages(answers);
    facts.atomics = hip_atomics(answers, facts.reach.value);
    facts.same_address = declared(answers.registered_pointer.yes(), answers.registered_pointer.text());
    facts.migrates = inferred(false, "page-locked");
    add_page_limits(facts);
    return facts;
}

} // namespace ferry::driver
