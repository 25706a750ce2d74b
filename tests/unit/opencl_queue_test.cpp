// SPDX-License-Identifier: Apache-2.0
// Queues over a driver made of functions of this file, which fails and waits when it is told to.
#include "opencl/opencl_device.hpp"
#include "opencl/opencl_event.hpp"
#include "opencl/opencl_queue.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
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
    std::size_t waited_for = 0;          ///< events, by the last unmap
    bool gave_up = false;                ///< clFinish
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
cl_int release_memory(cl_mem) {
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
cl_int fill_buffer(cl_command_queue, cl_mem, const void*, std::size_t, std::size_t, std::size_t, cl_uint,
                   const cl_event*, cl_event*) {
    return CL_SUCCESS;
}
cl_int write_buffer(cl_command_queue, cl_mem, cl_bool, std::size_t, std::size_t, const void*, cl_uint,
                    const cl_event*, cl_event*) {
    return CL_SUCCESS;
}
cl_int copy_buffer(cl_command_queue, cl_mem, cl_mem, std::size_t, std::size_t, std::size_t, cl_uint,
                   const cl_event*, cl_event*) {
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
    api.clEnqueueCopyBuffer = copy_buffer;
    api.clGetEventInfo = event_info;
    api.clRetainEvent = retain_event;
    api.clReleaseEvent = release_event;
    return api;
}

ferry::DeviceInfo discrete() {
    ferry::DeviceInfo info;
    info.kind = ferry::DeviceKind::gpu;
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
    OpenclDevice device{functions(), nullptr, nullptr, Traits{}, discrete()};
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
