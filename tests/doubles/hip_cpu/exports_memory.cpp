// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"
#include "exports.hpp"
#include "lies.hpp"
#include "memory.hpp"
#include "mirrors.hpp"
#include "slow_pages.hpp"
#include "views.hpp"

#include <algorithm>
#include <cstring>

namespace {

/// To the stream, or to the capture it takes part in; a fault that is to happen later is not captured.
template <class Work>
int enqueue(const char* symbol, const std::shared_ptr<Queue>& queue, Work work) {
    if (const std::shared_ptr<Capture> capture = queue->capture()) {
        capture->add(queue.get(), [&](Command& command) { command.set(work); });
        return success;
    }
    const Later fault = later_fault(symbol);
    queue->push([&](Command& command) {
        command.later = fault.code;
        command.later_once = fault.once;
        command.set(work);
    });
    return success;
}

/// Pages that were registered when a copy was enqueued: the device goes to them later, by itself, and has to
/// find them still registered.
class Pinned {
public:
    Pinned(const void* to, const void* from) : to_(registration_of(to)), from_(registration_of(from)) {}

    /// What the copy ends with.
    int code(const void* to, const void* from) const {
        const bool there =
            (to_ == 0 || registration_of(to) == to_) && (from_ == 0 || registration_of(from) == from_);
        return there ? success : launch_failure;
    }

private:
    unsigned long long to_, from_;
};

enum Direction : int {
    host_to_host = 0,
    host_to_device = 1,
    device_to_host = 2,
    device_to_device = 3,
    any = 4
};

int enqueue_copy(const char* symbol, void* to, const void* from, std::size_t bytes, int direction,
                 void* stream) {
    const std::shared_ptr<Queue> queue = find_queue(stream);
    if (queue == nullptr) {
        return invalid_handle;
    }
    if (bytes == 0) {
        return success;
    }
    const bool device_to = direction == host_to_device || direction == device_to_device;
    const bool device_from = direction == device_to_host || direction == device_to_device;
    if ((device_to ? check_device_range(to, bytes) : check_any_range(to, bytes)) != success ||
        (device_from ? check_device_range(from, bytes) : check_any_range(from, bytes)) != success) {
        return invalid_value;
    }
    return enqueue(symbol, queue,
                   [to, from, bytes, wrong = is_wrong(symbol, bytes), pinned = Pinned(to, from)] {
                       copy_bytes(to, from, bytes);
                       if (wrong) {
                           spoil(static_cast<std::byte*>(to) + bytes / 2);
                       }
                       return pinned.code(to, from);
                   });
}

/// As strict as the headers: rows that fit their pitch, slices that hold the rows, and no byte outside of an
/// allocation. AMD's library refuses fields of an array beside an address.
int enqueue_box(const char* symbol, const BoxCopy& copy, void* stream) {
    const std::shared_ptr<Queue> queue = find_queue(stream);
    if (queue == nullptr) {
        return invalid_handle;
    }
    if (copy.kind < host_to_host || copy.kind > any) {
        return invalid_copy_direction;
    }
    if (copy.width == 0 || copy.height == 0 || copy.depth == 0) {
        return success;
    }
    const auto fits = [&](const BoxCopy::End& end, bool device) {
        if (end.array != nullptr || end.address == nullptr || end.pitch == 0 ||
            end.x + copy.width > end.pitch || (copy.depth > 1 && end.y + copy.height > end.height)) {
            return false;
        }
        const auto* first =
            static_cast<const std::byte*>(end.address) + (end.z * end.height + end.y) * end.pitch + end.x;
        const std::size_t reach = ((copy.depth - 1) * end.height + copy.height - 1) * end.pitch + copy.width;
        return (device ? check_device_range(first, reach) : check_any_range(first, reach)) == success;
    };
    const bool device_to = copy.kind == host_to_device || copy.kind == device_to_device;
    const bool device_from = copy.kind == device_to_host || copy.kind == device_to_device;
    if (!fits(copy.to, device_to) || !fits(copy.from, device_from)) {
        return invalid_value;
    }
    const Later fault = later_fault(symbol);
    queue->push([&](Command& command) {
        command.later = fault.code;
        command.later_once = fault.once;
        std::memcpy(command.parameters.data(), &copy, sizeof copy);
        const bool wrong = is_wrong(symbol, copy.width * copy.height * copy.depth);
        command.set([node = &command, wrong, pinned = Pinned(copy.to.address, copy.from.address)] {
            BoxCopy box;
            std::memcpy(&box, node->parameters.data(), sizeof box);
            const auto row = [](const BoxCopy::End& end, std::size_t y, std::size_t z) {
                return static_cast<std::byte*>(end.address) +
                       ((end.z + z) * end.height + end.y + y) * end.pitch + end.x;
            };
            for (std::size_t z = 0; z < box.depth; ++z) {
                for (std::size_t y = 0; y < box.height; ++y) {
                    copy_bytes(row(box.to, y, z), row(box.from, y, z), box.width);
                }
            }
            if (wrong) {
                spoil(row(box.to, box.height - 1, box.depth - 1) + box.width - 1);
            }
            return pinned.code(box.to.address, box.from.address);
        });
    });
    return success;
}

int enqueue_fill(const char* symbol, void* to, unsigned int pattern, std::size_t size, std::size_t count,
                 void* stream) {
    const std::shared_ptr<Queue> queue = find_queue(stream);
    if (queue == nullptr) {
        return invalid_handle;
    }
    if (reinterpret_cast<std::uintptr_t>(to) % size != 0 || check_device_range(to, size * count) != success) {
        return invalid_value;
    }
    if (is_before_5_3()) { // AMD's goes on to the end of the memory
        count = std::max(count, (0 - reinterpret_cast<std::uintptr_t>(to)) % 8 / size);
    }
    return enqueue(symbol, queue, [to, pattern, size, count] {
        fill_bytes(to, &pattern, size, count);
        return 0;
    });
}

} // namespace

Result hipMalloc(Pointer* memory, std::size_t bytes) {
    FERRY_DOUBLE_ENTER(hipMalloc)
    return allocate(MemoryKind::device, current(), bytes, memory);
}

// Frees also on a lost device: what is live shows what was forgotten.
Result hipFree(Pointer memory) {
    FERRY_DOUBLE_COUNT(hipFree)
    return release(memory, false);
}

Result hipHostMalloc(void** memory, std::size_t bytes, unsigned int) {
    FERRY_DOUBLE_ENTER(hipHostMalloc)
    if (lie() == Lie::address && memory != nullptr && bytes != 0) {
        return views().allocate(bytes, current(), memory);
    }
    if (lie() == Lie::uncached && memory != nullptr && bytes >= SlowPages::smallest) {
        return SlowPages::allocate(bytes, current(), memory);
    }
    return allocate(MemoryKind::host, current(), bytes, memory);
}

Result hipHostFree(void* memory) {
    FERRY_DOUBLE_COUNT(hipHostFree)
    return views().release(memory) || SlowPages::release(memory) ? success : release(memory, true);
}

Result hipHostRegister(void* memory, std::size_t bytes, unsigned int flags) {
    FERRY_DOUBLE_ENTER(hipHostRegister)
    constexpr unsigned int portable_mapped = 3;
    if (flags != portable_mapped) {
        return invalid_value;
    }
    const int code = register_pages(memory, bytes, current());
    return code == success && lie() == Lie::registered ? mirrors().add(memory, bytes) : code;
}

Result hipHostUnregister(void* memory) {
    FERRY_DOUBLE_COUNT(hipHostUnregister)
    mirrors().remove(memory);
    return unregister_pages(memory);
}

Result hipHostGetDevicePointer(Pointer* address, void* memory, unsigned int flags) {
    FERRY_DOUBLE_ENTER(hipHostGetDevicePointer)
    const Range range = find_range(memory, 1);
    if (flags != 0 || !range.known || !is_host_memory(range.kind)) {
        return invalid_value;
    }
    *address = lie() == Lie::address ? views().seen_by_device(memory) : mirrors().seen_by_device(memory);
    return success;
}

Result hipPointerGetAttribute(void* value, PointerAttribute attribute, Pointer pointer) {
    FERRY_DOUBLE_ENTER(hipPointerGetAttribute)
    constexpr int host_pointer = 4; // HIP_POINTER_ATTRIBUTE_HOST_POINTER
    const Range range = find_range(pointer, 1);
    if (value == nullptr || attribute != host_pointer || !range.known || range.kind == MemoryKind::device) {
        return invalid_value;
    }
    *static_cast<void**>(value) = pointer;
    return success;
}

Result hipMallocManaged(Pointer* memory, std::size_t bytes, unsigned int flags) {
    FERRY_DOUBLE_ENTER(hipMallocManaged)
    if (flags != 1 && flags != 2) { // attached globally, or to the host
        return invalid_value;
    }
    return allocate(MemoryKind::managed, current(), bytes, memory);
}

Result hipMemcpyHtoDAsync(Pointer to, UploadSource from, std::size_t bytes, Stream stream) {
    FERRY_DOUBLE_ENTER(hipMemcpyHtoDAsync)
    return enqueue_copy("hipMemcpyHtoDAsync", to, from, bytes, host_to_device, stream);
}

Result hipMemcpyDtoHAsync(void* to, Pointer from, std::size_t bytes, Stream stream) {
    FERRY_DOUBLE_ENTER(hipMemcpyDtoHAsync)
    return enqueue_copy("hipMemcpyDtoHAsync", to, from, bytes, device_to_host, stream);
}

Result hipMemcpyDtoDAsync(Pointer to, Pointer from, std::size_t bytes, Stream stream) {
    FERRY_DOUBLE_ENTER(hipMemcpyDtoDAsync)
    return enqueue_copy("hipMemcpyDtoDAsync", to, from, bytes, device_to_device, stream);
}

Result hipMemcpyAsync(void* to, const void* from, std::size_t bytes, CopyKind kind, Stream stream) {
    FERRY_DOUBLE_ENTER(hipMemcpyAsync)
    if (kind < host_to_host || kind > any) {
        return invalid_copy_direction;
    }
    return enqueue_copy("hipMemcpyAsync", to, from, bytes, kind, stream);
}

Result hipMemcpy3DAsync(const BoxCopy* copy, Stream stream) {
    FERRY_DOUBLE_ENTER(hipMemcpy3DAsync)
    return enqueue_box("hipMemcpy3DAsync", *copy, stream);
}

Result hipMemcpyPeerAsync(Pointer to, Context to_device, PeerSource from, Context from_device,
                          std::size_t bytes, Stream stream) {
    FERRY_DOUBLE_ENTER(hipMemcpyPeerAsync)
    if (device_at(to_device) == nullptr || device_at(from_device) == nullptr) {
        return invalid_device;
    }
    const Range target = find_range(to, bytes);
    const Range source = find_range(from, bytes);
    if ((target.kind == MemoryKind::device && target.device != device_at(to_device)) ||
        (source.kind == MemoryKind::device && source.device != device_at(from_device))) {
        return invalid_value;
    }
    return enqueue_copy("hipMemcpyPeerAsync", to, from, bytes, device_to_device, stream);
}

Result hipMemsetD8Async(Pointer to, unsigned char value, std::size_t count, Stream stream) {
    FERRY_DOUBLE_ENTER(hipMemsetD8Async)
    return enqueue_fill("hipMemsetD8Async", to, value, 1, count, stream);
}

Result hipMemsetD16Async(Pointer to, unsigned short value, std::size_t count, Stream stream) {
    FERRY_DOUBLE_ENTER(hipMemsetD16Async)
    return enqueue_fill("hipMemsetD16Async", to, value, 2, count, stream);
}

Result hipMemsetD32Async(Pointer to, Word value, std::size_t count, Stream stream) {
    FERRY_DOUBLE_ENTER(hipMemsetD32Async)
    return enqueue_fill("hipMemsetD32Async", to, static_cast<unsigned int>(value), 4, count, stream);
}
