// SPDX-License-Identifier: Apache-2.0
#pragma once

// A simulated OpenCL driver, implemented by functions of this file. It fails and waits on request.
#include "opencl/opencl_device.hpp"
#include "opencl/opencl_event.hpp"
#include "opencl/opencl_queue.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace fake_opencl {

using namespace ferry::opencl;

struct FakeQueue {
    int references = 1;
    int flushes = 0;
    bool waits = false; ///< clFinish waits until another queue was flushed
};
struct FakeMemory {
    std::vector<char> bytes;
    bool mapped = false;
    bool released = false;
    cl_mem_flags flags = CL_MEM_READ_WRITE;
};
/// One of Ferry's own kernels. It does the work of the real one with that name. Holds the arguments as they
/// were set.
struct FakeKernel {
    std::string name;
    std::array<std::vector<char>, 8> arguments;

    template <class T>
    T argument(std::size_t index) const {
        T value{};
        std::memcpy(&value, arguments.at(index).data(), sizeof value);
        return value;
    }
};
struct FakeEvent {
    cl_int status = CL_COMPLETE;
    FakeQueue* queue = nullptr;
    int references = 1;
};

/// One for each test. The functions below access it through a global pointer.
struct Driver {
    std::mutex mutex;
    std::condition_variable flushed;
    std::deque<FakeQueue> queues;
    std::deque<FakeMemory> memories;
    std::deque<FakeEvent> events;
    cl_int next_status = CL_COMPLETE;    ///< status of the next commands' events
    FakeMemory* refuses_unmap = nullptr; ///< its next unmap is refused
    std::size_t waited_for = 0;          ///< number of events in the last unmap or barrier
    cl_int next_fill = CL_SUCCESS;       ///< result of the next fill
    bool gave_up = false;                ///< clFinish stopped waiting
    cl_int refused_finish = CL_SUCCESS;  ///< result of clFinish, without a wait
    cl_int refused_wait = CL_SUCCESS;    ///< result of clWaitForEvents, without a wait
    cl_int refused_marker = CL_SUCCESS;  ///< result of the next markers
    /// A driver that reads the source of a write when it is enqueued, and executes reads at clFinish.
    bool reads_late = false;
    struct LateRead {
        cl_command_queue queue;
        void* to;
        std::vector<char> bytes;
    };
    std::vector<LateRead> late_reads;
    std::size_t largest_buffer = std::size_t{1} << 40; ///< in bytes; larger buffers are refused
    std::size_t writes = 0, reads = 0, copies = 0, launches = 0, builds = 0, waits = 0; ///< numbers of calls
    cl_int next_launch = CL_SUCCESS; ///< result of the next launch
    cl_int build = CL_SUCCESS;
    std::size_t fills = 0; ///< number of calls
    std::deque<FakeKernel> kernels;
    struct Launch {
        std::array<std::size_t, 3> global, local;
    };
    std::vector<Launch> grids;
};
inline Driver* driver = nullptr;

template <class Fake, class Handle>
Fake& fake(Handle handle) {
    return *reinterpret_cast<Fake*>(handle);
}
template <class Handle, class Fake>
Handle handle(Fake& of) {
    return reinterpret_cast<Handle>(&of);
}

inline cl_event new_event(cl_command_queue queue) {
    driver->events.push_back({driver->next_status, &fake<FakeQueue>(queue)});
    return handle<cl_event>(driver->events.back());
}

inline cl_context create_context(const cl_context_properties*, cl_uint, const cl_device_id*,
                                 void (*)(const char*, const void*, std::size_t, void*), void*,
                                 cl_int* code) {
    *code = CL_SUCCESS;
    return handle<cl_context>(*driver);
}
inline cl_command_queue create_queue(cl_context, cl_device_id, cl_command_queue_properties, cl_int* code) {
    *code = CL_SUCCESS;
    driver->queues.emplace_back();
    return handle<cl_command_queue>(driver->queues.back());
}
inline cl_int retain_queue(cl_command_queue queue) {
    ++fake<FakeQueue>(queue).references;
    return CL_SUCCESS;
}
inline cl_int release_queue(cl_command_queue queue) {
    --fake<FakeQueue>(queue).references;
    return CL_SUCCESS;
}
inline cl_int flush(cl_command_queue queue) {
    const std::lock_guard lock(driver->mutex);
    ++fake<FakeQueue>(queue).flushes;
    driver->flushed.notify_all();
    return CL_SUCCESS;
}
inline cl_int finish(cl_command_queue queue) {
    if (driver->refused_finish != CL_SUCCESS) {
        return driver->refused_finish;
    }
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
        ++fake<FakeQueue>(queue).flushes; // shows that it waits
        driver->flushed.notify_all();
        driver->gave_up = !driver->flushed.wait_for(lock, std::chrono::seconds(60), done);
    }
    return CL_SUCCESS;
}
inline cl_mem create_buffer(cl_context, cl_mem_flags, std::size_t bytes, void*, cl_int* code) {
    *code = bytes <= driver->largest_buffer ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (*code != CL_SUCCESS) {
        return nullptr;
    }
    driver->memories.emplace_back();
    driver->memories.back().bytes.resize(bytes);
    return handle<cl_mem>(driver->memories.back());
}
inline cl_int release_memory(cl_mem memory) {
    fake<FakeMemory>(memory).released = true;
    return CL_SUCCESS;
}
inline cl_int retain_memory(cl_mem) {
    return CL_SUCCESS;
}
inline cl_int memory_info(cl_mem memory, cl_mem_info what, std::size_t, void* value, std::size_t*) {
    switch (what) {
    case CL_MEM_CONTEXT:
        *static_cast<cl_context*>(value) = handle<cl_context>(*driver);
        return CL_SUCCESS;
    case CL_MEM_SIZE:
        *static_cast<std::size_t*>(value) = fake<FakeMemory>(memory).bytes.size();
        return CL_SUCCESS;
    case CL_MEM_FLAGS:
        *static_cast<cl_mem_flags*>(value) = fake<FakeMemory>(memory).flags;
        return CL_SUCCESS;
    default:
        return CL_INVALID_VALUE;
    }
}
inline void* map_buffer(cl_command_queue queue, cl_mem memory, cl_bool, cl_map_flags, std::size_t,
                        std::size_t, cl_uint, const cl_event*, cl_event* event, cl_int* code) {
    *code = CL_SUCCESS;
    fake<FakeMemory>(memory).mapped = true;
    if (event != nullptr) {
        *event = new_event(queue);
    }
    return fake<FakeMemory>(memory).bytes.data();
}
inline cl_int unmap(cl_command_queue, cl_mem memory, void*, cl_uint count, const cl_event*, cl_event*) {
    driver->waited_for = count;
    if (driver->refuses_unmap == &fake<FakeMemory>(memory)) {
        driver->refuses_unmap = nullptr;
        return CL_OUT_OF_RESOURCES;
    }
    fake<FakeMemory>(memory).mapped = false;
    return CL_SUCCESS;
}
inline cl_int fill_buffer(cl_command_queue, cl_mem memory, const void* pattern, std::size_t size,
                          std::size_t offset, std::size_t bytes, cl_uint, const cl_event*, cl_event*) {
    ++driver->fills;
    for (std::size_t at = 0; at < bytes; at += size) {
        std::memcpy(fake<FakeMemory>(memory).bytes.data() + offset + at, pattern, size);
    }
    return std::exchange(driver->next_fill, CL_SUCCESS);
}
inline cl_int fill_pointer(cl_command_queue, void* to, const void* pattern, std::size_t size,
                           std::size_t bytes, cl_uint, const cl_event*, cl_event*) {
    ++driver->fills;
    for (std::size_t at = 0; at < bytes; at += size) {
        std::memcpy(static_cast<char*>(to) + at, pattern, size);
    }
    return CL_SUCCESS;
}
inline cl_int copy_pointer(cl_command_queue, cl_bool, void* to, const void* from, std::size_t bytes, cl_uint,
                           const cl_event*, cl_event*) {
    ++driver->copies;
    std::memcpy(to, from, bytes);
    return CL_SUCCESS;
}
inline cl_int write_buffer(cl_command_queue, cl_mem memory, cl_bool, std::size_t offset, std::size_t bytes,
                           const void* from, cl_uint, const cl_event*, cl_event*) {
    ++driver->writes;
    std::memcpy(fake<FakeMemory>(memory).bytes.data() + offset, from, bytes);
    return CL_SUCCESS;
}
inline cl_int read_buffer(cl_command_queue queue, cl_mem memory, cl_bool, std::size_t offset,
                          std::size_t bytes, void* to, cl_uint, const cl_event*, cl_event*) {
    ++driver->reads;
    const char* const from = fake<FakeMemory>(memory).bytes.data() + offset;
    if (driver->reads_late) {
        driver->late_reads.push_back({queue, to, {from, from + bytes}});
    } else {
        std::memcpy(to, from, bytes);
    }
    return CL_SUCCESS;
}
inline cl_int read_rect(cl_command_queue queue, cl_mem memory, cl_bool, const std::size_t* from,
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
inline cl_int copy_buffer(cl_command_queue, cl_mem from, cl_mem to, std::size_t source, std::size_t target,
                          std::size_t bytes, cl_uint, const cl_event*, cl_event*) {
    ++driver->copies;
    std::memcpy(fake<FakeMemory>(to).bytes.data() + target, fake<FakeMemory>(from).bytes.data() + source,
                bytes);
    return CL_SUCCESS;
}
inline cl_int marker(cl_command_queue queue, cl_uint, const cl_event*, cl_event* event) {
    if (driver->refused_marker != CL_SUCCESS) {
        return driver->refused_marker;
    }
    *event = new_event(queue);
    return CL_SUCCESS;
}
inline cl_int barrier(cl_command_queue, cl_uint count, const cl_event*, cl_event*) {
    driver->waited_for = count;
    return CL_SUCCESS;
}
inline cl_int event_info(cl_event event, cl_event_info what, std::size_t, void* value, std::size_t*) {
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
inline cl_int wait_for_events(cl_uint count, const cl_event* events) {
    ++driver->waits;
    if (driver->refused_wait != CL_SUCCESS) {
        return driver->refused_wait;
    }
    bool failed = false;
    for (cl_uint i = 0; i < count; ++i) {
        cl_int& status = fake<FakeEvent>(events[i]).status;
        status = driver->next_status < 0 ? driver->next_status : CL_COMPLETE;
        failed |= status < 0;
    }
    return failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}
inline cl_program create_program(cl_context, cl_uint, const char**, const std::size_t*, cl_int* code) {
    *code = CL_SUCCESS;
    return handle<cl_program>(*driver);
}
inline cl_int build_program(cl_program, cl_uint, const cl_device_id*, const char*,
                            void (*)(cl_program, void*), void*) {
    ++driver->builds;
    return driver->build;
}
inline cl_int build_info(cl_program, cl_device_id, cl_program_build_info, std::size_t, void*, std::size_t*) {
    return CL_INVALID_VALUE;
}
inline cl_int program_info(cl_program, cl_program_info, std::size_t, void* value, std::size_t*) {
    *static_cast<std::size_t*>(value) = 1; // kernels
    return CL_SUCCESS;
}
inline cl_kernel create_kernel(cl_program, const char* name, cl_int* code) {
    *code = CL_SUCCESS;
    driver->kernels.push_back({name, {}});
    return handle<cl_kernel>(driver->kernels.back());
}
inline cl_int kernel_info(cl_kernel, cl_kernel_info, std::size_t, void*, std::size_t*) {
    return CL_INVALID_VALUE;
}
inline cl_int group_info(cl_kernel, cl_device_id, cl_kernel_work_group_info, std::size_t, void*,
                         std::size_t*) {
    return CL_INVALID_VALUE;
}
inline cl_int release_program(cl_program) {
    return CL_SUCCESS;
}
inline cl_int release_kernel(cl_kernel) {
    return CL_SUCCESS;
}
inline cl_int set_argument(cl_kernel kernel, cl_uint index, std::size_t size, const void* value) {
    const char* const bytes = static_cast<const char*>(value);
    fake<FakeKernel>(kernel).arguments.at(index).assign(bytes, bytes + size);
    return CL_SUCCESS;
}
inline void run_copies(const FakeKernel& kernel, std::size_t groups) {
    const auto memory = [&](std::size_t index) {
        return fake<FakeMemory>(kernel.argument<cl_mem>(index)).bytes.data();
    };
    for (std::size_t i = 0; i < groups; ++i) {
        std::uint64_t one[3];
        std::memcpy(one, memory(0) + 8 * (kernel.argument<cl_uint>(1) + 3 * i), sizeof one);
        std::memcpy(memory(3) + one[1], memory(2) + one[0], one[2]);
    }
}
/// Fills byte by byte from the pieces of 16.
inline void run_fill(const FakeKernel& kernel) {
    char* const bytes = fake<FakeMemory>(kernel.argument<cl_mem>(0)).bytes.data();
    const std::size_t head = kernel.argument<cl_uint>(3);
    const std::size_t period = 16 * std::size_t{kernel.argument<cl_uint>(5)};
    const std::size_t laid = kernel.argument<cl_uint>(6);
    const std::size_t first = 16 * kernel.argument<cl_ulong>(1);
    const std::size_t length = head + 16 * kernel.argument<cl_ulong>(2) + kernel.argument<cl_uint>(4);
    for (std::size_t i = 0; i < length; ++i) {
        bytes[first - head + i] = laid != 0 ? bytes[first - head - laid + i % laid]
                                            : kernel.arguments[7][(period - head + i) % period];
    }
}
inline cl_int launch(cl_command_queue, cl_kernel kernel, cl_uint, const std::size_t*,
                     const std::size_t* global, const std::size_t* local, cl_uint, const cl_event*,
                     cl_event*) {
    if (driver->next_launch != CL_SUCCESS) {
        return std::exchange(driver->next_launch, CL_SUCCESS);
    }
    ++driver->launches;
    driver->grids.push_back({{global[0], global[1], 1}, {local[0], local[1], 1}});
    const FakeKernel& launched = fake<FakeKernel>(kernel);
    if (launched.name == "ferry_fill") {
        run_fill(launched);
    } else {
        run_copies(launched, global[0] / local[0]);
    }
    return CL_SUCCESS;
}
inline cl_int retain_event(cl_event event) {
    ++fake<FakeEvent>(event).references;
    return CL_SUCCESS;
}
inline cl_int release_event(cl_event event) {
    --fake<FakeEvent>(event).references;
    return CL_SUCCESS;
}

/// A device without any text.
inline cl_int CL_API_CALL device_info(cl_device_id, cl_device_info, std::size_t size, void* to,
                                      std::size_t* needed) {
    if (to != nullptr && size > 0) {
        *static_cast<char*>(to) = '\0';
    }
    if (needed != nullptr) {
        *needed = 1;
    }
    return CL_SUCCESS;
}

inline Api functions() {
    Api api;
    api.clGetDeviceInfo = device_info;
    api.clCreateContext = create_context;
    api.clCreateCommandQueue = create_queue;
    api.clRetainCommandQueue = retain_queue;
    api.clReleaseCommandQueue = release_queue;
    api.clFlush = flush;
    api.clFinish = finish;
    api.clCreateBuffer = create_buffer;
    api.clReleaseMemObject = release_memory;
    api.clRetainMemObject = retain_memory;
    api.clGetMemObjectInfo = memory_info;
    api.clEnqueueMapBuffer = map_buffer;
    api.clEnqueueUnmapMemObject = unmap;
    api.clEnqueueFillBuffer = fill_buffer;
    api.clEnqueueMemFillINTEL = fill_pointer;
    api.clEnqueueMemcpyINTEL = copy_pointer;
    api.clEnqueueWriteBuffer = write_buffer;
    api.clEnqueueReadBuffer = read_buffer;
    api.clEnqueueReadBufferRect = read_rect;
    api.clEnqueueCopyBuffer = copy_buffer;
    api.clEnqueueMarkerWithWaitList = marker;
    api.clEnqueueBarrierWithWaitList = barrier;
    api.clGetEventInfo = event_info;
    api.clWaitForEvents = wait_for_events;
    api.clCreateProgramWithSource = create_program;
    api.clBuildProgram = build_program;
    api.clGetProgramBuildInfo = build_info;
    api.clGetProgramInfo = program_info;
    api.clCreateKernel = create_kernel;
    api.clGetKernelInfo = kernel_info;
    api.clGetKernelWorkGroupInfo = group_info;
    api.clReleaseProgram = release_program;
    api.clReleaseKernel = release_kernel;
    api.clSetKernelArg = set_argument;
    api.clEnqueueNDRangeKernel = launch;
    api.clRetainEvent = retain_event;
    api.clReleaseEvent = release_event;
    return api;
}

inline ferry::DeviceInfo gpu(bool integrated) {
    ferry::DeviceInfo info;
    info.kind = ferry::DeviceKind::gpu;
    info.integrated = integrated;
    info.compiles = true;
    info.max_local = {1024, 1024, 64};
    return info;
}

inline std::mt19937& random_engine() {
    static std::mt19937 engine{std::random_device{}()};
    return engine;
}

/// For a driver that caches programs itself, so that no test program enters the user's cache.
inline Traits kept_traits() {
    Traits traits;
    traits.keeps_programs = true;
    return traits;
}

/// The order of the members matters: the device and its objects end before the driver does.
struct Scene {
    Driver all;
    struct Use {
        explicit Use(Driver& d) { driver = &d; }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
        ~Use() { driver = nullptr; }
    } const use{all};
    explicit Scene(bool integrated = true, const Traits& traits = {}) : Scene(gpu(integrated), traits) {}
    Scene(const ferry::DeviceInfo& info, const Traits& traits)
        : device(functions(), nullptr, nullptr, traits, info) {}

    OpenclDevice device;
    OpenclQueue one{device, ferry::QueueOptions{}};
    OpenclQueue two{device, ferry::QueueOptions{}};
    char bytes[16] = {};

    FakeQueue& of(const OpenclQueue& queue) {
        return fake<FakeQueue>(const_cast<OpenclQueue&>(queue).native());
    }
    void write(OpenclQueue& queue, ferry::backend::Memory& to) { queue.write(bytes, {&to, 0}, sizeof bytes); }
};

} // namespace fake_opencl
