// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "check/race.hpp"
#include "memory/memory_state.hpp"
#include "queue/box_layout.hpp"
#include "queue/copy_checks.hpp"
#include "queue/queue_state.hpp"
#include "queue/race_notes.hpp"
#include "trace/trace.hpp"

#include <ferry/queue.hpp>

#include <string>

namespace ferry {
namespace detail {
namespace {

std::string text_of(const Extent& extent) {
    return std::to_string(extent.width) + "x" + std::to_string(extent.height) + "x" +
           std::to_string(extent.depth) + " elements";
}

[[noreturn]] void too_large(const Extent& extent, std::size_t element, const Pitches& pitches,
                            SourceLocation where) {
    throw Error(Code::out_of_range,
                "A box of " + text_of(extent) + " of " + in_bytes(element) + ", with a row pitch of " +
                    std::to_string(pitches.row) + " and a slice pitch of " + std::to_string(pitches.slice) +
                    " bytes (0: without gaps), is larger than the address space",
                where);
}

} // namespace

BoxLayout lay_out(std::size_t bytes, std::size_t element, const Extent& extent, const Pitches& pitches,
                  SourceLocation where) {
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0) {
        return {};
    }
    BoxLayout box{0, extent.height, extent.depth, pitches.row, pitches.slice};
    std::size_t rows = 0;   // Bytes from the start of a slice to the start of its last row.
    std::size_t slices = 0; // The same for the box and its last slice.
    const auto overflow = [&] { too_large(extent, element, pitches, where); };
    if (__builtin_mul_overflow(extent.width, element, &box.width)) {
        overflow();
    }
    if (box.row_pitch == 0) {
        box.row_pitch = box.width;
    } else if (box.row_pitch < box.width) {
        throw Error(Code::invalid_argument,
                    "The row pitch of a box, " + in_bytes(box.row_pitch) +
                        ", is smaller than one of its rows, " + std::to_string(extent.width) +
                        " elements or " + in_bytes(box.width),
                    where);
    }
    if (__builtin_mul_overflow(box.row_pitch, box.height - 1, &rows) ||
        __builtin_add_overflow(rows, box.width, &rows)) {
        overflow();
    }
    if (box.slice_pitch == 0) {
        if (__builtin_mul_overflow(box.row_pitch, box.height, &box.slice_pitch)) {
            overflow();
        }
    } else if (box.slice_pitch < rows) {
        throw Error(Code::invalid_argument,
                    "The slice pitch of a box, " + in_bytes(box.slice_pitch) +
                        ", is smaller than the extent of the rows of a slice: " + std::to_string(box.height) +
                        " rows, one every " + in_bytes(box.row_pitch) + ", are " + in_bytes(rows),
                    where);
    }
    if (__builtin_mul_overflow(box.slice_pitch, box.depth - 1, &slices) ||
        __builtin_add_overflow(slices, rows, &slices)) {
        overflow();
    }
    if (slices > bytes) {
        throw Error(Code::out_of_range,
                    "A box of " + text_of(extent) + " with a row pitch of " + in_bytes(box.row_pitch) +
                        " and a slice pitch of " + in_bytes(box.slice_pitch) + " reaches over " +
                        in_bytes(slices) + "; the memory it is to lie in has " + in_bytes(bytes),
                    where);
    }
    return box;
}

BoxLayout part_of(const BoxLayout& box, std::size_t element, const Origin& origin, const Extent& extent,
                  std::size_t& offset, SourceLocation where) {
    const Extent whole = extent_of(box, element);
    const auto leaves = [](std::size_t first, std::size_t count, std::size_t size) {
        return first > size || count > size - first;
    };
    if (leaves(origin.x, extent.width, whole.width) || leaves(origin.y, extent.height, whole.height) ||
        leaves(origin.z, extent.depth, whole.depth)) {
        throw Error(Code::out_of_range,
                    "The part of " + text_of(extent) + " from element " + std::to_string(origin.x) +
                        " of row " + std::to_string(origin.y) + " of slice " + std::to_string(origin.z) +
                        " on leaves a box of " + text_of(whole),
                    where);
    }
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0) {
        return {};
    }
    offset = origin.z * box.slice_pitch + origin.y * box.row_pitch + origin.x * element;
    return {extent.width * element, extent.height, extent.depth, box.row_pitch, box.slice_pitch};
}

namespace {

/// The first byte of the box at or after `at`, both relative to its start. `none` if there is none.
constexpr std::size_t none = static_cast<std::size_t>(-1);
std::size_t next_byte(const BoxLayout& box, std::size_t at) {
    const std::size_t z = box.depth == 1 ? 0 : at / box.slice_pitch;
    if (z >= box.depth) {
        return none;
    }
    const std::size_t in_slice = at - z * box.slice_pitch;
    const std::size_t y = in_slice / box.row_pitch;
    if (y < box.height && in_slice - y * box.row_pitch < box.width) {
        return at;
    }
    if (y + 1 < box.height) {
        return z * box.slice_pitch + (y + 1) * box.row_pitch;
    }
    return z + 1 < box.depth ? (z + 1) * box.slice_pitch : none;
}

/// Whether `width` bytes from `begin` on share a byte with a box that begins at `box_begin`.
bool touches(std::size_t begin, std::size_t width, const BoxLayout& box, std::size_t box_begin) {
    const std::size_t from = begin > box_begin ? begin - box_begin : 0;
    const std::size_t found = next_byte(box, from);
    return found != none && box_begin + found < begin + width;
}

/// For boxes of one shape: whether one, moved by `distance` bytes, overlaps the other. The distance is
/// expressed in slices, rows and bytes, each less than the box has.
bool meets_itself(const BoxLayout& box, std::size_t distance) {
    const auto in_slice = [&](std::size_t rest) {
        const std::size_t y = rest / box.row_pitch;
        const std::size_t x = rest - y * box.row_pitch;
        return (y < box.height && x < box.width) || (y + 1 < box.height && box.row_pitch - x < box.width);
    };
    const std::size_t z = box.depth == 1 ? 0 : distance / box.slice_pitch;
    const std::size_t rest = distance - z * box.slice_pitch;
    return (z < box.depth && in_slice(rest)) || (z + 1 < box.depth && in_slice(box.slice_pitch - rest));
}

} // namespace

bool overlap(const BoxSide& a, const BoxSide& b) {
    const std::size_t a_begin = a.region.offset;
    const std::size_t b_begin = b.region.offset;
    if (a.region.memory != b.region.memory || a_begin >= b_begin + b.layout.reach() ||
        b_begin >= a_begin + a.layout.reach()) {
        return false;
    }
    if (a.layout.row_pitch == b.layout.row_pitch && a.layout.slice_pitch == b.layout.slice_pitch) {
        return meets_itself(a.layout, a_begin > b_begin ? a_begin - b_begin : b_begin - a_begin);
    }
    for (std::size_t z = 0; z < a.layout.depth; ++z) {
        for (std::size_t y = 0; y < a.layout.height; ++y) {
            if (touches(a_begin + z * a.layout.slice_pitch + y * a.layout.row_pitch, a.layout.width, b.layout,
                        b_begin)) {
                return true;
            }
        }
    }
    return false;
}

BoxCopy simplify(const BoxLayout& from, const BoxLayout& to) {
    BoxCopy copy{{from.width, from.height, from.depth},
                 {from.row_pitch, from.slice_pitch},
                 {to.row_pitch, to.slice_pitch}};
    backend::Box& box = copy.box;
    backend::Pitch& f = copy.from;
    backend::Pitch& t = copy.to;
    const auto slices_become_rows = [&] {
        if (box.height == 1) {
            box.height = box.depth;
            f.row = f.slice;
            t.row = t.slice;
            box.depth = 1;
        }
    };
    slices_become_rows();
    if (f.row == box.width && t.row == box.width) {
        box.width *= box.height;
        box.height = 1;
        slices_become_rows();
        if (f.row == box.width && t.row == box.width) {
            box.width *= box.height;
            box.height = 1;
        }
    }
    if (f.slice == f.row * box.height && t.slice == t.row * box.height) {
        box.height *= box.depth;
        box.depth = 1;
    }
    if (box.depth == 1) {
        f.slice = f.row * box.height;
        t.slice = t.row * box.height;
    }
    return copy;
}

} // namespace detail

void Queue::copy_boxes(const detail::BoxSide& from, const detail::BoxSide& to, std::size_t element,
                       SourceLocation where) {
    const trace::Span span("Queue::copy", where);
    detail::QueueState& queue = state(where);
    detail::race::check_alive(queue.race(), "copy", from.region, where);
    detail::race::check_alive(queue.race(), "copy", to.region, where);
    detail::check_moved(from.region, "The source of the copy", where);
    detail::check_moved(to.region, "The destination of the copy", where);
    const Extent source = detail::extent_of(from.layout, element);
    const Extent target = detail::extent_of(to.layout, element);
    if (source != target) {
        throw Error(Code::invalid_argument,
                    "A copy has a source of " + detail::text_of(source) + " and a destination of " +
                        detail::text_of(target) + "; they must have the same extent",
                    where);
    }
    if (to.layout.width == 0) {
        return;
    }
    if (from.region.memory != nullptr && to.region.memory != nullptr) {
        detail::check_devices(queue, from.region, to.region, where);
    } else if (from.region.memory != nullptr) {
        detail::check_here(queue, from.region, "The source of the copy", where);
    } else {
        detail::check_here(queue, to.region, "The destination of the copy", where);
    }
    if (from.region.memory != nullptr) {
        from.region.memory->check_readable(where);
    } else {
        detail::check_host(from.host, from.layout.reach(), "The source", where);
    }
    if (to.region.memory != nullptr) {
        to.region.memory->check_writable(where);
    } else {
        detail::check_host(to.host, to.layout.reach(), "The destination", where);
    }
    if (from.region.memory != nullptr && detail::overlap(from, to)) {
        throw Error(Code::invalid_argument,
                    "The source of a copy, a box from byte " + std::to_string(from.region.offset) +
                        " of a buffer on, overlaps its destination, a box from byte " +
                        std::to_string(to.region.offset) +
                        " of the same buffer on; copy through another buffer",
                    where);
    }
    const detail::BoxCopy copy = detail::simplify(from.layout, to.layout);
    const bool by_regions =
        copy.box.height == 1 && from.region.memory != nullptr && to.region.memory != nullptr;
    const detail::BoxCommand command{{where}, from, to, copy};
    if (!by_regions) {
        detail::race::note(queue, command);
    }
    if (copy.box.height == 1) {
        const detail::Region source_range{from.region.memory, from.region.offset, copy.box.width};
        const detail::Region target_range{to.region.memory, to.region.offset, copy.box.width};
        if (from.region.memory == nullptr) {
            queue.submit(detail::WriteCommand{{where}, target_range, from.host});
        } else if (to.region.memory == nullptr) {
            queue.submit(detail::ReadCommand{{where}, source_range, to.host});
        } else {
            copy_regions(source_range, target_range, 1, where);
        }
        return;
    }
    queue.submit(command);
}

} // namespace ferry
