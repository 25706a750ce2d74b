// SPDX-License-Identifier: Apache-2.0
#include "fill_by_copies.hpp"
#include "opencl_error.hpp"
#include "opencl_mapping.hpp"
#include "opencl_queue.hpp"

#include <algorithm>
#include <bit>

namespace ferry::opencl {
namespace {

constexpr std::size_t largest_vendor_pattern = 128;

bool vendor_fills(std::size_t offset, std::size_t size) {
    return std::has_single_bit(size) && size <= largest_vendor_pattern && offset % size == 0;
}

} // namespace

void OpenclQueue::fill(backend::Place to, std::size_t bytes, const void* pattern, std::size_t size) {
    OpenclMemory& memory = memory_of(to);
    const bool usm = memory.storage == Storage::usm;
    const auto set = [&](std::size_t offset, const void* values, std::size_t length, std::size_t count) {
        if (usm) {
            check(api_.clEnqueueMemFillINTEL(queue_, memory.pointer + offset, values, length, count, 0,
                                             nullptr, nullptr),
                  "clEnqueueMemFillINTEL");
        } else {
            check(api_.clEnqueueFillBuffer(queue_, memory.mem, values, length, offset, count, 0, nullptr,
                                           nullptr),
                  "clEnqueueFillBuffer");
        }
    };
    const auto copy = [&](std::size_t at, std::size_t next) {
        if (usm) {
            check(api_.clEnqueueMemcpyINTEL(queue_, CL_FALSE, memory.pointer + to.offset + at,
                                            memory.pointer + to.offset, next, 0, nullptr, nullptr),
                  "clEnqueueMemcpyINTEL");
        } else {
            check(api_.clEnqueueCopyBuffer(queue_, memory.mem, memory.mem, to.offset, to.offset + at, next, 0,
                                           nullptr, nullptr),
                  "clEnqueueCopyBuffer");
        }
    };
    // Other patterns are laid down in parts that the vendor fills, and then copied on.
    const auto lay_down = [&] {
        const auto* const values = static_cast<const std::byte*>(pattern);
        for (std::size_t at = 0; at < size;) {
            std::size_t length = std::bit_floor(std::min(size - at, largest_vendor_pattern));
            while (!vendor_fills(to.offset + at, length)) {
                length /= 2;
            }
            set(to.offset + at, values + at, length, length);
            at += length;
        }
        backend::fill_by_copies(bytes, size, copy);
    };
    const auto all = [&] {
        const auto* const values = static_cast<const std::byte*>(pattern);
        if (vendor_fills(to.offset, size)) {
            set(to.offset, pattern, size, bytes);
        } else if (std::equal(values + 1, values + size, values)) {
            set(to.offset, pattern, 1, bytes);
        } else {
            lay_down();
        }
    };
    mapped_.clear();
    add_mapped(memory);
    hand_over(all);
    enqueued();
}

} // namespace ferry::opencl
