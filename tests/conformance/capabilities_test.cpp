// SPDX-License-Identifier: Apache-2.0
#include "calibration/copy_threads.hpp"
#include "calibration/knowledge.hpp"
#include "check.hpp"
#include "children.hpp"
#include "devices.hpp"
#include "random.hpp"
#include "staging/policy.hpp"
#include "staging/workers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

using namespace conformance;
using ferry::Confidence;
using ferry::MemoryCapabilities;
using ferry::MemoryKind;
using ferry::Probe;

namespace {

constexpr MemoryKind kinds[] = {MemoryKind::device, MemoryKind::host, MemoryKind::shared,
                                MemoryKind::imported};

template <class T>
void check_told(const ferry::Fact<T>& fact) {
    CHECK_FALSE(fact.source.empty());
    CHECK(fact.source.find('\n') == std::string::npos);
    // What was declared stands beside it only where it was found wrong.
    CHECK((fact.declared.empty() || fact.confidence == Confidence::measured));
}

template <class T>
void check_not_more(const ferry::Fact<T>& measured, const ferry::Fact<T>& declared) {
    check_told(measured);
    check_told(declared);
    if (measured.source.find("hung and was killed") != std::string::npos) {
        return; // on a machine with so much to do that 3 s were not enough; tests/trial has hangs on purpose
    }
    CHECK(measured.confidence >= declared.confidence);
    if (declared.confidence != Confidence::unknown) {
        CHECK(measured.value <= declared.value);
        CHECK((measured.value == declared.value) == measured.declared.empty());
    }
}

int share_unmeasured(const ferry::Device& device) {
    std::vector<std::uint32_t> data(1000);
    const auto known = [&] { return ferry::detail::known_calibration(device.state(), {})->known(); };
    const auto shared = ferry::share(device, data, ferry::Access::device_reads);
    return known() ? 1 : 60;
}

// The bound on copy threads as said, and everything of them forgotten, as in a new process.
struct Bounded {
    ferry::detail::staging::Tuning before = ferry::detail::staging::tuning();
    explicit Bounded(unsigned most) {
        ferry::detail::staging::tuning().threads = 0;
        ferry::detail::staging::tuning().most_threads = most;
        ferry::detail::forget_copy_rates();
    }
    Bounded(const Bounded&) = delete;
    Bounded& operator=(const Bounded&) = delete;
    ~Bounded() {
        ferry::detail::staging::tuning() = before;
        ferry::detail::forget_copy_rates();
        ferry::detail::staging::Workers::look_again();
    }
};

const ChildRegistration bodies[] = {{"share unmeasured", share_unmeasured}};

} // namespace

FERRY_TEST("capabilities: every kind has a record, and each fact says where it is from") {
    for (const MemoryKind kind : kinds) {
        INFO("kind ", std::string(to_string(kind)));
        const MemoryCapabilities facts = device.capabilities(kind, Probe::declared);
        CHECK(facts.kind == kind);
        CHECK(facts.available == facts.why_not.empty());
        if (kind != MemoryKind::imported) {
            CHECK(facts.available == device.has(kind));
        }
        if (facts.available) {
            CHECK(facts.pointer_alignment.value > 0);
            CHECK(facts.size_granularity.value > 0);
            CHECK(facts.reach.value != ferry::Reach::none);
            check_told(facts.pointer_alignment);
            check_told(facts.size_granularity);
            check_told(facts.max_size);
        }
    }
}

FERRY_TEST("capabilities: memory is imported where the record says that it can be, and nowhere else") {
    const MemoryCapabilities facts = device.capabilities(MemoryKind::imported, Probe::declared);
    const std::size_t page = 4096;
    const std::size_t bytes = std::max(page, facts.available ? facts.size_granularity.value : 1);
    // As aligned as any device may ask.
    const std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(bytes, bytes), &std::free);
    REQUIRE(memory != nullptr);
    std::memset(memory.get(), 5, bytes);
    const std::span<std::uint8_t> span(static_cast<std::uint8_t*>(memory.get()), bytes);
    if (facts.available) {
        const ferry::Imported<std::uint8_t> imported(device, span);
        CHECK(imported.span().data() == span.data());
    } else {
        CHECK_FALSE(facts.why_not.empty());
        expect_error(ferry::Code::unsupported, {device.id()},
                     [&] { const ferry::Imported<std::uint8_t> imported(device, span); });
    }
}

FERRY_TEST("capabilities: a measurement takes away and never adds") {
    for (const MemoryKind kind : kinds) {
        INFO("kind ", std::string(to_string(kind)));
        const MemoryCapabilities declared = device.capabilities(kind, Probe::declared);
        const MemoryCapabilities measured = device.capabilities(kind);
        CHECK(measured.available == declared.available);
        if (!declared.available) {
            continue;
        }
        check_not_more(measured.reach, declared.reach);
        check_not_more(measured.coherence, declared.coherence);
        check_not_more(measured.atomics, declared.atomics);
        check_not_more(measured.same_address, declared.same_address);
        check_not_more(measured.host_cached, declared.host_cached);
        check_told(measured.migrates);
    }
    check_still_works(device);
}

FERRY_TEST("capabilities: asked again, nothing is measured again") {
    // The sources name the times that were measured: no second measurement has the same.
    const std::string first = ferry::detail::to_text(device.capabilities(MemoryKind::host));
    CHECK(ferry::detail::to_text(device.capabilities(MemoryKind::host)) == first);
    const auto costs = ferry::detail::known_calibration(device.state(), {}); // what share() chooses by
    CHECK(costs != nullptr);
    CHECK(ferry::detail::known_calibration(device.state(), {}) == costs);
}

FERRY_TEST("capabilities: sharing measures nothing by itself") {
    // In a process of its own, with a cache of its own that is empty.
    setenv("FERRY_CACHE_LIMIT", "0", 1);
    check_child("share unmeasured", device, 60);
    unsetenv("FERRY_CACHE_LIMIT");
}

FERRY_TEST("capabilities: the copy threads are measured with the first device that gains from them") {
    const bool gains = device.state().native().gains_from_staging();
    // So many threads are never started: where nobody measures, the bound does not matter.
    const unsigned most = gains ? 2 : 100'000 + random_values<std::uint32_t>(1)[0] % 100'000;
    const Bounded bounded{most};
    static_cast<void>(device.capabilities(MemoryKind::host));
    int measured = 0;
    ferry::detail::learn_copy_rates(most, false, [&](unsigned, std::chrono::milliseconds) {
        ++measured;
        return std::optional<std::vector<ferry::detail::staging::CopyRate>>();
    });
    CHECK(measured == (gains ? 0 : 1));
    const ferry::StagingInfo info = ferry::staging_info(device);
    CHECK(info.most_threads >= 1);
    const bool known = !ferry::detail::known_copy_rates(most).empty();
    CHECK(info.most_threads_source.starts_with(known ? "measured: 1 thread copies " : "default: "));
}
