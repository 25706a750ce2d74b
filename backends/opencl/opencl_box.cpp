// SPDX-License-Identifier: Apache-2.0
#include "opencl_error.hpp"
#include "opencl_mapping.hpp"
#include "opencl_queue.hpp"

#include <array>

namespace ferry::opencl {
namespace {

using backend::Box;
using backend::Pitch;
using backend::Place;
using Sizes = std::array<std::size_t, 3>;

/// OpenCL requires a slice pitch that is a whole number of rows; otherwise slices are copied one at a time. A
/// driver that merges rows (Traits::merges_rows) copies the last row separately.
template <class Part>
void in_rect_boxes(const Traits& traits, Pitch from, Pitch to, const Box& box, const Part& part) {
    const auto whole = [&](std::size_t from_at, std::size_t to_at, Pitch f, Pitch t, const Box& b) {
        if (!traits.merges_rows || f.row != t.row || f.row != b.height || b.height == 1) {
            part(from_at, to_at, f, t, b);
            return;
        }
        const std::size_t above = b.height - 1;
        part(from_at, to_at, f, t, Box{b.width, above, b.depth});
        part(from_at + above * f.row, to_at + above * t.row, f, t, Box{b.width, 1, b.depth});
    };
    if (box.depth > 1 && from.slice % from.row == 0 && to.slice % to.row == 0) {
        whole(0, 0, from, to, box);
        return;
    }
    const Pitch from_slice{from.row, from.row * box.height};
    const Pitch to_slice{to.row, to.row * box.height};
    for (std::size_t z = 0; z < box.depth; ++z) {
        whole(z * from.slice, z * to.slice, from_slice, to_slice, Box{box.width, box.height, 1});
    }
}

/// Pointers have no box commands, and the bytes between the rows of mirrored memory must not be accessed.
bool goes_by_rows(const OpenclMemory& memory) {
    return pointer_only(memory) || memory.storage == Storage::mirrored;
}

/// The start of a box in bytes, rows and slices. Drivers check only their sum.
Sizes origin_of(std::size_t offset, Pitch pitch) {
    const std::size_t in_slice = offset % pitch.slice;
    return {in_slice % pitch.row, in_slice / pitch.row, offset / pitch.slice};
}

/// Bytes from the first byte of a box to its last.
std::size_t extent_of(Pitch pitch, const Box& box) {
    return (box.depth - 1) * pitch.slice + (box.height - 1) * pitch.row + box.width;
}

Sizes region_of(const Box& box) {
    return {box.width, box.height, box.depth};
}

constexpr Sizes no_origin{0, 0, 0};

/// Whether the driver rejects a valid box, which then has to be copied row by row; the front has checked it.
/// PoCL 3.1 reports an overlap of interleaved boxes, and sometimes of separate ones. NVIDIA's driver (580)
/// reports some boxes as invalid values.
bool is_refused(cl_int code, const char* call) {
    if (code == CL_MEM_COPY_OVERLAP || code == CL_INVALID_VALUE) {
        return true;
    }
    check(code, call);
    return false;
}

} // namespace

void OpenclQueue::write_box(const void* from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box) {
    OpenclMemory& memory = memory_of(to);
    if (goes_by_rows(memory)) {
        Queue::write_box(from, from_pitch, to, to_pitch, box);
        return;
    }
    const OpenclMemory::Origin object = memory.origin();
    bool refused = false;
    will_write_from(from, extent_of(from_pitch, box), Pages::ordinary, box.width * box.height * box.depth);
    lent_.clear();
    will_use(to, memory.bytes - to.offset, Use::updates);
    hand_over([&] {
        in_rect_boxes(device_.traits(), from_pitch, to_pitch, box,
                      [&](std::size_t source, std::size_t target, Pitch f, Pitch t, const Box& b) {
                          const cl_int code = commands_.submit(
                              api_.clEnqueueWriteBufferRect, object.mem, CL_FALSE,
                              origin_of(object.offset + to.offset + target, t).data(), no_origin.data(),
                              region_of(b).data(), t.row, t.slice, f.row, f.slice,
                              static_cast<const char*>(from) + source, 0, nullptr, nullptr);
                          refused |= is_refused(code, "clEnqueueWriteBufferRect");
                          taken.bytes += code == CL_SUCCESS ? b.width * b.height * b.depth : 0;
                      });
    });
    if (refused) {
        taken.bytes = 0; // All of it again.
        Queue::write_box(from, from_pitch, to, to_pitch, box);
    }
}

void OpenclQueue::read_box(Place from, Pitch from_pitch, void* to, Pitch to_pitch, const Box& box) {
    OpenclMemory& memory = memory_of(from);
    if (goes_by_rows(memory)) {
        Queue::read_box(from, from_pitch, to, to_pitch, box);
        return;
    }
    const OpenclMemory::Origin object = memory.origin();
    bool refused = false;
    lent_.clear();
    will_use(from, memory.bytes - from.offset, Use::reads);
    hand_over([&] {
        in_rect_boxes(device_.traits(), from_pitch, to_pitch, box,
                      [&](std::size_t source, std::size_t target, Pitch f, Pitch t, const Box& b) {
                          const cl_int code =
                              commands_.submit(api_.clEnqueueReadBufferRect, object.mem, CL_FALSE,
                                               origin_of(object.offset + from.offset + source, f).data(),
                                               no_origin.data(), region_of(b).data(), f.row, f.slice, t.row,
                                               t.slice, static_cast<char*>(to) + target, 0, nullptr, nullptr);
                          refused |= is_refused(code, "clEnqueueReadBufferRect");
                          taken.bytes += code == CL_SUCCESS ? b.width * b.height * b.depth : 0;
                      });
    });
    has_read_to(to, extent_of(to_pitch, box), Pages::ordinary);
    if (refused) {
        taken.bytes = 0; // All of it again.
        Queue::read_box(from, from_pitch, to, to_pitch, box);
    }
}

void OpenclQueue::copy_box(Place from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box) {
    OpenclMemory& source = memory_of(from);
    OpenclMemory& target = memory_of(to);
    if (by_address(source) && !by_address(target)) {
        write_box(source.pointer + from.offset, from_pitch, to, to_pitch, box);
        return;
    }
    if (by_address(target) && !by_address(source)) {
        read_box(from, from_pitch, target.pointer + to.offset, to_pitch, box);
        return;
    }
    const OpenclMemory::Origin from_object = source.origin();
    const OpenclMemory::Origin to_object = target.origin();
    // Within one buffer OpenCL accepts only boxes with equal pitches.
    const bool other_pitches =
        from_pitch.row != to_pitch.row || (box.depth > 1 && from_pitch.slice != to_pitch.slice);
    if (goes_by_rows(source) || goes_by_rows(target) || (from_object.mem == to_object.mem && other_pitches)) {
        Queue::copy_box(from, from_pitch, to, to_pitch, box);
        return;
    }
    bool refused = false;
    lent_.clear();
    will_use(from, source.bytes - from.offset, Use::reads);
    will_use(to, target.bytes - to.offset, Use::updates);
    hand_over([&] {
        in_rect_boxes(device_.traits(), from_pitch, to_pitch, box,
                      [&](std::size_t f_at, std::size_t t_at, Pitch f, Pitch t, const Box& b) {
                          const cl_int code = commands_.submit(
                              api_.clEnqueueCopyBufferRect, from_object.mem, to_object.mem,
                              origin_of(from_object.offset + from.offset + f_at, f).data(),
                              origin_of(to_object.offset + to.offset + t_at, t).data(), region_of(b).data(),
                              f.row, f.slice, t.row, t.slice, 0, nullptr, nullptr);
                          refused |= is_refused(code, "clEnqueueCopyBufferRect");
                          taken.bytes += code == CL_SUCCESS ? b.width * b.height * b.depth : 0;
                      });
    });
    if (refused) {
        taken.bytes = 0; // All of it again.
        Queue::copy_box(from, from_pitch, to, to_pitch, box);
    }
}

} // namespace ferry::opencl
