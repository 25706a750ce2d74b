// SPDX-License-Identifier: Apache-2.0
#include "c_call.hpp"

#include <ferry/box.hpp>
#include <ferry/file.hpp>

#include <limits>

namespace ferry::c {
namespace {

constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 2; // The maximum number of bytes in
                                                                          // host memory.

const ferry_box& box_of(const ferry_box* box, const char* parameter, const Call& at) {
    at.not_null(box, parameter, "the address of a ferry_box");
    return *box;
}

Extent extent_of(const ferry_box& box) noexcept {
    return {box.width, box.height, box.depth};
}

Box<std::byte> device_box(ferry_buffer& buffer, const ferry_box& box, const Call& at) {
    return {at.view(buffer, box.offset, FERRY_TO_END),
            extent_of(box),
            {box.row_pitch, box.slice_pitch},
            at.where};
}

/// `data` may be const; the use of the box determines whether it is written.
HostBox<std::byte> host_box(const void* data, const ferry_box& box, const char* parameter, const Call& at) {
    const auto layout = detail::lay_out(most, 1, extent_of(box), {box.row_pitch, box.slice_pitch}, at.where);
    if (layout.reach() != 0) {
        at.not_null(data, parameter, "the address of the bytes that the box is in");
    }
    auto* const first = static_cast<std::byte*>(const_cast<void*>(data));
    return {first != nullptr ? first + box.offset : nullptr, layout};
}

/// One end of a copy of a batch.
struct End {
    std::optional<View<std::byte>> view;
    std::span<std::byte> host;
};

End end_of(ferry_buffer* buffer, const void* data, std::size_t offset, std::size_t bytes,
           const char* parameter, const Call& at) {
    End end;
    if (buffer != nullptr) {
        end.view = at.view(at.get(buffer, parameter), offset, bytes);
    } else {
        at.not_null(data, parameter, "a buffer, or the address of memory of the host");
        end.host = {static_cast<std::byte*>(const_cast<void*>(data)) + offset, bytes};
    }
    return end;
}

void add(Batch& batch, const ferry_copy& copy, std::size_t i, const Call& at) {
    if (copy.bytes > most) {
        at.refuse(Code::invalid_argument,
                  "Copy " + std::to_string(i) + ' ' + at.of() + " is of " + std::to_string(copy.bytes) +
                      " bytes; a copy of a batch has at most " + std::to_string(most));
    }
    const End from =
        end_of(copy.source, copy.host_source, copy.source_offset, copy.bytes, "copies->source", at);
    const End to = end_of(copy.destination, copy.host_destination, copy.destination_offset, copy.bytes,
                          "copies->destination", at);
    if (from.view && to.view) {
        batch.copy(*from.view, *to.view, at.where);
    } else if (from.view) {
        batch.copy(*from.view, to.host, at.where);
    } else if (to.view) {
        batch.copy(from.host, *to.view, at.where);
    } else {
        at.refuse(Code::invalid_argument, "Copy " + std::to_string(i) + ' ' + at.of() +
                                              " has a buffer at neither end; use memcpy() for it");
    }
}

} // namespace
} // namespace ferry::c

using ferry::c::Call;
using ferry::c::call;

ferry_code ferry_queue_upload_box(ferry_queue* queue, const void* source, const ferry_box* from,
                                  ferry_buffer* buffer, const ferry_box* to) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        const auto into = ferry::c::device_box(at.get(buffer, "buffer"), ferry::c::box_of(to, "to", at), at);
        on.copy(ferry::c::host_box(source, ferry::c::box_of(from, "from", at), "source", at), into, at.where);
    });
}

ferry_code ferry_queue_download_box(ferry_queue* queue, ferry_buffer* buffer, const ferry_box* from,
                                    void* destination, const ferry_box* to) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        const auto out =
            ferry::c::device_box(at.get(buffer, "buffer"), ferry::c::box_of(from, "from", at), at);
        on.copy(out, ferry::c::host_box(destination, ferry::c::box_of(to, "to", at), "destination", at),
                at.where);
    });
}

ferry_code ferry_queue_copy_box(ferry_queue* queue, ferry_buffer* source, const ferry_box* from,
                                ferry_buffer* destination, const ferry_box* to) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        const auto out =
            ferry::c::device_box(at.get(source, "source"), ferry::c::box_of(from, "from", at), at);
        const auto into =
            ferry::c::device_box(at.get(destination, "destination"), ferry::c::box_of(to, "to", at), at);
        on.copy(out, into, at.where);
    });
}

ferry_code ferry_queue_copy_batch(ferry_queue* queue, const ferry_copy* copies, size_t count) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        if (count != 0) {
            at.not_null(copies, "copies", "as many copies as 'count' says");
        }
        ferry::Batch batch;
        batch.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            ferry::c::add(batch, copies[i], i, at);
        }
        on.copy(batch, at.where);
    });
}

ferry_code ferry_queue_read_file(ferry_queue* queue, const char* path, uint64_t file_offset,
                                 ferry_buffer* buffer, size_t offset, size_t bytes) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        at.not_null(path, "path", "the name of a file");
        const auto to = at.view(at.get(buffer, "buffer"), offset, bytes);
        ferry::FileOptions options;
        options.offset = file_offset;
        ferry::read_file(on, path, to, std::move(options), at.where);
    });
}

ferry_code ferry_queue_write_file(ferry_queue* queue, ferry_buffer* buffer, size_t offset, size_t bytes,
                                  const char* path) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        at.not_null(path, "path", "the name of a file");
        ferry::write_file(on, at.view(at.get(buffer, "buffer"), offset, bytes), path, {}, at.where);
    });
}
