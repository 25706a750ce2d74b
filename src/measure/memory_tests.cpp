// SPDX-License-Identifier: Apache-2.0
#include "measure/memory_tests.hpp"

#include "measure/settle.hpp"

#include <ferry/error.hpp>

#include <array>
#include <utility>

namespace ferry::detail::memory_tests {
namespace {

using Facts = MemoryCapabilities;

bool always(const Facts&) {
    return true;
}
bool seen_after_kernels(const Facts& facts) {
    return facts.coherence.value >= Coherence::kernel_boundary ||
           facts.coherence.confidence == Confidence::unknown;
}
bool by_mappings(const Facts& facts) {
    return facts.coherence.value == Coherence::map && facts.coherence.confidence != Confidence::unknown;
}
bool in_place_by_mappings(const Facts& facts) {
    return by_mappings(facts) && facts.reach.value >= Reach::link;
}
bool reached(const Facts& facts) {
    return facts.reach.value != Reach::none;
}
bool concurrent(const Facts& facts) {
    return reached(facts) && facts.coherence.value == Coherence::concurrent;
}
bool system_atomics(const Facts& facts) {
    return reached(facts) && facts.atomics.value == Atomics::system;
}
// A fact whose test ended a process stays unknown, even if kernels are fast on this memory.
bool in_place(const Facts& facts) {
    return facts.reach.value >= Reach::link ||
           (facts.reach.confidence == Confidence::unknown && !is_doubted(facts.reach));
}
bool cached(const Facts& facts) {
    return seen_after_kernels(facts) &&
           (facts.host_cached.value || facts.host_cached.confidence == Confidence::unknown);
}

constexpr std::array devices{
    Test{"reach", "the speed of kernels", asks_speed, always, test_reach, true},
};
constexpr std::array own{
    Test{"address", "the addresses", asks_same_address, always, test_address},
    Test{"storage", "the storage", asks_reach | asks_coherence, seen_after_kernels, test_storage},
    Test{"mapped", "the storage behind mappings", asks_reach | asks_coherence, by_mappings, test_mapped},
    Test{"ordering", "the coherence while a kernel runs", asks_coherence, concurrent, test_ordering},
    Test{"atomics", "the atomics of both sides", asks_atomics, system_atomics, test_atomics},
    Test{"reach", "the speed of kernels", asks_reach | asks_migrates | asks_speed, in_place, test_reach},
    Test{"host_cache", "the speed of the host", asks_host_cached, cached, test_host_cache},
};
constexpr std::array callers{
    Test{"imported", "the storage", asks_reach, reached, test_imported},
    Test{"unmapped", "the storage without a mapping", asks_reach, in_place_by_mappings, test_unmapped},
    Test{"ordering", "the coherence while a kernel runs", asks_coherence, concurrent, test_ordering, true},
    Test{"atomics", "the atomics of both sides", asks_atomics, system_atomics, test_atomics, true},
    Test{"reach", "the speed of kernels", asks_reach | asks_speed, in_place, test_reach, true},
};

/// Calls `change` with each fact that the test determines, and the conservative value of the fact.
template <class Change>
void for_each_asked(Facts& facts, const Test& test, Change change) {
    const auto asked = [&](Asked what) { return (test.asked & what) != 0; };
    if (asked(asks_reach)) {
        change(facts.reach, facts.kind == MemoryKind::imported ? Reach::none : Reach::copy);
    }
    if (asked(asks_coherence)) {
        change(facts.coherence, test.run == test_ordering ? Coherence::kernel_boundary : Coherence::map);
    }
    if (asked(asks_atomics)) {
        change(facts.atomics, Atomics::device);
    }
    if (asked(asks_same_address)) {
        change(facts.same_address, false);
    }
    if (asked(asks_migrates)) {
        change(facts.migrates, facts.migrates.value);
    }
    if (asked(asks_host_cached)) {
        change(facts.host_cached, false);
    }
    if (asked(asks_speed)) {
        change(facts.read_bandwidth, std::uint64_t{0});
        change(facts.read_latency, std::uint64_t{0});
    }
}

template <class Fact>
bool has_no_time(const Fact& fact) {
    return fact.interruption == Interruption::late || fact.interruption == Interruption::killed;
}

} // namespace

std::span<const Test> tests_of(MemoryKind kind) noexcept {
    switch (kind) {
    case MemoryKind::host:
    case MemoryKind::shared:
        return own;
    case MemoryKind::imported:
        return callers;
    case MemoryKind::device:
        return devices;
    }
    return {};
}

namespace {

Facts measure(Session& session, Facts facts, Watch& watch, bool later) {
    if (!facts.available || (facts.kind != MemoryKind::imported && !session.device.has(facts.kind))) {
        return facts;
    }
    for (const Test& test : tests_of(facts.kind)) {
        if (test.later != later || !test.applies(facts)) {
            continue;
        }
        if (!watch.begins(facts, test)) {
            continue;
        }
        if (!session.time_left()) {
            excuse_late(facts, test);
            watch.ends(facts, test);
            continue;
        }
        MemoryCapabilities settled = facts;
        try {
            test.run(session, settled);
            facts = std::move(settled);
        } catch (const Error& error) {
            if (error.code() == Code::device_lost) {
                throw;
            } // No result, so the declared fact stays.
        }
        if (session.gave_up()) {
            excuse_late(facts, test);
        }
        watch.ends(facts, test);
    }
    return facts;
}

} // namespace

void measure(Session& session, std::span<Facts> facts, std::span<const MemoryKind> order, Watch& watch) {
    for (const bool later : {false, true}) {
        for (const MemoryKind kind : order) {
            Facts& of = facts[static_cast<std::size_t>(kind)];
            of = measure(session, std::move(of), watch, later);
        }
    }
}

void doubt(MemoryCapabilities& facts, const Test& test, Interruption how, const std::string& why) {
    for_each_asked(facts, test, [&](auto& fact, auto careful) {
        fact.value = std::min(fact.value, careful);
        fact.confidence = Confidence::unknown;
        fact.source = "unknown: " + why + "; " + (fact.declared.empty() ? fact.source : fact.declared);
        fact.declared.clear();
        fact.interruption = how;
    });
}

std::size_t count_late(const MemoryCapabilities& facts) {
    const auto here = [](const auto& fact) { return static_cast<std::size_t>(has_no_time(fact)); };
    return here(facts.reach) + here(facts.coherence) + here(facts.atomics) + here(facts.same_address) +
           here(facts.migrates) + here(facts.host_cached) + here(facts.read_bandwidth) +
           here(facts.read_latency);
}

bool is_cut_short(const MemoryCapabilities& facts) {
    return count_late(facts) != 0;
}

bool had_no_time(const MemoryCapabilities& facts, const Test& test) {
    bool any = false;
    MemoryCapabilities all = facts;
    for_each_asked(all, test, [&](const auto& fact, auto) { any = any || has_no_time(fact); });
    return any;
}

void reopen(MemoryCapabilities& facts, const MemoryCapabilities& declared) {
    const auto open = [](auto& fact, const auto& was) {
        if (has_no_time(fact)) {
            fact = was;
        }
    };
    open(facts.reach, declared.reach);
    open(facts.coherence, declared.coherence);
    open(facts.atomics, declared.atomics);
    open(facts.same_address, declared.same_address);
    open(facts.migrates, declared.migrates);
    open(facts.host_cached, declared.host_cached);
    open(facts.read_bandwidth, declared.read_bandwidth);
    open(facts.read_latency, declared.read_latency);
}

void excuse(MemoryCapabilities& facts, const Test& test, const std::string& why) {
    if (facts.available && test.applies(facts)) {
        for_each_asked(facts, test, [&](auto& fact, auto) { fact.source += "; not measured: " + why; });
    }
}

void excuse_late(MemoryCapabilities& facts, const Test& test) {
    excuse(facts, test, too_late);
    if (facts.available && test.applies(facts)) {
        for_each_asked(facts, test, [](auto& fact, auto) {
            // Several tests ask for one fact.
            if (fact.interruption == Interruption::none) {
                fact.interruption = Interruption::late;
            }
        });
    }
}

} // namespace ferry::detail::memory_tests
