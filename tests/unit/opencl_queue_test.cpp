// SPDX-License-Identifier: Apache-2.0
// Queues over a driver made of functions of this file, which fails and waits when it is told to.
#include "opencl/opencl_device.hpp"
#include "opencl/opencl_event.hpp"
#include "opencl/opencl_queue.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace ferry::opencl;
using ferry::MemoryKind;

namespace {

struct FakeQueue {
    int references = 1;
    int flushes = 0;
    bool waits = false; ///< clFinish, until another queue was flushed
};
struct FakeMemory {
    std::vector<char> bytes;
    bool mapped = false;
    bool released = false;
};
struct FakeEvent {
    cl_int status = CL_COMPLETE;
    FakeQueue* queue = nullptr;
    int references = 1;
};

/// One for each test; the functions below have no other way to it.
struct Driver {
    std::mutex mutex;
    std::condition_variable flushed;
    std::deque<FakeQueue> queues;
    std::deque<FakeMemory> memories;
    std::deque<FakeEvent> events;
    cl_int next_status = CL_COMPLETE;    ///< of the events of commands
    FakeMemory* refuses_unmap = nullptr; ///< once
    std::size_t waited_for = 0;          ///< events, by the last unmap or barrier
    cl_int next_fill = CL_SUCCESS;       ///< what it returns, once
    bool gave_up = false;                ///< clFinish
    /// A driver that takes what a write reads when it is enqueued, and carries out reads at clFinish.
    bool reads_late = false;
    struct LateRead {
        cl_command_queue queue;
        void* to;
        std::vector<char> bytes;
    };
    std::vector<LateRead> late_reads;
};
Driver* driver = nullptr;

template <class Fake, class Handle>
Fake& fake(Handle handle) {
    return *reinterpret_cast<Fake*>(handle);
}
template <class Handle, class Fake>
Handle handle(Fake& of) {
    return reinterpret_cast<Handle>(&of);
}

cl_event new_event(cl_command_queue queue) {
    driver->events.push_back({driver->next_status, &fake<FakeQueue>(queue)});
    return handle<cl_event>(driver->events.back());
}

cl_context create_context(const cl_context_properties*, cl_uint, const cl_device_id*,
                          void (*)(const char*, const void*, std::size_t, void*), void*, cl_int* code) {
    *code = CL_SUCCESS;
    return handle<cl_context>(*driver);
}
cl_command_queue create_queue(cl_context, cl_device_id, cl_command_queue_properties, cl_int* code) {
    *code = CL_SUCCESS;
    driver->queues.emplace_back();
    return handle<cl_command_queue>(driver->queues.back());
}
cl_int retain_queue(cl_command_queue queue) {
    ++fake<FakeQueue>(queue).references;
    return CL_SUCCESS;
}
cl_int release_queue(cl_command_queue queue) {
    --fake<FakeQueue>(queue).references;
    return CL_SUCCESS;
}
cl_int flush(cl_command_queue queue) {
    const std::lock_guard lock(driver->mutex);
    ++fake<FakeQueue>(queue).flushes;
    driver->flushed.notify_all();
    return CL_SUCCESS;
}
cl_int finish(cl_command_queue queue) {
    std::unique_lock lock(driver->mutex);
    std::erase_if(driver->late_reads, [&](const Driver::LateRead& read) {
        if (read.queue != queue) {
            return false;
        }
        std::memcpy(read.to, read.bytes.data(), read.bytes.size());
        return true;
    });
    if (fake<FakeQueue>(queue).waits) {
        const auto done = [&] {
            for (const FakeQueue& other : driver->queues) {
                if (&other != &fake<FakeQueue>(queue) && other.flushes != 0) {
                    return true;
                }
            }
            return false;
        };
        ++fake<FakeQueue>(queue).flushes; // says that it waits
        driver->flushed.notify_all();
        driver->gave_up = !driver->flushed.wait_for(lock, std::chrono::seconds(60), done);
    }
    return CL_SUCCESS;
}
cl_mem create_buffer(cl_context, cl_mem_flags, std::size_t bytes, void*, cl_int* code) {
    *code = CL_SUCCESS;
    driver->memories.emplace_back();
    driver->memories.back().bytes.resize(bytes);
    return handle<cl_mem>(driver->memories.back());
}
cl_int release_memory(cl_mem memory) {
    fake<FakeMemory>(memory).released = true;
    return CL_SUCCESS;
}
void* map_buffer(cl_command_queue queue, cl_mem memory, cl_bool, cl_map_flags, std::size_t, std::size_t,
                 cl_uint, const cl_event*, cl_event* event, cl_int* code) {
    *code = CL_SUCCESS;
    fake<FakeMemory>(memory).mapped = true;
    if (event != nullptr) {
        *event = new_event(queue);
    }
    return fake<FakeMemory>(memory).bytes.data();
}
cl_int unmap(cl_command_queue, cl_mem memory, void*, cl_uint count, const cl_event*, cl_event*) {
    driver->waited_for = count;
    if (driver->refuses_unmap == &fake<FakeMemory>(memory)) {
        driver->refuses_unmap = nullptr;
        return CL_OUT_OF_RESOURCES;
    }
    fake<FakeMemory>(memory).mapped = false;
    return CL_SUCCESS;
}
cl_int fill_buffer(cl_command_queue, cl_mem memory, const void* pattern, std::size_t size, std::size_t offset,
                   std::size_t bytes, cl_uint, const cl_event*, cl_event*) {
    for (std::size_t at = 0; at < bytes; at += size) {
        std::memcpy(fake<FakeMemory>(memory).bytes.data() + offset + at, pattern, size);
    }
    return std::exchange(driver->next_fill, CL_SUCCESS);
}
cl_int write_buffer(cl_command_queue, cl_mem memory, cl_bool, std::size_t offset, std::size_t bytes,
                    const void* from, cl_uint, const cl_event*, cl_event*) {
    std::memcpy(fake<FakeMemory>(memory).bytes.data() + offset, from, bytes);
    return CL_SUCCESS;
}
cl_int read_buffer(cl_command_queue queue, cl_mem memory, cl_bool, std::size_t offset, std::size_t bytes,
                   void* to, cl_uint, const cl_event*, cl_event*) {
    const char* const from = fake<FakeMemory>(memory).bytes.data() + offset;
    if (driver->reads_late) {
        driver->late_reads.push_back({queue, to, {from, from + bytes}});
    } else {
        std::memcpy(to, from, bytes);
    }
    return CL_SUCCESS;
}
cl_int read_rect(cl_command_queue queue, cl_mem memory, cl_bool, const std::size_t* from,
                 const std::size_t* to, const std::size_t* region, std::size_t from_row,
                 std::size_t from_slice, std::size_t to_row, std::size_t to_slice, void* host, cl_uint,
                 const cl_event*, cl_event*) {
    for (std::size_t z = 0; z < region[2]; ++z) {
        for (std::size_t y = 0; y < region[1]; ++y) {
            const std::size_t source = from[0] + (from[1] + y) * from_row + (from[2] + z) * from_slice;
            const std::size_t target = to[0] + (to[1] + y) * to_row + (to[2] + z) * to_slice;
            read_buffer(queue, memory, CL_FALSE, source, region[0], static_cast<char*>(host) + target, 0,
                        nullptr, nullptr);
        }
    }
    return CL_SUCCESS;
}
cl_int copy_buffer(cl_command_queue, cl_mem from, cl_mem to, std::size_t source, std::size_t target,
                   std::size_t bytes, cl_uint, const cl_event*, cl_event*) {
    std::memcpy(fake<FakeMemory>(to).bytes.data() + target, fake<FakeMemory>(from).bytes.data() + source,
                bytes);
    return CL_SUCCESS;
}
cl_int marker(cl_command_queue queue, cl_uint, const cl_event*, cl_event* event) {
    *event = new_event(queue);
    return CL_SUCCESS;
}
cl_int barrier(cl_command_queue, cl_uint count, const cl_event*, cl_event*) {
    driver->waited_for = count;
    return CL_SUCCESS;
}
cl_int event_info(cl_event event, cl_event_info what, std::size_t, void* value, std::size_t*) {
    switch (what) {
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        *static_cast<cl_int*>(value) = fake<FakeEvent>(event).status;
        return CL_SUCCESS;
    case CL_EVENT_CONTEXT:
        *static_cast<cl_context*>(value) = handle<cl_context>(*driver);
        return CL_SUCCESS;
    case CL_EVENT_COMMAND_QUEUE:
        *static_cast<cl_command_queue*>(value) =
            reinterpret_cast<cl_command_queue>(fake<FakeEvent>(event).queue);
        return CL_SUCCESS;
    default:
        return CL_INVALID_VALUE;
    }
}
cl_int retain_event(cl_event event) {
    ++fake<FakeEvent>(event).references;
    return CL_SUCCESS;
}
cl_int release_event(cl_event event) {
    --fake<FakeEvent>(event).references;
    return CL_SUCCESS;
}

Api functions() {
    Api api;
    api.clCreateContext = create_context;
    api.clCreateCommandQueue = create_queue;
    api.clRetainCommandQueue = retain_queue;
    api.clReleaseCommandQueue = release_queue;
    api.clFlush = flush;
    api.clFinish = finish;
    api.clCreateBuffer = create_buffer;
    api.clReleaseMemObject = release_memory;
    api.clEnqueueMapBuffer = map_buffer;
    api.clEnqueueUnmapMemObject = unmap;
    api.clEnqueueFillBuffer = fill_buffer;
    api.clEnqueueWriteBuffer = write_buffer;
    api.clEnqueueReadBuffer = read_buffer;
    api.clEnqueueReadBufferRect = read_rect;
    api.clEnqueueCopyBuffer = copy_buffer;
    api.clEnqueueMarkerWithWaitList = marker;
    api.clEnqueueBarrierWithWaitList = barrier;
    api.clGetEventInfo = event_info;
    api.clRetainEvent = retain_event;
    api.clReleaseEvent = release_event;
    return api;
}

ferry::DeviceInfo gpu(bool integrated) {
    ferry::DeviceInfo info;
    info.kind = ferry::DeviceKind::gpu;
    info.integrated = integrated;
    return info;
}

/// The members' order: the device and what it makes end before the driver does.
struct Scene {
    Driver all;
    struct Use {
        explicit Use(Driver& d) { driver = &d; }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
        ~Use() { driver = nullptr; }
    } const use{all};
    explicit Scene(bool integrated = true, const Traits& traits = {})
        : device(functions(), nullptr, nullptr, traits, gpu(integrated)) {}

    OpenclDevice device;
    OpenclQueue one{device, ferry::QueueOptions{}};
    OpenclQueue two{device, ferry::QueueOptions{}};
    char bytes[16] = {};

    FakeQueue& of(const OpenclQueue& queue) {
        return fake<FakeQueue>(const_cast<OpenclQueue&>(queue).native());
    }
    void write(OpenclQueue& queue, ferry::backend::Memory& to) { queue.write(bytes, {&to, 0}, sizeof bytes); }
};

} // namespace

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
        event.status = CL_OUT_OF_RESOURCES; // a kernel of the second queue failed, and what was behind it
    }
    s.all.next_status = CL_COMPLETE;
    s.write(s.one, *memory);
    CHECK(s.all.waited_for == 0);
    CHECK(s.all.memories[0].mapped);
}

TEST_CASE("opencl queue: where one memory cannot be unmapped the others are mapped again") {
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

TEST_CASE("opencl queue: what is copied for commands goes from queue to queue") {
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
    s.one.fill({memory.get(), 0}, 4, "f", 1); // the front refuses it
    CHECK(own == "read");
}

TEST_CASE("opencl queue: imports stay in place where that is sure, and are given back whole") {
    alignas(4096) static char pages[8192];
    const auto copies = [](const Traits& traits, std::size_t offset, std::size_t bytes, bool read_only) {
        Scene s{true, traits};
        std::string why;
        // The stand-in maps memory of its own, so what stays in place is refused.
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

TEST_CASE("opencl queue: who waits for all queues keeps none of them from being flushed") {
    Scene s;
    const auto memory = s.device.allocate(MemoryKind::host, 16);
    s.write(s.one, *memory);
    s.of(s.one).waits = true;
    std::thread waits([&] { s.device.finish_queues(); });
    {
        std::unique_lock lock(s.all.mutex);
        s.all.flushed.wait(lock, [&] { return s.of(s.one).flushes != 0; }); // it waits now
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

TEST_CASE("opencl queue: a small write waits for the reads into what it takes, and for no others") {
    Traits traits;
    traits.captures_writes = true;
    Scene s{false, traits};
    s.all.reads_late = true;
    const auto from = s.device.allocate(MemoryKind::device, 16);
    const auto to = s.device.allocate(MemoryKind::device, 16);
    REQUIRE(s.all.memories.size() == 2);
    const std::vector<char>& written = s.all.memories[1].bytes;
    char between[48] = {};
    for (OpenclQueue* const writer : {&s.one, &s.two}) { // another queue would wait for an event of the first
        std::memset(s.all.memories[0].bytes.data(), writer == &s.one ? 'a' : 'b', 16);
        s.one.read({from.get(), 0}, between + 16, 16);
        writer->write(between, {to.get(), 0}, 16); // beside it
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

TEST_CASE("opencl queue: launches and copies of an import see what the last command made of it") {
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
    s.one.copy({imported.get(), 2}, {imported.get(), 6}, 4); // takes two of the fill's bytes
    s.two.copy({imported.get(), 0}, {to.get(), 0}, 16);
    CHECK(std::string_view(s.all.memories.back().bytes.data(), 16) == "ffffhhffhhhhhhhh");
    s.one.finish(ferry::WaitPolicy::block);
    CHECK(own == "ffffhhffhhhhhhhh");
}
