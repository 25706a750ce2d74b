// SPDX-License-Identifier: Apache-2.0
#include "exports.hpp"
#include "lies.hpp"
#include "mirrors.hpp"
#include "slow_pages.hpp"
#include "views.hpp"
#include "work.hpp"

namespace ferry_double {

namespace {

int allocate_at(MemoryKind kind, std::size_t bytes, Pointer* memory) {
    void* made = nullptr;
    const int code = ferry_double::allocate(kind, current(), bytes, memory != nullptr ? &made : nullptr);
    if (code == success) {
        *memory = pointer_to(made);
    }
    return code;
}

// Hints are for managed memory, and name a device or, with -1, the processor.
int check_hint(const void* memory, std::size_t bytes, int device) {
    const Range range = find_range(memory, bytes);
    if (bytes == 0 || !range.known || !range.whole || range.kind != MemoryKind::managed) {
        return invalid_value;
    }
    return device == -1 || device_at(device) != nullptr ? success : invalid_device;
}

} // namespace

Result Rows::allocate(Pointer* memory, std::size_t bytes) {
    FERRY_DOUBLE_ENTER(allocate)
    return allocate_at(MemoryKind::device, bytes, memory);
}

// Frees memory of a lost device too, so that live allocations show leaks.
Result Rows::free(Pointer memory) {
    FERRY_DOUBLE_COUNT(free)
    return release(address_of(memory), false);
}

Result Rows::allocate_host(void** memory, std::size_t bytes, unsigned int) {
    FERRY_DOUBLE_ENTER(allocate_host)
    if (lie() == Lie::address && memory != nullptr && bytes != 0) {
        return views().allocate(bytes, current(), memory);
    }
    if (lie() == Lie::uncached && memory != nullptr && bytes >= SlowPages::smallest) {
        return SlowPages::allocate(bytes, current(), memory);
    }
    return ferry_double::allocate(MemoryKind::host, current(), bytes, memory);
}

Result Rows::free_host(void* memory) {
    FERRY_DOUBLE_COUNT(free_host)
    return views().release(memory) || SlowPages::release(memory) ? success : release(memory, true);
}

Result Rows::register_host(void* memory, std::size_t bytes, unsigned int flags) {
    FERRY_DOUBLE_ENTER(register_host)
    constexpr unsigned int portable_mapped = 3;
    if (flags != portable_mapped) {
        return invalid_value;
    }
    const int code = register_pages(memory, bytes, current());
    return code == success && lie() == Lie::registered ? mirrors().add(memory, bytes) : code;
}

Result Rows::unregister_host(void* memory) {
    FERRY_DOUBLE_COUNT(unregister_host)
    mirrors().remove(memory);
    return unregister_pages(memory);
}

Result Rows::host_address(Pointer* address, void* memory, unsigned int flags) {
    FERRY_DOUBLE_ENTER(host_address)
    const Range range = find_range(memory, 1);
    if (flags != 0 || !range.known || !is_host_memory(range.kind)) {
        return invalid_value;
    }
    *address =
        pointer_to(lie() == Lie::address ? views().seen_by_device(memory) : mirrors().seen_by_device(memory));
    return success;
}

Result Rows::pointer_attribute(void* value, PointerAttribute attribute, Pointer pointer) {
    FERRY_DOUBLE_ENTER(pointer_attribute)
    constexpr int host_pointer = 4; // the same number in both vendors' APIs
    const Range range = find_range(address_of(pointer), 1);
    if (value == nullptr || attribute != host_pointer || !range.known || range.kind == MemoryKind::device) {
        return invalid_value;
    }
    *static_cast<void**>(value) = address_of(pointer);
    return success;
}

Result Rows::allocate_managed(Pointer* memory, std::size_t bytes, unsigned int flags) {
    FERRY_DOUBLE_ENTER(allocate_managed)
    if (flags != 1 && flags != 2) { // attached globally, or to the host
        return invalid_value;
    }
    return allocate_at(MemoryKind::managed, bytes, memory);
}

Result Rows::prefetch(PeerSource memory, std::size_t bytes, Device device, Stream stream) {
    FERRY_DOUBLE_ENTER(prefetch)
    if (const int code = check_hint(address_of(memory), bytes, device); code != success) {
        return code;
    }
    if (find_queue(stream) == nullptr) {
        return invalid_handle;
    }
    site_of_this.note(static_cast<long long>(bytes), device);
    return success;
}

Result Rows::advise(PeerSource memory, std::size_t bytes, MemoryAdvice advice, Device device) {
    FERRY_DOUBLE_ENTER(advise)
    constexpr int first = 1; // The same numbers in both vendors' APIs.
    constexpr int last = 6;
    if (const int code = check_hint(address_of(memory), bytes, device); code != success) {
        return code;
    }
    if (advice < first || advice > last) {
        return invalid_value;
    }
    site_of_this.note(static_cast<long long>(bytes), advice, device);
    return success;
}

Result Rows::upload(Pointer to, UploadSource from, std::size_t bytes, Stream stream) {
    FERRY_DOUBLE_ENTER(upload)
    return enqueue_copy(site_of_this.name, address_of(to), from, bytes, host_to_device, stream);
}

Result Rows::download(void* to, Pointer from, std::size_t bytes, Stream stream) {
    FERRY_DOUBLE_ENTER(download)
    return enqueue_copy(site_of_this.name, to, address_of(from), bytes, device_to_host, stream);
}

Result Rows::copy(Pointer to, Pointer from, std::size_t bytes, Stream stream) {
    FERRY_DOUBLE_ENTER(copy)
    return enqueue_copy(site_of_this.name, address_of(to), address_of(from), bytes, device_to_device, stream);
}

Result Rows::copy_box(const BoxCopy* copy, Stream stream) {
    FERRY_DOUBLE_ENTER(copy_box)
    Box box;
    const int code = read_box(*copy, box);
    return code == success ? enqueue_box(site_of_this.name, box, stream) : code;
}

Result Rows::copy_peer(Pointer to, Context to_device, PeerSource from, Context from_device, std::size_t bytes,
                       Stream stream) {
    FERRY_DOUBLE_ENTER(copy_peer)
    return enqueue_peer_copy(site_of_this.name, address_of(to), ordinal_of(to_device), address_of(from),
                             ordinal_of(from_device), bytes, stream);
}

Result Rows::fill_1(Pointer to, unsigned char value, std::size_t count, Stream stream) {
    FERRY_DOUBLE_ENTER(fill_1)
    return enqueue_fill(site_of_this.name, address_of(to), value, 1, count, stream);
}

Result Rows::fill_2(Pointer to, unsigned short value, std::size_t count, Stream stream) {
    FERRY_DOUBLE_ENTER(fill_2)
    return enqueue_fill(site_of_this.name, address_of(to), value, 2, count, stream);
}

Result Rows::fill_4(Pointer to, Word value, std::size_t count, Stream stream) {
    FERRY_DOUBLE_ENTER(fill_4)
    return enqueue_fill(site_of_this.name, address_of(to), static_cast<unsigned int>(value), 4, count,
                        stream);
}

} // namespace ferry_double
