// SPDX-License-Identifier: Apache-2.0
#include "opencl_mapping.hpp"

#include "opencl_error.hpp"

#include <algorithm>
#include <new>

namespace ferry::opencl {
namespace {

cl_map_flags flags_for(Map access) {
    switch (access) {
    case Map::read:
        return CL_MAP_READ;
    case Map::write:
        return CL_MAP_WRITE;
    case Map::read_write:
        return CL_MAP_READ | CL_MAP_WRITE;
    case Map::discard:
        return CL_MAP_WRITE_INVALIDATE_REGION;
    }
    return CL_MAP_READ | CL_MAP_WRITE;
}

} // namespace

void OpenclQueue::add_mapped(OpenclMemory& memory) {
    if (memory.storage == Storage::mapped &&
        std::find(mapped_.begin(), mapped_.end(), &memory) == mapped_.end()) {
        mapped_.push_back(&memory);
    }
}

void OpenclQueue::unmap_all() {
    if (device_.traits().unmaps_late) {
        device_.finish_queues();
    }
    for (std::size_t i = 0; i < mapped_.size(); ++i) {
        OpenclMemory& memory = *mapped_[i];
        const cl_event before = memory.mapped_elsewhere(queue_);
        const cl_int code =
            api_.clEnqueueUnmapMemObject(queue_, memory.mem, memory.pointer, before != nullptr ? 1 : 0,
                                         before != nullptr ? &before : nullptr, nullptr);
        if (code != CL_SUCCESS) {
            mapped_.resize(i); // to be mapped again
            check(code, "clEnqueueUnmapMemObject");
        }
    }
}

void OpenclQueue::map_all() {
    for (OpenclMemory* memory : mapped_) {
        cl_int code = CL_SUCCESS;
        cl_event event = nullptr;
        const void* const pointer = api_.clEnqueueMapBuffer(queue_, memory->mem, CL_FALSE, memory->mapped_for,
                                                            0, memory->bytes, 0, nullptr, &event, &code);
        check(code, "clEnqueueMapBuffer");
        memory->mapped_by(queue_, event);
        if (pointer != memory->pointer) {
            throw Error(
                Code::unsupported,
                "Host memory of " + device_.info().name +
                    " cannot be used by its commands: its OpenCL driver maps it at another address each "
                    "time; use device memory and copies");
        }
    }
}

void* OpenclQueue::map(backend::Place place, std::size_t bytes, Map access) {
    auto& memory = static_cast<OpenclMemory&>(*place.memory);
    if (memory.host != nullptr) {
        finish();
        return static_cast<char*>(memory.host) + place.offset;
    }
    if (memory.storage == Storage::usm) {
        void* const staging = ::operator new(bytes);
        try {
            if (access != Map::discard) {
                read(place, staging, bytes);
            }
            finish();
        } catch (...) {
            ::operator delete(staging);
            throw;
        }
        return staging;
    }
    cl_int code = CL_SUCCESS;
    void* const pointer = api_.clEnqueueMapBuffer(queue_, memory.mem, CL_TRUE, flags_for(access),
                                                  place.offset, bytes, 0, nullptr, nullptr, &code);
    check(code, "clEnqueueMapBuffer");
    enqueued();
    return pointer;
}

bool OpenclQueue::maps_in_place(backend::Place place) const {
    return memory_of(place).storage == Storage::svm && device_.traits().shares_buffers;
}

void OpenclQueue::unmap(backend::Place place, std::size_t bytes, Map access, void* host) {
    auto& memory = static_cast<OpenclMemory&>(*place.memory);
    if (memory.host != nullptr) {
        return;
    }
    if (memory.storage == Storage::usm) {
        const std::unique_ptr<void, void (*)(void*)> staging(host, [](void* p) { ::operator delete(p); });
        if (access != Map::read) {
            write(host, place, bytes);
            finish();
        }
        return;
    }
    check(api_.clEnqueueUnmapMemObject(queue_, memory.mem, host, 0, nullptr, nullptr),
          "clEnqueueUnmapMemObject");
    enqueued();
}

} // namespace ferry::opencl
