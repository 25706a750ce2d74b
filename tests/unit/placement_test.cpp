// SPDX-License-Identifier: Apache-2.0
#include "share/placement.hpp"
#include "share/placement_defaults.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace placement_test {

namespace placement = ferry::detail::placement;
using ferry::Access;
using ferry::Backend;
using ferry::Pattern;
using ferry::Placement;
using placement::Facts;
using placement::Reach;

namespace {

Facts machine(Backend backend, Reach reach, bool maps = false) {
    ferry::DeviceInfo info;
    info.backend = backend;
    Facts facts;
    facts.device = "device";
    facts.reach = reach;
    facts.locks = reach == Reach::link;
    facts.costs = placement::default_costs(info, reach, maps);
    return facts;
}

Facts discrete() {
    return machine(Backend::cuda, Reach::link);
}
Facts discrete_page_locked() {
    Facts facts = discrete();
    facts.page_locked = true;
    return facts;
}
Facts stack_on_discrete() {
    Facts facts = discrete();
    facts.no_import = "the memory is on a thread's stack";
    return facts;
}
Facts apu() {
    return machine(Backend::hip, Reach::local);
}
Facts host_page_tables() { // a coherent link; page-locking is not needed
    Facts facts = discrete();
    facts.page_locked = true;
    facts.costs.link_read = facts.costs.link_write = 400e9;
    facts.costs.pinned_up = facts.costs.pinned_down = 380e9;
    return facts;
}
Facts heterogeneous_pages() {
    return machine(Backend::cuda, Reach::migrates);
}
Facts opencl_processor() {
    return machine(Backend::opencl, Reach::local);
}
Facts opencl_processor_that_maps() {
    return machine(Backend::opencl, Reach::local, true);
}
Facts opencl_discrete() {
    return machine(Backend::opencl, Reach::copy);
}
Facts apart() {
    return machine(Backend::host, Reach::none);
}

struct Row {
    const char* what;
    Facts (*facts)();
    placement::Intent intent;
    Placement best;
};

constexpr std::size_t mib = std::size_t{1} << 20;

} // namespace

TEST_CASE("placement: the table of machines and intents") {
    const Row rows[] = {
        {"ordinary memory, read once", discrete, {Access::device_reads, 1024 * mib, 1}, Placement::stage},
        // The fastest placements measured on machines with an H200 and with an H100.
        {"ordinary memory, small: page-locking takes longer than copies",
         discrete,
         {Access::device_reads, 4096, 1},
         Placement::stage},
        {"ordinary memory, small, both ways",
         discrete,
         {Access::device_updates, 256 << 10, 1},
         Placement::stage},
        {"ordinary memory, 1 MiB read", discrete, {Access::device_reads, mib, 1}, Placement::stage},
        {"ordinary memory, 1 MiB both ways", discrete, {Access::device_updates, mib, 1}, Placement::link},
        {"ordinary memory, 4 MiB both ways", discrete, {Access::device_updates, 4 * mib, 1}, Placement::link},
        {"ordinary memory, 16 MiB both ways",
         discrete,
         {Access::device_updates, 16 * mib, 1},
         Placement::stage},
        {"page-locked, read once: no copy that could overlap",
         discrete_page_locked,
         {Access::device_reads, 256 * mib, 1},
         Placement::copy},
        {"page-locked, read ten times",
         discrete_page_locked,
         {Access::device_reads, 256 * mib, 10},
         Placement::copy},
        {"page-locked, one in a hundred",
         discrete_page_locked,
         {Access::device_reads, 256 * mib, 1, Pattern::sparse},
         Placement::link},
        {"page-locked, in no order",
         discrete_page_locked,
         {Access::device_reads, 256 * mib, 1, Pattern::random},
         Placement::copy},
        {"page-locked, small", discrete_page_locked, {Access::device_writes, 4096, 1}, Placement::link},
        {"page-locked, small, read ten times",
         discrete_page_locked,
         {Access::device_reads, 64 << 10, 10},
         Placement::copy},
        {"page-locked, both ways at once",
         discrete_page_locked,
         {Access::device_updates, 256 * mib, 1},
         Placement::link},
        {"the stack", stack_on_discrete, {Access::device_updates, 4096, 1}, Placement::stage},
        {"an APU", apu, {Access::device_updates, 64 * mib, 10}, Placement::alias},
        {"host page tables, read once",
         host_page_tables,
         {Access::device_reads, 16 * mib, 1},
         Placement::link},
        {"host page tables, read ten times",
         host_page_tables,
         {Access::device_reads, 256 * mib, 10},
         Placement::copy},
        {"pages that migrate, sparse",
         heterogeneous_pages,
         {Access::device_reads, 256 * mib, 1, Pattern::sparse},
         Placement::migrate},
        {"an OpenCL processor", opencl_processor, {Access::device_writes, mib, 1}, Placement::alias},
        {"one that maps, little",
         opencl_processor_that_maps,
         {Access::device_updates, 4096, 1},
         Placement::stage},
        {"one that maps, often",
         opencl_processor_that_maps,
         {Access::device_reads, 64 << 10, 10},
         Placement::stage},
        {"one that maps, much",
         opencl_processor_that_maps,
         {Access::device_reads, 4 * mib, 1},
         Placement::alias},
        {"an OpenCL discrete device", opencl_discrete, {Access::device_reads, mib, 1}, Placement::stage},
        {"memory apart", apart, {Access::device_reads, mib, 1}, Placement::stage},
    };
    for (const Row& row : rows) {
        INFO(row.what);
        const auto ranked = placement::rank(row.facts(), row.intent);
        REQUIRE(ranked.size() == 5);
        std::string all;
        for (const auto& option : ranked) {
            all += std::string(ferry::to_string(option.placement)) + " " +
                   (option.why_not.empty() ? placement::in_time(option.seconds) : option.why_not) + "; ";
        }
        INFO(all);
        CHECK(ferry::to_string(ranked.front().placement) == ferry::to_string(row.best));
        CHECK(ranked.front().why_not.empty());
        bool possible = true; // possible placements come first
        for (const auto& option : ranked) {
            CHECK((possible || !option.why_not.empty()));
            possible = option.why_not.empty();
        }
    }
}

TEST_CASE("placement: without room on the device, the memory stays in place") {
    Facts facts = discrete_page_locked();
    facts.free_memory = mib;
    const auto ranked = placement::rank(facts, {Access::device_reads, 256 * mib, 10});
    CHECK(ranked.front().placement == Placement::link);
    const auto copy = std::find_if(ranked.begin(), ranked.end(),
                                   [](const auto& o) { return o.placement == Placement::copy; });
    CHECK(copy->why_not == "device has room for 1048576 bytes of 268435456");
}

TEST_CASE("placement: more passes never make working in place better") {
    bool copied = false;
    for (double passes = 1; passes < 1000; passes *= 2) {
        const auto best =
            placement::rank(discrete_page_locked(), {Access::device_reads, mib, passes}).front();
        CHECK((!copied || best.placement == Placement::copy));
        copied = copied || best.placement == Placement::copy;
    }
    CHECK(copied);
}

namespace {

ferry::detail::Curve line(double latency, double bandwidth) {
    ferry::detail::Curve curve;
    for (std::size_t i = 0; i < curve.sizes.size(); ++i) {
        curve.seconds[i] = latency + static_cast<double>(curve.sizes[i]) / bandwidth;
    }
    return curve;
}

/// Sets the same cost for every kind of round on the device.
void set(ferry::detail::RoundCosts& costs, double latency, double bandwidth, double again) {
    costs.reads = costs.writes = costs.updates = line(latency, bandwidth);
    costs.read_again = costs.update_again = line(1e-6, again);
}

} // namespace

TEST_CASE("placement: measured costs override the defaults") {
    const auto costs = std::make_shared<ferry::detail::CostModel>();
    const auto of = [&](Placement p) -> ferry::detail::RoundCosts& {
        return costs->ordinary[static_cast<std::size_t>(p)];
    };
    Facts facts = discrete();
    facts.measured = costs;
    const auto best = [&](const placement::Intent& intent) {
        return placement::rank(facts, intent).front().placement;
    };
    const placement::Intent once{Access::device_reads, 16 * mib, 1};
    const auto from_measuring = [&] {
        const placement::Option taken = placement::rank(facts, once).front();
        const bool named = placement::why_taken(facts, taken).find("built-in figures") != std::string::npos;
        CHECK(named == !taken.measured);
        CHECK(placement::hint_to_measure(facts, taken).empty() == taken.measured);
        return taken.measured;
    };
    CHECK(best(once) == placement::rank(discrete(), once).front().placement); // without measurements
    CHECK(!from_measuring());

    set(of(Placement::stage), 30e-6, 5e9, 1e12);
    set(of(Placement::copy), 90e-6, 20e9, 1e12);
    set(of(Placement::link), 50e-6, 25e9, 25e9);
    of(Placement::link).sparse = 0.08;
    of(Placement::link).random = 8;
    CHECK(best({Access::device_reads, 4096, 1}) == Placement::stage);
    CHECK(best(once) == Placement::link);
    CHECK(from_measuring());
    CHECK(best({Access::device_updates, 16 * mib, 10}) == Placement::copy);
    CHECK(best({Access::device_writes, 16 * mib, 1, Pattern::random}) == Placement::copy);
    CHECK(best({Access::device_reads, 16 * mib, 10, Pattern::sparse}) == Placement::link);

    // Page-locked memory has separate figures.
    set(costs->page_locked[static_cast<std::size_t>(Placement::copy)], 5e-6, 50e9, 1e12);
    facts.page_locked = true;
    CHECK(best(once) == Placement::copy);
    // An impossible placement remains impossible.
    facts.no_import = "because";
    facts.page_locked = false;
    CHECK(best(once) == Placement::stage);
}

TEST_CASE("placement: a copy without measured costs does not win by its estimate") {
    const auto costs = std::make_shared<ferry::detail::CostModel>();
    set(costs->ordinary[static_cast<std::size_t>(Placement::alias)], 150e-6, 25e9, 30e9);
    set(costs->ordinary[static_cast<std::size_t>(Placement::stage)], 380e-6, 10e9, 30e9);
    Facts facts = opencl_processor();
    facts.measured = costs;
    for (const bool page_locked : {false, true}) {
        facts.page_locked = page_locked;
        for (const std::size_t bytes : {std::size_t{4096}, mib, 256 * mib}) {
            CHECK(placement::rank(facts, {Access::device_updates, bytes, 1}).front().placement ==
                  Placement::alias);
        }
    }
    // If a device copies the host's memory, the measured time of a staged copy applies.
    facts = opencl_discrete();
    facts.measured = costs;
    facts.page_locked = true;
    const auto copy = placement::rank(facts, {Access::device_reads, mib, 1}).front();
    CHECK(copy.placement == Placement::copy);
    CHECK(copy.seconds > 380e-6);
}

TEST_CASE("placement: an option that was not measured has one prediction, which is compared and shown") {
    std::size_t raised = 0;
    for (Facts facts : {opencl_processor(), opencl_processor_that_maps()}) {
        for (const Access access : {Access::device_reads, Access::device_writes, Access::device_updates}) {
            for (const double passes : {1.0, 10.0, 1000.0}) {
                facts.processor = false;
                const auto alone = placement::rank(facts, {access, 256 * mib, passes});
                facts.processor = true; // a copy costs more than the kernel alone there
                for (const auto& option : placement::rank(facts, {access, 256 * mib, passes})) {
                    CHECK(option.built_in == option.seconds);
                    raised += std::any_of(alone.begin(), alone.end(), [&](const auto& other) {
                        return other.placement == option.placement && other.seconds < option.seconds;
                    });
                }
            }
        }
    }
    CHECK(raised > 0);
}

TEST_CASE(
    "placement: noise of large rounds does not make a sparse use copy memory that could stay in place") {
    const auto costs = std::make_shared<ferry::detail::CostModel>();
    // a disturbed measurement
    set(costs->ordinary[static_cast<std::size_t>(Placement::alias)], 400e-6, 2.1e9, 2.5e9);
    set(costs->ordinary[static_cast<std::size_t>(Placement::stage)], 300e-6, 2.5e9, 2.5e9);
    Facts facts = opencl_processor();
    facts.processor = true;
    facts.measured = costs;
    const auto sparse = [&](std::size_t bytes) {
        return placement::rank(facts, {Access::device_reads, bytes, 1, Pattern::sparse}).front();
    };
    CHECK(sparse(64 * mib).placement == Placement::alias);
    CHECK(sparse(16 * mib).placement == Placement::alias);
    CHECK(sparse(4096).placement == Placement::stage);
    // A large use of all data does not change it either: a copy and a kernel take longer than the kernel.
    CHECK(placement::rank(facts, {Access::device_reads, 64 * mib, 1}).front().placement == Placement::alias);
    CHECK(placement::rank(facts, {Access::device_reads, mib, 1}).front().placement == Placement::stage);
    facts.processor = false; // a cost that grows with the size, for example page-locking
    CHECK(placement::rank(facts, {Access::device_reads, 64 * mib, 1}).front().placement == Placement::stage);
    CHECK(sparse(64 * mib).placement == Placement::stage);
}

TEST_CASE("placement: measured rounds of a pattern decide") {
    const auto costs = std::make_shared<ferry::detail::CostModel>();
    ferry::detail::RoundCosts& alias = costs->ordinary[static_cast<std::size_t>(Placement::alias)];
    ferry::detail::RoundCosts& stage = costs->ordinary[static_cast<std::size_t>(Placement::stage)];
    set(alias, 60e-6, 10e9, 20e9);
    set(stage, 50e-6, 5e9, 20e9);
    Facts facts = opencl_processor();
    facts.processor = true;
    facts.measured = costs;
    const auto best = [&](const placement::Intent& intent) { return placement::rank(facts, intent).front(); };
    const std::size_t some = 256 << 10;
    CHECK(best({Access::device_reads, some, 1, Pattern::sparse}).placement ==
          Placement::alias); // by the model
    const auto up_to_1_mib = [](std::initializer_list<double> seconds) {
        ferry::detail::Curve curve;
        std::copy(seconds.begin(), seconds.end(), curve.seconds.begin());
        return curve;
    };
    alias.sparse_reads = up_to_1_mib({70e-6, 80e-6, 90e-6, 100e-6});
    stage.sparse_reads = up_to_1_mib({40e-6, 45e-6, 50e-6, 120e-6});
    alias.random_reads = up_to_1_mib({70e-6, 80e-6, 200e-6, 300e-6});
    stage.random_reads = up_to_1_mib({60e-6, 90e-6, 190e-6, 400e-6});
    CHECK(best({Access::device_reads, some, 1, Pattern::sparse}).placement == Placement::stage);
    CHECK(best({Access::device_reads, some, 1, Pattern::sparse}).seconds == doctest::Approx(50e-6));
    CHECK(best({Access::device_reads, mib, 1, Pattern::sparse}).placement == Placement::alias);
    CHECK(best({Access::device_reads, some, 1, Pattern::random}).placement == Placement::stage);
    CHECK(best({Access::device_reads, 4 * mib, 1, Pattern::sparse}).placement ==
          Placement::alias); // beyond the measured sizes
    CHECK(best({Access::device_reads, some, 1}).placement == Placement::alias);
    // More passes repeat the kernels' part. Writing adds the difference measured in sequential rounds.
    const double once = best({Access::device_reads, some, 1, Pattern::random}).seconds;
    CHECK(best({Access::device_reads, some, 10, Pattern::random}).seconds > once);
    stage.updates = line(90e-6, 4e9);
    const auto update = placement::rank(facts, {Access::device_updates, some, 1, Pattern::sparse});
    CHECK(update.front().placement == Placement::alias);
    CHECK(update.front().seconds == doctest::Approx(90e-6));
}

TEST_CASE("placement: of equally good ones the one with fewer surprises is taken") {
    const auto costs = std::make_shared<ferry::detail::CostModel>();
    const auto of = [&](Placement p) -> ferry::detail::RoundCosts& {
        return costs->ordinary[static_cast<std::size_t>(p)];
    };
    set(of(Placement::link), 50e-6, 10e9, 10e9);
    set(of(Placement::copy), 50.5e-6, 10e9, 10e9);
    set(of(Placement::stage), 50.8e-6, 10e9, 10e9);
    Facts facts = discrete();
    facts.measured = costs;
    const auto best = [&] {
        return placement::rank(facts, {Access::device_reads, 4096, 1}).front().placement;
    };
    CHECK(best() == Placement::copy);
    set(of(Placement::copy), 60e-6, 10e9, 10e9);
    CHECK(best() == Placement::stage);
    set(of(Placement::stage), 60e-6, 10e9, 10e9);
    CHECK(best() == Placement::link); // too far from the best
}

TEST_CASE("placement: no prediction is negative or zero") {
    const auto costs = std::make_shared<ferry::detail::CostModel>();
    set(costs->ordinary[static_cast<std::size_t>(Placement::stage)], 1e-6, 1e12, 1e9); // noise
    Facts facts = apart();
    facts.measured = costs;
    for (const Pattern pattern : {Pattern::sequential, Pattern::sparse, Pattern::random}) {
        for (const double passes : {0.01, 1.0, 100.0}) {
            CHECK(placement::rank(facts, {Access::device_reads, mib, passes, pattern}).front().seconds > 0);
        }
    }
}

TEST_CASE("placement: a hint that would improve each one") {
    const auto read_only = [] {
        Facts facts = discrete();
        facts.no_import = "the pages are read-only";
        return facts;
    };
    const placement::Memory heap{0x7f0000001000};
    const placement::Memory odd{0x7f0000001040};
    const placement::Memory stack{0x7ffc00001040, true};
    const placement::Memory odd_for_gpu{0x7f0000001040, false, true};
    const placement::Memory odd_for_vectors{0x7f0000001010, false, false, true};
    const placement::Memory line_for_vectors{0x7f0000001040, false, false, true};
    const placement::Memory page_for_gpu{0x7f0000001000, false, true};
    struct Row {
        Facts facts;
        placement::Memory memory;
        Placement taken;
        std::vector<const char*> wanted; // a part of each expected hint
    };
    const Row rows[] = {
        {discrete(), heap, Placement::stage, {"Buffer of MemoryKind::host"}},
        {read_only(), heap, Placement::stage, {"Buffer of MemoryKind::host"}},
        {discrete(), heap, Placement::copy, {"each share page-locks"}},
        {discrete(), heap, Placement::link, {"each share page-locks", "cross the bus to device"}},
        {discrete_page_locked(), heap, Placement::stage, {}},
        {discrete_page_locked(), heap, Placement::copy, {}},
        {discrete_page_locked(), heap, Placement::link, {"ShareOptions::passes"}},
        {stack_on_discrete(), stack, Placement::stage, {"allocate the memory", "MemoryKind::host"}},
        {apu(), odd, Placement::alias, {}},
        {apu(), stack, Placement::stage, {"allocate the memory"}},
        {opencl_processor(), odd, Placement::alias, {}},
        {opencl_processor(), odd_for_vectors, Placement::alias, {"align the memory to 64 bytes"}},
        {opencl_processor(), odd_for_vectors, Placement::stage, {}},
        {opencl_processor(), line_for_vectors, Placement::alias, {}},
        {machine(Backend::opencl, Reach::local), odd_for_gpu, Placement::alias, {"align the memory to 4096"}},
        {machine(Backend::opencl, Reach::local), page_for_gpu, Placement::alias, {}},
        {machine(Backend::opencl, Reach::copy),
         odd_for_gpu,
         Placement::stage,
         {"device has no coherent link"}},
        {machine(Backend::opencl, Reach::none), heap, Placement::stage, {"device has no coherent link"}},
        {machine(Backend::opencl, Reach::none), stack, Placement::stage, {}},
        {heterogeneous_pages(), heap, Placement::migrate, {}},
    };
    for (const Row& row : rows) {
        const std::vector<std::string> hints = placement::hints(row.facts, row.memory, row.taken);
        INFO("row ", &row - rows, ", ", std::string(to_string(row.taken)));
        REQUIRE(hints.size() == row.wanted.size());
        for (std::size_t i = 0; i < hints.size(); ++i) {
            INFO(hints[i]);
            CHECK(hints[i].find(row.wanted[i]) != std::string::npos);
        }
    }
}

TEST_CASE("a rejected placement has its time, also if the caller's list or a tie excluded it") {
    const placement::Option taken{Placement::copy, 2e-3, ""};
    const auto why = [&](double seconds, const char* why_not = "") {
        return placement::why_rejected({Placement::link, seconds, why_not}, taken);
    };
    CHECK(why(2.5e-3) == "2.50 ms predicted");
    CHECK(why(1.99e-3) == "1.99 ms predicted, a gain too small for its risk");
    CHECK(why(0, "no bus") == "no bus");

    const auto hint = [&](std::initializer_list<placement::Option> options) {
        return placement::hint_to_allow(options, taken);
    };
    CHECK(hint({taken, {Placement::link, 1e-3, "no bus"}}).empty());
    CHECK(hint({taken, {Placement::link, 1e-3, "not allowed", true}}) ==
          "allow link: 1.00 ms predicted, not 2.00 ms, unless the driver refuses it");
    CHECK(hint({{Placement::stage, 1.5e-3, "not allowed", true},
                {Placement::alias, 1e-3, "not allowed", true}}) ==
          "allow alias: 1.00 ms predicted, not 2.00 ms, unless the driver refuses it");
    CHECK(hint({{Placement::stage, 1e-3, "not allowed", true}}) ==
          "allow stage: 1.00 ms predicted, not 2.00 ms");
    CHECK(hint({{Placement::link, 1.97e-3, "not allowed", true}}).empty()); // equally fast
    CHECK(hint({{Placement::link, 3e-3, "not allowed", true}}).empty());
}

TEST_CASE("placement: measuring is a hint only for a device on a bus, where built-in figures may be wrong") {
    const auto hint = [](const Facts& facts) {
        return placement::hint_to_measure(facts,
                                          placement::rank(facts, {Access::device_reads, mib, 1}).front());
    };
    CHECK(hint(discrete()) == "have device measured once, by Device::capabilities() or `ferry info` without "
                              "FERRY_CALIBRATION=off: built-in figures of other machines chose");
    CHECK(!hint(heterogeneous_pages()).empty());
    for (Facts (*const facts)() : {apu, opencl_processor, opencl_discrete, apart}) {
        CHECK(hint(facts()).empty());
    }
}

TEST_CASE("a predicted time has the unit that it takes") {
    CHECK(placement::in_time(4.2e-7) == "0.4 us");
    CHECK(placement::in_time(0.9) == "900.00 ms");
    CHECK(placement::in_time(12.3) == "12.30 s");
    CHECK(placement::in_time(1e300) == "1e+300 s");
}

TEST_CASE("an explanation is a table of all placements, in lines of at most 120 columns") {
    ferry::Explanation e;
    e.taken = Placement::alias;
    e.why = "cpu uses the memory in place, 1.50 ms predicted";
    e.predicted_seconds = 1.5e-3;
    e.measured = true;
    e.built_in_seconds = 2.5e-3;
    e.bytes_up = 5;
    e.copies = 1;
    std::string refusal = "the driver refuses it";
    for (int i = 0; i < 30; ++i) {
        refusal += " because of reason" + std::to_string(i);
    }
    e.rejected = {{Placement::copy, "3.00 ms predicted", 3e-3, false, 3e-3, true},
                  {Placement::link, refusal, 0, false, 0},
                  {Placement::stage, "not allowed by the caller, 4.00 s predicted", 4, true, 5}};
    e.hints = {refusal};
    const std::string text = to_string(e);
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        CHECK_MESSAGE(line.size() <= 120, line);
        lines.push_back(line);
    }
    CHECK(lines.at(0) ==
          "alias: cpu uses the memory in place, 1.50 ms predicted; 5 bytes up and 0 bytes down in 1 copy");
    CHECK(lines.at(1) == "  placement  predicted  measured   reason");
    CHECK(lines.at(2) == "  alias      2.50 ms    1.50 ms    taken");
    CHECK(lines.at(3) == "  copy       3.00 ms    -          slower");
    CHECK(lines.at(4).rfind("  link       -          -          the driver refuses it because of reason0 ",
                            0) == 0);
    CHECK(text.find("\n  stage      5.00 s     4.00 s     not allowed by the caller") != std::string::npos);
    CHECK(text.find("\n  hint: the driver refuses it because") != std::string::npos);
    CHECK(text.find("reason29") != text.rfind("reason29"));

    const std::string line = one_line(e);
    CHECK(line == lines.at(0) + "; copy rejected: 3.00 ms predicted; link rejected: " + refusal +
                      "; stage rejected: not allowed by the caller, 4.00 s predicted");
}

} // namespace placement_test
