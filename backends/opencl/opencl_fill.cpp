// SPDX-License-Identifier: Apache-2.0
#include "fill_by_copies.hpp"
#include "opencl_device.hpp"
#include "opencl_error.hpp"
#include "opencl_mapping.hpp"
#include "opencl_queue.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace ferry::opencl {
namespace {

constexpr std::size_t largest_vendor_pattern = 128;
constexpr std::size_t worth_widening = 4096; ///< bytes
constexpr std::size_t widest_store = 16;     ///< of a GPU's work-item

bool vendor_fills(std::size_t offset, std::size_t size) {
    return std::has_single_bit(size) && size <= largest_vendor_pattern && offset % size == 0;
}

} // namespace

void OpenclQueue::fill(backend::Place to, std::size_t bytes, const void* pattern, std::size_t size) {
    OpenclMemory& memory = memory_of(to);
    const bool by_pointer = pointer_only(memory);
    const OpenclMemory::Origin object = memory.origin();
    // In the object, or the address: a fill is at a multiple of its pattern, also in what is imported.
    const std::size_t zero = by_pointer ? reinterpret_cast<std::uintptr_t>(memory.pointer) : object.offset;
    const std::size_t begin = zero + to.offset;
    const auto address = [&](std::size_t offset) { return memory.pointer + (offset - zero); };
    const auto set = [&](std::size_t offset, const void* values, std::size_t length, std::size_t count) {
        if (memory.storage == Storage::usm) {
            check(api_.clEnqueueMemFillINTEL(queue_, address(offset), values, length, count, 0, nullptr,
                                             nullptr),
                  "clEnqueueMemFillINTEL");
        } else if (by_pointer) {
            check(
                api_.clEnqueueSVMMemFill(queue_, address(offset), values, length, count, 0, nullptr, nullptr),
                "clEnqueueSVMMemFill");
        } else {
            check(api_.clEnqueueFillBuffer(queue_, object.mem, values, length, offset, count, 0, nullptr,
                                           nullptr),
                  "clEnqueueFillBuffer");
        }
    };
    const auto copy = [&](std::size_t at, std::size_t next) {
        if (by_pointer) {
            copy_pointers(memory, address(begin + at), address(begin), next);
        } else {
            check(api_.clEnqueueCopyBuffer(queue_, object.mem, object.mem, begin, begin + at, next, 0,
                                           nullptr, nullptr),
                  "clEnqueueCopyBuffer");
        }
    };
    // Other patterns are laid down in parts that the vendor fills, long ones by a buffer that holds them
    // until it is copied, and then copied on.
    const auto lay_down = [&] {
        if (!by_pointer && size > largest_vendor_pattern) {
            cl_int code = CL_SUCCESS;
            cl_mem const kept =
                api_.clCreateBuffer(device_.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, size,
                                    const_cast<void*>(pattern), &code);
            check(code, "clCreateBuffer");
            code = api_.clEnqueueCopyBuffer(queue_, kept, object.mem, 0, begin, size, 0, nullptr, nullptr);
            api_.clReleaseMemObject(kept); // the command keeps it
            check(code, "clEnqueueCopyBuffer");
            backend::fill_by_copies(bytes, size, copy);
            return;
        }
        const auto* const values = static_cast<const std::byte*>(pattern);
        for (std::size_t at = 0; at < size;) {
            std::size_t length = std::bit_floor(std::min(size - at, largest_vendor_pattern));
            while (!vendor_fills(begin + at, length)) {
                length /= 2;
            }
            set(begin + at, values + at, length, length);
            at += length;
        }
        backend::fill_by_copies(bytes, size, copy);
    };
    const auto all = [&] {
        const auto* const values = static_cast<const std::byte*>(pattern);
        const std::size_t length = std::equal(values + 1, values + size, values) ? 1 : size;
        if (!vendor_fills(begin, length)) {
            lay_down();
            return;
        }
        // Drivers store one pattern at a time: on processors 128 bytes fill four times as fast as 4 (PoCL,
        // Intel's, rusticl), on an H200 8 bytes twice as fast.
        std::size_t wide = length;
        if (bytes >= worth_widening) {
            const std::size_t widest =
                device_.info().kind == DeviceKind::cpu ? largest_vendor_pattern : widest_store;
            while (wide < widest && begin % (2 * wide) == 0) {
                wide *= 2;
            }
        }
        std::array<std::byte, largest_vendor_pattern> repeated; // NOLINT: filled as far as used
        for (std::size_t at = 0; at < wide; at += length) {
            std::memcpy(repeated.data() + at, values, length);
        }
        const std::size_t most = bytes / wide * wide;
        set(begin, repeated.data(), wide, most);
        if (most != bytes) {
            set(begin + most, values, length, bytes - most);
        }
    };
    lent_.clear();
    will_use(to, bytes, Use::writes);
    hand_over(all);
    enqueued();
}

} // namespace ferry::opencl
