// SPDX-License-Identifier: Apache-2.0
#include "staging_raw.hpp"

#include "memory/memory_state.hpp"
#include "queue/queue_state.hpp"

#include <CL/cl.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <stdexcept>

namespace bench {
namespace {

void* open_library(const char* variable, std::initializer_list<const char*> names) {
    if (const char* const chosen = std::getenv(variable)) {
        if (void* const library = dlopen(chosen, RTLD_NOW)) {
            return library;
        }
    }
    for (const char* const name : names) {
        if (void* const library = dlopen(name, RTLD_NOW)) {
            return library;
        }
    }
    throw std::runtime_error(std::string("The raw side cannot open ") + *names.begin());
}

template <class Function>
Function* symbol(void* library, const char* name) {
    void* const found = dlsym(library, name);
    if (found == nullptr) {
        throw std::runtime_error(std::string("The raw side finds no ") + name);
    }
    return reinterpret_cast<Function*>(found);
}

void check(int code, const char* call) {
    if (code != 0) {
        throw std::runtime_error(std::string(call) + " returned " + std::to_string(code));
    }
}

RawCopies cuda(const ferry::Queue& queue, unsigned long long address) {
    void* const library = open_library("FERRY_CUDA_LIBRARY", {"libcuda.so.1", "libcuda.so"});
    auto* const current = symbol<int(void*)>(library, "cuCtxSetCurrent");
    auto* const up = symbol<int(unsigned long long, const void*, std::size_t)>(library, "cuMemcpyHtoD_v2");
    auto* const down = symbol<int(void*, unsigned long long, std::size_t)>(library, "cuMemcpyDtoH_v2");
    auto* const enqueue =
        symbol<int(unsigned long long, const void*, std::size_t, void*)>(library, "cuMemcpyHtoDAsync_v2");
    auto* const query = symbol<int(void*)>(library, "cuStreamQuery");
    void* const stream = queue.state({}).native().native();
    check(current(queue.device().state().native().native_context()), "cuCtxSetCurrent");
    const auto in_order = [=](const void* from, std::size_t bytes) {
        check(enqueue(address, from, bytes, stream), "cuMemcpyHtoDAsync");
        constexpr int not_ready = 600;
        int code = not_ready;
        while (code == not_ready) {
            code = query(stream);
        }
        check(code, "cuStreamQuery");
    };
    return {"cuMemcpyHtoD, cuMemcpyDtoH",
            [=](const void* from, std::size_t bytes) { check(up(address, from, bytes), "cuMemcpyHtoD"); },
            [=](void* to, std::size_t bytes) { check(down(to, address, bytes), "cuMemcpyDtoH"); }, in_order};
}

RawCopies hip(const ferry::Device& device, unsigned long long address) {
    void* const library =
        open_library("FERRY_HIP_LIBRARY", {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"});
    auto* const current = symbol<int(int)>(library, "hipSetDevice");
    auto* const copy = symbol<int(void*, const void*, std::size_t, int)>(library, "hipMemcpy");
    check(current(static_cast<int>(device.info().index)), "hipSetDevice");
    auto* const memory = reinterpret_cast<void*>(address);
    return {"hipMemcpy",
            [=](const void* from, std::size_t bytes) { check(copy(memory, from, bytes, 1), "hipMemcpy"); },
            [=](void* to, std::size_t bytes) { check(copy(to, memory, bytes, 2), "hipMemcpy"); },
            {}};
}

RawCopies opencl(const ferry::Queue& queue, void* handle) {
    void* const library = open_library("FERRY_OPENCL_LIBRARY", {"libOpenCL.so.1", "libOpenCL.so"});
    auto* const write = symbol<decltype(clEnqueueWriteBuffer)>(library, "clEnqueueWriteBuffer");
    auto* const read = symbol<decltype(clEnqueueReadBuffer)>(library, "clEnqueueReadBuffer");
    auto* const native = static_cast<cl_command_queue>(queue.state({}).native().native());
    auto* const memory = static_cast<cl_mem>(handle);
    return {"clEnqueueWriteBuffer, clEnqueueReadBuffer, blocking",
            [=](const void* from, std::size_t bytes) {
                check(write(native, memory, CL_TRUE, 0, bytes, from, 0, nullptr, nullptr),
                      "clEnqueueWriteBuffer");
            },
            [=](void* to, std::size_t bytes) {
                check(read(native, memory, CL_TRUE, 0, bytes, to, 0, nullptr, nullptr),
                      "clEnqueueReadBuffer");
            },
            {}};
}

} // namespace

RawCopies raw_copies(const ferry::Queue& queue, const ferry::Buffer<std::byte>& buffer) {
    const ferry::Device device = queue.device();
    const ferry::backend::Memory& memory = buffer.region().memory->native();
    switch (device.backend()) {
    case ferry::Backend::cuda:
        return cuda(queue, memory.address);
    case ferry::Backend::hip:
        return hip(device, memory.address);
    case ferry::Backend::opencl:
        if (memory.handle == nullptr) {
            throw std::runtime_error("The raw side knows no copies of unified shared memory");
        }
        return opencl(queue, memory.handle);
    case ferry::Backend::vulkan:
        throw std::runtime_error("The raw side knows no copies of Vulkan, which has none of ordinary memory");
    case ferry::Backend::host:
        break;
    }
    void* const host = memory.host;
    return {"memcpy",
            [=](const void* from, std::size_t bytes) { std::memcpy(host, from, bytes); },
            [=](void* to, std::size_t bytes) { std::memcpy(to, host, bytes); },
            {}};
}

} // namespace bench
