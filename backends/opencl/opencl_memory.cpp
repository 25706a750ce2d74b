// SPDX-License-Identifier: Apache-2.0
#include "opencl_memory.hpp"

#include "opencl_blocking.hpp"
#include "opencl_device.hpp"
#include "opencl_error.hpp"

#include <atomic>

namespace ferry::opencl {
namespace {

// Number of views kept as memory objects; others are made for one launch.
constexpr std::size_t most_parts = 64;

std::uint64_t next_number() noexcept {
    static std::atomic<std::uint64_t> last{0}; // Relaxed: numbers must differ, not be in order.
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

cl_mem create_buffer(OpenclDevice& device, cl_mem_flags flags, std::size_t bytes, void* host) {
    cl_int code = CL_SUCCESS;
    cl_mem mem = device.api().clCreateBuffer(device.context(), flags, bytes, host, &code);
    return made(mem, code, "clCreateBuffer");
}

void allocate_svm(OpenclDevice& device, OpenclMemory& memory, MemoryKind kind) {
    const cl_svm_mem_flags grain = kind == MemoryKind::device ? 0 : CL_MEM_SVM_FINE_GRAIN_BUFFER;
    memory.pointer = static_cast<char*>(
        device.api().clSVMAlloc(device.context(), CL_MEM_READ_WRITE | grain, memory.bytes, 0));
    if (memory.pointer == nullptr) {
        throw Error(Code::out_of_memory, "clSVMAlloc returned no memory",
                    VendorCall{Backend::opencl, "clSVMAlloc", 0, ""});
    }
    memory.mem = create_buffer(device, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory.bytes, memory.pointer);
}

void allocate_usm(OpenclDevice& device, OpenclMemory& memory, MemoryKind kind) {
    const Api& api = device.api();
    cl_int code = CL_SUCCESS;
    void* pointer = nullptr;
    const char* call = nullptr;
    switch (kind) {
    case MemoryKind::device:
        call = "clDeviceMemAllocINTEL";
        pointer = api.clDeviceMemAllocINTEL(device.context(), device.id(), nullptr, memory.bytes, 0, &code);
        break;
    case MemoryKind::host:
        call = "clHostMemAllocINTEL";
        pointer = api.clHostMemAllocINTEL(device.context(), nullptr, memory.bytes, 0, &code);
        break;
    case MemoryKind::shared:
        call = "clSharedMemAllocINTEL";
        pointer = api.clSharedMemAllocINTEL(device.context(), device.id(), nullptr, memory.bytes, 0, &code);
        break;
    case MemoryKind::imported: // Not allocated.
        break;
    }
    check(code == CL_SUCCESS && pointer == nullptr ? CL_OUT_OF_RESOURCES : code, call);
    memory.pointer = static_cast<char*>(pointer);
}

void keep_mapped(OpenclDevice& device, OpenclMemory& memory, cl_mem mem) {
    Commands service(device.service_queue());
    memory.pointer =
        static_cast<char*>(map_and_wait(device, service, mem, memory.mapped_for, 0, memory.bytes));
}

void allocate_mapped(OpenclDevice& device, OpenclMemory& memory) {
    memory.mem = create_buffer(device, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, memory.bytes, nullptr);
    keep_mapped(device, memory, memory.mem);
}

void allocate_mirrored(OpenclDevice& device, OpenclMemory& memory) {
    memory.locked = create_buffer(device, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, memory.bytes, nullptr);
    keep_mapped(device, memory, memory.locked);
    memory.mem = create_buffer(device, CL_MEM_READ_WRITE, memory.bytes, nullptr);
}

Storage import_storage(const OpenclDevice& device, const void* data, std::size_t bytes, bool read_only) {
    if (read_only && device.info().kind != DeviceKind::cpu) { // NVIDIA's driver 580 crashes on such pages.
        return Storage::mirrored;
    }
    const bool fits =
        reinterpret_cast<std::uintptr_t>(data) % intels_alignment == 0 && bytes % intels_sizes == 0;
    switch (device.traits().imports) {
    case InPlace::never:
        break;
    case InPlace::intels_rule:
        return fits ? Storage::mapped : Storage::mirrored;
    case InPlace::always:
        return Storage::mapped;
    case InPlace::svm_pointers:
        return Storage::system;
    case InPlace::usm_pointers:
        return Storage::usm;
    }
    return Storage::mirrored;
}

void set_addresses(OpenclMemory& memory, MemoryKind kind) {
    memory.handle = memory.storage == Storage::mirrored ? memory.locked : memory.mem;
    if (memory.storage == Storage::svm || pointer_only(memory)) {
        memory.address = reinterpret_cast<std::uintptr_t>(memory.pointer);
    }
    if (kind != MemoryKind::device) {
        memory.host = memory.pointer;
    }
}

} // namespace

Storage storage_for(const OpenclDevice& device, MemoryKind kind) {
    const Traits& traits = device.traits();
    if (kind == MemoryKind::device) {
        // On a processor SVM costs nothing and avoids the alignment of sub-buffers for views. A discrete
        // device may keep it in the host's memory.
        if (device.info().kind == DeviceKind::cpu && (traits.svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0) {
            return Storage::svm;
        }
        return traits.usm_device ? Storage::usm : Storage::buffer;
    }
    if (kind == MemoryKind::host ? traits.usm_host : traits.usm_shared) {
        return Storage::usm;
    }
    if ((traits.svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0) {
        return Storage::svm;
    }
    // A driver that copies transfers the whole memory, over bytes that the host wrote meanwhile.
    return device.shares_memory() ? Storage::mapped : Storage::mirrored;
}

OpenclMemory::OpenclMemory(OpenclDevice& device, Storage kind, std::size_t size)
    : storage(kind), bytes(size), number(next_number()), device_(device) {}

OpenclMemory::OpenclMemory(OpenclMemory& whole, std::size_t offset, std::size_t size)
    : storage(whole.storage),
      bytes(size),
      number(next_number()),
      device_(whole.device_),
      whole_(&whole),
      offset_(offset) {
    if (whole.mem != nullptr) {
        const cl_buffer_region region{offset, size};
        cl_int code = CL_SUCCESS;
        mem = device_.api().clCreateSubBuffer(whole.mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
        made(mem, code, "clCreateSubBuffer");
    }
    pointer = whole.pointer != nullptr ? whole.pointer + offset : nullptr;
    set_addresses(*this, whole.host != nullptr ? MemoryKind::host : MemoryKind::device);
}

OpenclMemory::~OpenclMemory() {
    if (backend::process_is_exiting()) {
        return;
    }
    const Api& api = device_.api();
    mapped_by(nullptr, nullptr);
    // The last first: NVIDIA's driver 580 crashes if the older one of two overlapping sub-buffers is released
    // first.
    while (!parts_.empty()) {
        static_cast<void>(api.clReleaseMemObject(parts_.back().mem));
        parts_.pop_back();
    }
    if (whole_ != nullptr) {
        if (mem != nullptr) {
            static_cast<void>(api.clReleaseMemObject(mem));
        }
        return;
    }
    cl_mem const mapped = storage == Storage::mapped ? mem : locked;
    if (mapped != nullptr && pointer != nullptr) {
        // The driver keeps the object until its commands are done, whatever these two return.
        Commands service(device_.service_queue());
        static_cast<void>(service.submit(api.clEnqueueUnmapMemObject, mapped, pointer, 0, nullptr, nullptr));
        static_cast<void>(finish(device_, service.queue()));
    }
    for (cl_mem const object : {mem, locked}) {
        if (object != nullptr) {
            static_cast<void>(api.clReleaseMemObject(object));
        }
    }
    if (storage == Storage::svm && pointer != nullptr) {
        api.clSVMFree(device_.context(), pointer);
    } else if (storage == Storage::usm && !imported && pointer != nullptr) {
        static_cast<void>(api.clMemFreeINTEL(device_.context(), pointer));
    }
}

void OpenclMemory::mapped_by(cl_command_queue queue, cl_event event) noexcept {
    if (mapping_ != nullptr) {
        static_cast<void>(device_.api().clReleaseEvent(mapping_));
    }
    mapping_ = event;
    mapping_queue_ = queue;
}

cl_event OpenclMemory::mapped_elsewhere(cl_command_queue queue) noexcept {
    if (mapping_ == nullptr || mapping_queue_ == queue) {
        return nullptr;
    }
    // A command that waits for a failed one fails too. The other queue reports the error.
    cl_int status = CL_COMPLETE;
    if (device_.api().clGetEventInfo(mapping_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                                     nullptr) == CL_SUCCESS &&
        status <= CL_COMPLETE) {
        mapped_by(nullptr, nullptr);
        return nullptr;
    }
    device_.flush(mapping_queue_);
    return mapping_;
}

cl_mem OpenclMemory::sub_buffer(std::size_t offset, bool& owned) {
    const std::lock_guard lock(mutex_);
    owned = false;
    for (const Part& part : parts_) {
        if (part.offset == offset) {
            return part.mem;
        }
    }
    // A sub-buffer has no sub-buffers itself.
    const cl_buffer_region region{offset_ + offset, bytes - offset};
    cl_int code = CL_SUCCESS;
    cl_mem part = device_.api().clCreateSubBuffer(whole_ != nullptr ? whole_->mem : mem, 0,
                                                  CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (code == CL_MISALIGNED_SUB_BUFFER_OFFSET || code == CL_INVALID_VALUE) {
        return nullptr; // CL_INVALID_VALUE: wrapped memory may itself be a sub-buffer, which has none.
    }
    made(part, code, "clCreateSubBuffer");
    if (parts_.size() == most_parts) {
        owned = true;
        return part;
    }
    parts_.reserve(most_parts);
    parts_.push_back({offset, part});
    return part;
}

std::unique_ptr<OpenclMemory> allocate_memory(OpenclDevice& device, MemoryKind kind, std::size_t bytes) {
    auto memory = std::make_unique<OpenclMemory>(device, storage_for(device, kind), bytes);
    switch (memory->storage) {
    case Storage::buffer:
        memory->mem = create_buffer(device, CL_MEM_READ_WRITE, bytes, nullptr);
        break;
    case Storage::svm:
        allocate_svm(device, *memory, kind);
        break;
    case Storage::usm:
        allocate_usm(device, *memory, kind);
        break;
    case Storage::system: // Not allocated.
        break;
    case Storage::mapped:
        allocate_mapped(device, *memory);
        break;
    case Storage::mirrored:
        allocate_mirrored(device, *memory);
        break;
    }
    set_addresses(*memory, kind);
    return memory;
}

std::unique_ptr<OpenclMemory> allocate_pack(OpenclDevice& device, std::size_t bytes) {
    auto memory = std::make_unique<OpenclMemory>(device, Storage::mirrored, bytes);
    memory->is_pack = true;
    allocate_mirrored(device, *memory);
    return memory;
}

std::unique_ptr<OpenclMemory> import_memory(OpenclDevice& device, void* data, std::size_t bytes,
                                            bool read_only, std::string& why) {
    const Storage storage = import_storage(device, data, bytes, read_only);
    auto memory = std::make_unique<OpenclMemory>(device, storage, bytes);
    memory->mapped_for = read_only ? CL_MAP_READ : CL_MAP_READ | CL_MAP_WRITE;
    memory->imported = true;
    if (storage != Storage::mapped) {
        if (storage == Storage::mirrored) {
            memory->mem = create_buffer(device, CL_MEM_READ_WRITE, bytes, nullptr);
        }
        memory->pointer = static_cast<char*>(data);
        if (pointer_only(*memory)) {
            set_addresses(*memory, MemoryKind::imported);
        }
        memory->host = data;
        return memory;
    }
    const cl_mem_flags access = read_only ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE;
    memory->mem = create_buffer(device, access | CL_MEM_USE_HOST_PTR, bytes, data);
    memory->handle = memory->mem;
    keep_mapped(device, *memory, memory->mem);
    if (memory->pointer != data) { // The specification guarantees it.
        why = "its OpenCL driver maps imported memory at another address";
        return nullptr;
    }
    memory->host = memory->pointer;
    return memory;
}

std::unique_ptr<OpenclMemory> import_unmapped(OpenclDevice& device, void* data, std::size_t bytes) {
    if (import_storage(device, data, bytes, false) != Storage::mapped) {
        return nullptr;
    }
    auto memory = std::make_unique<OpenclMemory>(device, Storage::buffer, bytes);
    memory->mem = create_buffer(device, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, data);
    memory->handle = memory->mem;
    return memory;
}

std::unique_ptr<OpenclMemory> wrap_memory(OpenclDevice& device, std::uint64_t native, std::size_t bytes,
                                          backend::Ownership ownership) {
    const Api& api = device.api();
    cl_mem const mem = reinterpret_cast<cl_mem>(static_cast<std::uintptr_t>(native));
    cl_context context = nullptr;
    std::size_t size = 0;
    cl_mem_flags flags = 0;
    check(api.clGetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof(cl_context), &context, nullptr),
          "clGetMemObjectInfo");
    check(api.clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof size, &size, nullptr), "clGetMemObjectInfo");
    check(api.clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof flags, &flags, nullptr), "clGetMemObjectInfo");
    if (context != device.context()) {
        throw Error(Code::invalid_argument,
                    "The cl_mem belongs to another cl_context than Ferry's for " + device.info().name +
                        "; create it in the context that the device's native handle names");
    }
    if (size < bytes) {
        throw Error(Code::out_of_range, "The cl_mem holds " + std::to_string(size) +
                                            " bytes, fewer than the " + std::to_string(bytes) + " asked for");
    }
    auto memory = std::make_unique<OpenclMemory>(device, Storage::buffer, size);
    if (ownership == backend::Ownership::borrowed) {
        check(api.clRetainMemObject(mem), "clRetainMemObject"); // Released by the destructor.
    }
    memory->kernels_update = (flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY)) == 0;
    memory->mem = mem;
    memory->handle = mem;
    return memory;
}

} // namespace ferry::opencl
