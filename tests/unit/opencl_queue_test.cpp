// SPDX-License-Identifier: Apache-2.0
#include "opencl_fake_driver.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace opencl_queue_test {

using namespace fake_opencl;
using ferry::MemoryKind;

TEST_CASE("opencl queue: memory that stays mapped is handed from queue to queue, failures are not") {
    Scene s;
    const auto memory = s.device.allocate(MemoryKind::host, 16);
    REQUIRE(s.all.memories.size() == 1);
    CHECK(s.all.memories[0].mapped);
    s.all.next_status = CL_SUBMITTED;
    s.write(s.one, *memory);
    s.write(s.two, *memory);
    CHECK(s.all.waited_for == 1);
    CHECK(s.of(s.one).flushes == 1);
    s.write(s.two, *memory); // in order
    CHECK(s.all.waited_for == 0);
    for (FakeEvent& event : s.all.events) {
        // a kernel of the second queue failed, and all later commands with it
        event.status = CL_OUT_OF_RESOURCES;
    }
    s.all.next_status = CL_COMPLETE;
    s.write(s.one, *memory);
    CHECK(s.all.waited_for == 0);
    CHECK(s.all.memories[0].mapped);
}

TEST_CASE("opencl queue: if one memory cannot be unmapped, the other ones are mapped again") {
    Scene s;
    const auto first = s.device.allocate(MemoryKind::host, 16);
    const auto second = s.device.allocate(MemoryKind::host, 16);
    REQUIRE(s.all.memories.size() == 2);
    s.all.refuses_unmap = &s.all.memories[1];
    CHECK_THROWS_AS(s.one.copy({first.get(), 0}, {second.get(), 0}, 16), ferry::Error);
    CHECK(s.all.memories[0].mapped);
    CHECK(s.all.memories[1].mapped);
    s.one.copy({first.get(), 0}, {second.get(), 0}, 16);
    CHECK(s.all.memories[0].mapped);
    CHECK(s.all.memories[1].mapped);
}

TEST_CASE(
    "opencl queue: a discrete device gets and gives back the bytes that a command uses, and no others") {
    Scene s{false};
    const auto allocated = s.device.allocate(MemoryKind::host, 16);
    REQUIRE(s.all.memories.size() == 2);
    std::string own(16, 'h');
    std::string why;
    const auto imported = s.device.import_memory(own.data(), own.size(), false, why);
    REQUIRE(imported != nullptr);
    CHECK(imported->host == own.data());
    for (ferry::backend::Memory* const memory : {allocated.get(), imported.get()}) {
        auto* const host = static_cast<char*>(memory->host);
        std::memset(host, 'h', 16);
        for (FakeMemory& mirror : s.all.memories) {
            if (mirror.bytes.data() != host) {
                std::memset(mirror.bytes.data(), 'd', 16);
            }
        }
        s.one.fill({memory, 4}, 4, "f", 1);
        CHECK(std::string_view(host, 16) == "hhhhffffhhhhhhhh");
        s.one.copy({memory, 5}, {memory, 9}, 2);
        CHECK(std::string_view(host, 16) == "hhhhffffhffhhhhh");
        char seen[3] = {};
        s.one.read({memory, 8}, seen, 3);
        CHECK(std::string_view(seen, 3) == "hff");
        s.one.write_box("abcd", {2, 4}, {memory, 0}, {3, 6}, {2, 2, 1}); // two rows of two bytes
        CHECK(std::string_view(host, 16) == "abhcdfffhffhhhhh");
        s.all.next_fill = CL_OUT_OF_RESOURCES;
        CHECK_THROWS_AS(s.one.fill({memory, 12}, 4, "f", 1), ferry::Error);
        CHECK(std::string_view(host, 16) == "abhcdfffhffhhhhh");
    }
}

TEST_CASE("opencl queue: memory copied for commands moves from queue to queue") {
    Scene s{false};
    const auto memory = s.device.allocate(MemoryKind::host, 16);
    s.all.next_status = CL_SUBMITTED;
    s.write(s.one, *memory);
    CHECK(s.all.waited_for == 0);
    s.write(s.two, *memory);
    CHECK(s.all.waited_for == 1);
    CHECK(s.of(s.one).flushes == 1);
    s.all.waited_for = 0;
    s.write(s.two, *memory);
    CHECK(s.all.waited_for == 0);
}

TEST_CASE("opencl queue: read-only pages are copied from, and never written") {
    Scene s{false};
    const std::string own = "read";
    std::string why;
    const auto memory = s.device.import_memory(const_cast<char*>(own.data()), own.size(), true, why);
    REQUIRE(memory != nullptr);
    s.write(s.one, *s.device.allocate(MemoryKind::host, 16));
    s.one.fill({memory.get(), 0}, 4, "f", 1); // the front rejects it
    CHECK(own == "read");
}

TEST_CASE("opencl queue: imports stay in place if that is certain, and are released completely") {
    alignas(4096) static char pages[8192];
    const auto copies = [](const Traits& traits, std::size_t offset, std::size_t bytes, bool read_only) {
        Scene s{true, traits};
        std::string why;
        // The simulated driver maps its own memory, so a mapping that stays in place is refused.
        const bool mirrored = s.device.import_memory(pages + offset, bytes, read_only, why) != nullptr;
        CHECK(why.empty() == mirrored);
        CHECK(s.all.memories.size() == 1);
        CHECK(s.all.memories[0].released);
        CHECK_FALSE(s.all.memories[0].mapped);
        return mirrored;
    };
    Traits traits;
    CHECK(copies(traits, 0, 4096, false));
    traits.imports = InPlace::intels_rule;
    CHECK_FALSE(copies(traits, 4096, 128, false));
    CHECK(copies(traits, 64, 4096, false));
    CHECK(copies(traits, 4096, 100, false));
    CHECK(copies(traits, 4096, 128, true));
    traits.imports = InPlace::always;
    CHECK_FALSE(copies(traits, 1, 3, false));
}

TEST_CASE("opencl queue: a wait for all queues does not keep any of them from being flushed") {
    Scene s;
    const auto memory = s.device.allocate(MemoryKind::host, 16);
    s.write(s.one, *memory);
    s.of(s.one).waits = true;
    std::thread waits([&] { s.device.finish_queues(); });
    {
        std::unique_lock lock(s.all.mutex);
        s.all.flushed.wait(lock, [&] { return s.of(s.one).flushes != 0; }); // now it waits
    }
    s.device.flush(static_cast<cl_command_queue>(s.two.native()));
    waits.join();
    CHECK_FALSE(s.all.gave_up);
    CHECK(s.of(s.two).flushes == 1);
    s.of(s.one).waits = false;
    CHECK(s.of(s.one).references == 1);
}

TEST_CASE("opencl queue: a queue may be released while an event of the caller's on it is waited for") {
    Scene s;
    FakeQueue callers;
    FakeEvent event{CL_SUBMITTED, &callers};
    {
        OpenclEvent waited(s.device, handle<cl_event>(event));
        CHECK(event.references == 2);
        CHECK(callers.references == 2);
        CHECK_FALSE(waited.ready());
        CHECK(callers.flushes == 1);
    }
    CHECK(event.references == 1);
    CHECK(callers.references == 1);
}

TEST_CASE("opencl queue: a small write waits only for the reads into its source") {
    Traits traits;
    traits.captures_writes = true;
    Scene s{false, traits};
    s.all.reads_late = true;
    const auto from = s.device.allocate(MemoryKind::device, 16);
    const auto to = s.device.allocate(MemoryKind::device, 16);
    REQUIRE(s.all.memories.size() == 2);
    const std::vector<char>& written = s.all.memories[1].bytes;
    char between[48] = {};
    // the other queue would wait for an event of the first
    for (OpenclQueue* const writer : {&s.one, &s.two}) {
        std::memset(s.all.memories[0].bytes.data(), writer == &s.one ? 'a' : 'b', 16);
        s.one.read({from.get(), 0}, between + 16, 16);
        writer->write(between, {to.get(), 0}, 16); // in between
        CHECK(s.all.late_reads.size() == 1);
        writer->write(between + 12, {to.get(), 0}, 8);
        CHECK(s.all.late_reads.empty());
        CHECK(std::string_view(written.data() + 4, 4) == (writer == &s.one ? "aaaa" : "bbbb"));
    }
    s.one.read_box({from.get(), 0}, {2, 4}, between, {24, 48}, {2, 2, 1}); // bytes 0, 1, 24 and 25
    s.two.write(between + 25, {to.get(), 0}, 1);
    CHECK(s.all.late_reads.empty());
    CHECK(written[0] == 'b');
}

TEST_CASE("opencl queue: launches and copies of an import see the last command's writes") {
    Traits traits;
    traits.captures_writes = true;
    Scene s{false, traits};
    s.all.reads_late = true;
    std::string own(16, 'h');
    std::string why;
    const auto imported = s.device.import_memory(own.data(), own.size(), false, why);
    REQUIRE(imported != nullptr);
    const auto to = s.device.allocate(MemoryKind::device, 16);
    s.one.fill({imported.get(), 0}, 4, "f", 1);
    s.one.copy({imported.get(), 2}, {imported.get(), 6}, 4); // uses two of the fill's bytes
    s.two.copy({imported.get(), 0}, {to.get(), 0}, 16);
    CHECK(std::string_view(s.all.memories.back().bytes.data(), 16) == "ffffhhffhhhhhhhh");
    s.one.finish(ferry::WaitPolicy::block);
    CHECK(own == "ffffhhffhhhhhhhh");
}

TEST_CASE("opencl queue: a refused wait proves nothing, and each other call of the driver can") {
    Scene s;
    const auto memory = s.device.allocate(MemoryKind::device, 16);
    s.write(s.one, *memory);
    s.all.refused_finish = CL_OUT_OF_RESOURCES;
    CHECK_THROWS_AS(s.one.finish(), ferry::Error);
    CHECK_FALSE(s.one.work().is_done());
    s.all.refused_wait = CL_OUT_OF_RESOURCES;
    s.all.refused_marker = CL_OUT_OF_RESOURCES;
    CHECK_FALSE(s.one.prove_done());
    CHECK_FALSE(s.one.work().is_done());
    SUBCASE("clWaitForEvents") {
        s.all.refused_marker = s.all.refused_wait = CL_SUCCESS;
    }
    SUBCASE("clGetEventInfo") {
        s.all.refused_marker = CL_SUCCESS;
    }
    SUBCASE("clFinish") {
        s.all.refused_finish = CL_SUCCESS;
    }
    SUBCASE("a lost device") {
        s.all.refused_finish = CL_INVALID_COMMAND_QUEUE;
    }
    CHECK(s.one.prove_done());
    CHECK(s.one.work().is_done());
}

TEST_CASE("opencl queue: a refused command counts as running") {
    Scene s;
    const auto memory = s.device.allocate(MemoryKind::device, 16);
    s.one.finish();
    s.all.next_fill = CL_OUT_OF_RESOURCES;
    CHECK_THROWS_AS(s.one.fill({memory.get(), 0}, 4, "f", 1), ferry::Error);
    CHECK_FALSE(s.one.work().is_done());
    s.one.finish();
    CHECK(s.one.work().is_done());
}

} // namespace opencl_queue_test
