// SPDX-License-Identifier: Apache-2.0
#include "base/copy_threads.hpp"
#include "check.hpp"
#include "children.hpp"
#include "devices.hpp"
#include "hip_double.hpp"
#include "knowledge/facts_text.hpp"
#include "measure/device_knowledge.hpp"
#include "random.hpp"
#include "staging/copy_thread_count.hpp"
#include "staging/policy.hpp"
#include "staging/slot_sizes.hpp"
#include "system/pages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace capabilities_test {

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
    // The declared value is reported only if the measurement contradicted it.
    CHECK((fact.declared.empty() || fact.confidence == Confidence::measured));
}

template <class T>
void check_not_more(const ferry::Fact<T>& measured, const ferry::Fact<T>& declared) {
    check_told(measured);
    check_told(declared);
    if (was_late(measured)) {
        return; // tests/trial has deliberate hangs
    }
    CHECK(measured.confidence >= declared.confidence);
    if (declared.confidence != Confidence::unknown) {
        CHECK(measured.value <= declared.value);
        CHECK((measured.value == declared.value) == measured.declared.empty());
    }
}

// Each byte plus 7, and the address at which the kernel found the first byte.
constexpr const char* finds = R"(
__kernel void find(__global uchar* data, uint count, __global ulong* address) {
    uint i = get_global_id(0);
    if (i < count) data[i] = (uchar)(data[i] + 7u);
    if (i == 0u) address[0] = (ulong)data;
}
)";

class Finder {
public:
    explicit Finder(const ferry::Device& device)
        : queue_(device),
          find_(ferry::Program(device, ferry::Source::opencl_c(finds, "find.cl")).kernel("find")),
          address_(device, 1) {}

    /// Whether a kernel finds the bytes at the address `host`. Also checks the kernel's results.
    bool finds_at(const ferry::View<std::uint8_t>& view, const std::uint8_t* host) {
        const std::vector<std::uint8_t> values = random_values<std::uint8_t>(view.size());
        std::copy(values.begin(), values.end(), const_cast<std::uint8_t*>(host));
        queue_.fill(address_, ~std::uint64_t{0});
        queue_.launch(find_, ferry::Grid::covering(view.size(), 64), view,
                      static_cast<std::uint32_t>(view.size()), address_);
        const std::uint64_t found = queue_.read(address_)[0];
        std::vector<std::uint8_t> wanted = values;
        for (std::uint8_t& value : wanted) {
            value = static_cast<std::uint8_t>(value + 7);
        }
        check_same(std::vector<std::uint8_t>(host, host + view.size()), wanted);
        return found == reinterpret_cast<std::uintptr_t>(host);
    }

private:
    ferry::Queue queue_;
    ferry::Kernel find_;
    ferry::Buffer<std::uint64_t> address_;
};

const std::size_t page = ferry::detail::page_size();

/// Memory with the largest alignment that any device needs.
std::unique_ptr<std::uint8_t, decltype(&std::free)> aligned_memory(std::size_t bytes) {
    std::unique_ptr<std::uint8_t, decltype(&std::free)> memory(
        static_cast<std::uint8_t*>(std::aligned_alloc(bytes, bytes)), &std::free);
    REQUIRE(memory != nullptr);
    std::memset(memory.get(), 5, bytes);
    return memory;
}

/// Whether a share reports correctly if measured costs decided, and how to measure the costs if they may
/// matter.
bool tells_what_chose(const ferry::Device& device) {
    std::vector<std::uint32_t> data(1000);
    const ferry::Explanation told = ferry::share(device, data, ferry::Access::device_reads).explain();
    const bool known = ferry::detail::known_cost_model(device.state(), {})->known();
    const bool built_in = ferry::one_line(told).find(" predicted by built-in figures") != std::string::npos;
    const auto hints = std::count_if(told.hints.begin(), told.hints.end(), [](const std::string& hint) {
        return hint.find("`ferry info` without FERRY_CALIBRATION=off") != std::string::npos;
    });
    using ferry::backend::ImportReach;
    const ImportReach reach = device.state().native().import_reach();
    const bool over_a_bus = reach == ImportReach::link || reach == ImportReach::migrates;
    return told.measured == known && built_in == !known && hints == (over_a_bus && !known ? 1 : 0);
}

int share_unmeasured(const ferry::Device& device) {
    const bool told = tells_what_chose(device);
    const bool known = ferry::detail::known_cost_model(device.state(), {})->known();
    return known || !told ? 1 : 60;
}

// Sets the bound on copy threads and forgets their measurements, as in a new process.
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
        // Restores only this value, because idle copy threads still read how long they may stay.
        ferry::detail::staging::tuning().threads = before.threads;
        ferry::detail::staging::tuning().most_threads = before.most_threads;
        ferry::detail::forget_copy_rates();
        ferry::detail::staging::Workers::look_again();
    }
};

/// Number of commands enqueued and buffers created so far, of any kind. A measurement needs some.
long long work_of(const ferry::Device& device) {
    long long sum = 0;
    for (const char* const function :
         {"hipModuleLaunchKernel", "hipMalloc", "hipHostMalloc", "hipMallocManaged", "hipHostRegister",
          "hipMemcpyHtoDAsync", "hipMemcpyDtoHAsync", "hipMemsetD32Async", "hipModuleLoadDataEx"}) {
        sum += std::max(double_calls(device, function), 0LL);
    }
    return sum;
}

long long launches_of(const ferry::Device& device) {
    return double_calls(device, "hipModuleLaunchKernel");
}

/// A program that asks for no facts and shares nothing. It must cause only its own launches.
bool plain_program(const ferry::Device& device) {
    const long long before = launches_of(device);
    ferry::Queue queue(device);
    const ferry::Kernel kernel =
        ferry::Program(device, "__kernel void up(__global uint* data) { data[get_global_id(0)] += 3u; }")
            .kernel("up");
    std::vector<std::uint32_t> words(6400, 4);
    ferry::Buffer<std::uint32_t> data(device, words.size());
    for (int i = 0; i < 5; ++i) {
        queue.copy(words, data);
        queue.launch(kernel, ferry::Grid::covering(words.size(), 64), data);
        words = queue.read(data);
    }
    return words.front() == 19 && launches_of(device) == before + 5;
}

/// The work caused by asking for all facts, and by sharing, at the start of a process.
long long work_of_asking(const ferry::Device& device) {
    ferry::detail::forget(device.state());
    const long long before = work_of(device);
    for (const MemoryKind kind : kinds) {
        static_cast<void>(device.capabilities(kind));
    }
    static_cast<void>(ferry::detail::known_cost_model(device.state(), {}));
    return work_of(device) - before;
}

std::string text_of_all(const ferry::Device& device, Probe probe) {
    std::string text;
    for (const MemoryKind kind : kinds) {
        text += ferry::detail::to_text(device.capabilities(kind, probe));
    }
    return text;
}

int measured_once(const ferry::Device& device) {
    if (!plain_program(device)) {
        return 1;
    }
    setenv("FERRY_CALIBRATION", "off", 1);
    if (work_of_asking(device) != 0 || !plain_program(device)) {
        return 2;
    }
    unsetenv("FERRY_CALIBRATION");
    // With an empty cache, child processes measure. They are started up to three times if the time was too
    // short.
    for (int i = 0; i < 8; ++i) {
        if (work_of_asking(device) != 0) {
            return 3;
        }
    }
    const std::string known = text_of_all(device, Probe::cached);
    if (known == text_of_all(device, Probe::declared)) {
        return 4;
    }
    setenv("FERRY_TOOL", "/nowhere/ferry", 1); // from here on, measurements are impossible
    if (work_of_asking(device) != 0 || text_of_all(device, Probe::cached) != known ||
        !plain_program(device)) {
        return 5;
    }
    if (!tells_what_chose(device)) { // if the time sufficed, the costs are known now
        return 6;
    }
    setenv("FERRY_CALIBRATION", "off", 1);
    return work_of_asking(device) == 0 ? 60 : 7;
}

const ChildRegistration bodies[] = {{"share unmeasured", share_unmeasured}, {"measured once", measured_once}};

} // namespace

FERRY_TEST("capabilities: every kind has a record, and each fact has its source") {
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

FERRY_TEST("capabilities: memory is imported exactly if the record allows it") {
    const MemoryCapabilities facts = device.capabilities(MemoryKind::imported, Probe::declared);
    const std::size_t bytes = std::max(page, facts.available ? facts.size_granularity.value : 1);
    const auto memory = aligned_memory(bytes);
    const std::span<std::uint8_t> span(memory.get(), bytes);
    if (facts.available) {
        const ferry::Imported<std::uint8_t> imported(device, span);
        CHECK(imported.span().data() == span.data());
    } else {
        CHECK_FALSE(facts.why_not.empty());
        expect_error(ferry::Code::unsupported, {device.id()},
                     [&] { const ferry::Imported<std::uint8_t> imported(device, span); });
    }
}

FERRY_TEST("capabilities: the program's memory is in place from the alignment on that the record has") {
    const MemoryCapabilities facts = device.capabilities(MemoryKind::imported, Probe::declared);
    if (!facts.available) {
        return;
    }
    const bool strict = matches(device, ", strict");
    const ferry::Backend backend = device.backend();
    // Drivers that lock pages lock the whole pages around the bytes. On processors, OpenCL uses the same
    // address.
    const bool rounds = backend == ferry::Backend::cuda || backend == ferry::Backend::hip ||
                        backend == ferry::Backend::vulkan;
    const bool processor = backend == ferry::Backend::opencl && device.info().kind == ferry::DeviceKind::cpu;
    const bool in_place = facts.reach.value >= ferry::Reach::link;
    const auto memory = aligned_memory(8 * page);
    Finder finder(device);
    for (std::size_t alignment = 1; alignment <= page; alignment *= 2) {
        for (const std::size_t bytes : {std::size_t{1}, 9 * std::size_t{64}, page, page + 129}) {
            INFO(bytes, " bytes at a multiple of ", alignment, " and of no more");
            const std::span<std::uint8_t> span(memory.get() + alignment, bytes);
            const bool fits =
                alignment % facts.pointer_alignment.value == 0 && bytes % facts.size_granularity.value == 0;
            if (strict && !fits) {
                expect_error(ferry::Code::unsupported, {"whole pages only"},
                             [&] { const ferry::Imported<std::uint8_t> imported(device, span); });
                continue;
            }
            const ferry::Imported<std::uint8_t> imported(device, span);
            const bool found = finder.finds_at(imported, span.data());
            if (!in_place || !(fits || rounds)) {
                CHECK_FALSE(found);
            } else if (facts.same_address.value || processor) {
                CHECK(found);
            }
        }
    }
}

FERRY_TEST("capabilities: one address for the program's memory is that of each view of it") {
    const MemoryCapabilities facts = device.capabilities(MemoryKind::imported, Probe::declared);
    if (!facts.available || !facts.same_address.value) {
        return;
    }
    const auto memory = aligned_memory(4 * page);
    const ferry::Imported<std::uint8_t> whole(device, {memory.get() + 1, 3 * page});
    const ferry::Imported<std::uint8_t> second(device, {memory.get() + page + 1, 3 * page - 1});
    Finder finder(device);
    for (int i = 0; i < 20; ++i) {
        const ferry::View<std::uint8_t> all = i % 2 == 0 ? whole.view() : second.view();
        const std::uint8_t* const begin = memory.get() + (i % 2 == 0 ? 1 : page + 1);
        const std::size_t first = random_below(all.size());
        const std::size_t count = 1 + random_below(all.size() - first);
        INFO(count, " bytes from byte ", first, " on");
        CHECK(finder.finds_at(all.subview(first, count), begin + first));
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

FERRY_TEST("capabilities: how fast kernels read is measured of memory that they use in place") {
    for (const MemoryKind kind : kinds) {
        INFO("kind ", std::string(to_string(kind)));
        const MemoryCapabilities declared = device.capabilities(kind, Probe::declared);
        const MemoryCapabilities measured = device.capabilities(kind);
        for (const auto fact : {&MemoryCapabilities::read_bandwidth, &MemoryCapabilities::read_latency}) {
            CHECK((declared.*fact).value == 0);
            CHECK((declared.*fact).confidence == Confidence::unknown);
            CHECK((declared.*fact).source.empty() == !declared.available);
            CHECK(((measured.*fact).value != 0) == ((measured.*fact).confidence == Confidence::measured));
            if (!measured.available || measured.reach.value < ferry::Reach::link) {
                continue;
            }
            const std::string& source = (measured.*fact).source;
            // The source reports a time that was too short and a test with a wrong result. If the limit of
            // locked memory prevents a test, the declared value remains.
            CHECK_MESSAGE(
                (source.find("measured: ") == 0 || source.find("not measured: ") != std::string::npos ||
                 source.find("unknown: ") == 0 ||
                 (measured.reach.confidence != Confidence::measured && source == (declared.*fact).source)),
                source);
        }
    }
}

FERRY_TEST("capabilities: asked again, nothing is measured again") {
    // The sources contain the measured times, and a second measurement would give different times.
    const std::string first = ferry::detail::to_text(device.capabilities(MemoryKind::host));
    CHECK(ferry::detail::to_text(device.capabilities(MemoryKind::host)) == first);
    const auto costs = ferry::detail::known_cost_model(device.state(), {}); // share() chooses by these
    CHECK(costs != nullptr);
    CHECK(ferry::detail::known_cost_model(device.state(), {}) == costs);
}

FERRY_TEST("capabilities: sharing alone measures nothing") {
    // Runs in a separate process with a separate, empty cache.
    setenv("FERRY_CACHE_LIMIT", "0", 1);
    check_child("share unmeasured", device, 60);
    unsetenv("FERRY_CACHE_LIMIT");
}

FERRY_TEST(
    "capabilities: the copy threads and slots are measured with the first device that gains from them") {
    const bool gains = device.state().native().gains_from_staging();
    // Without a measurement the bound is unused, so these many threads are never started.
    const unsigned most = gains ? 2 : 100'000 + random_values<std::uint32_t>(1)[0] % 100'000;
    const Bounded bounded{most};
    static_cast<void>(device.capabilities(MemoryKind::host));
    int measured = 0;
    ferry::detail::learn_copy_rates(most, false, [&](unsigned, std::chrono::milliseconds) {
        ++measured;
        return std::optional<std::vector<ferry::detail::staging::CopyRate>>();
    });
    CHECK(measured == (gains ? 0 : 1));
    const auto threads_known = [&] { return !ferry::detail::known_copy_rates(most).empty(); };
    const auto slots_known = [&] { return !ferry::detail::known_slot_rates(device.state()).empty(); };
    bool threads = false;
    bool slots = false;
    ferry::StagingInfo info;
    do { // other processes measure too, and publish their results
        threads = threads_known();
        slots = slots_known();
        info = ferry::staging_info(device);
    } while (threads != threads_known() || slots != slots_known());
    CHECK(info.most_threads >= 1);
    CHECK_MESSAGE(info.most_threads_source.starts_with(threads ? "measured: 1 thread copies " : "default: "),
                  info.most_threads_source);
    CHECK((gains || !slots));
    const std::string now = slots ? "measured: with 1 MiB " : "default: ";
    CHECK_MESSAGE(
        (info.slot_bytes_source.starts_with(now) ||
         info.slot_bytes_source.starts_with("made before, or as large as the system gave; now " + now)),
        info.slot_bytes_source);
}

FERRY_TEST("capabilities: the double is measured once, and only on request") {
    inject(device, ""); // throws Error (unsupported) elsewhere
    const char* const given = std::getenv("FERRY_CACHE_DIR");
    const std::string before = given != nullptr ? given : "";
    std::string empty = "/tmp/ferry-measured-XXXXXX";
    REQUIRE(mkdtemp(empty.data()) != nullptr);
    setenv("FERRY_CACHE_DIR", empty.c_str(), 1);
    check_child("measured once", device, 60);
    before.empty() ? unsetenv("FERRY_CACHE_DIR") : setenv("FERRY_CACHE_DIR", before.c_str(), 1);
    std::filesystem::remove_all(empty);
}

} // namespace capabilities_test
