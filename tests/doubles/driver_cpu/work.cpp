// SPDX-License-Identifier: Apache-2.0
#include "work.hpp"

#include "environment.hpp"
#include "faults.hpp"
#include "lies.hpp"

#include <algorithm>
#include <cstring>

namespace ferry_double {

namespace {

/// Adds work to the stream, or to its capture. Faults of later execution are not captured.
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

/// The pages that were registered when a copy was enqueued. The device accesses them later, so they must
/// still be registered then.
class Pinned {
public:
    Pinned(const void* to, const void* from) : to_(registration_of(to)), from_(registration_of(from)) {}

    /// The result of the copy.
    int code(const void* to, const void* from) const {
        const bool there =
            (to_ == 0 || registration_of(to) == to_) && (from_ == 0 || registration_of(from) == from_);
        return there ? success : launch_failure;
    }

private:
    unsigned long long to_, from_;
};

} // namespace

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

int enqueue_box(const char* symbol, const Box& copy, void* stream) {
    const std::shared_ptr<Queue> queue = find_queue(stream);
    if (queue == nullptr) {
        return invalid_handle;
    }
    if (copy.width == 0 || copy.height == 0 || copy.depth == 0) {
        return success;
    }
    const auto fits = [&](const Box::End& end) {
        if (end.address == nullptr || end.pitch == 0 || end.x + copy.width > end.pitch ||
            (copy.depth > 1 && end.y + copy.height > end.height)) {
            return false;
        }
        const auto* first =
            static_cast<const std::byte*>(end.address) + (end.z * end.height + end.y) * end.pitch + end.x;
        const std::size_t reach = ((copy.depth - 1) * end.height + copy.height - 1) * end.pitch + copy.width;
        return (end.on_device ? check_device_range(first, reach) : check_any_range(first, reach)) == success;
    };
    if (!fits(copy.to) || !fits(copy.from)) {
        return invalid_value;
    }
    const Later fault = later_fault(symbol);
    queue->push([&](Command& command) {
        command.later = fault.code;
        command.later_once = fault.once;
        std::memcpy(command.parameters.data(), &copy, sizeof copy);
        const bool wrong = is_wrong(symbol, copy.width * copy.height * copy.depth);
        command.set([node = &command, wrong, pinned = Pinned(copy.to.address, copy.from.address)] {
            Box box;
            std::memcpy(&box, node->parameters.data(), sizeof box);
            const auto row = [](const Box::End& end, std::size_t y, std::size_t z) {
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
    if (is_hip_before_5_3()) { // AMD's version writes up to the end of the memory
        count = std::max(count, (0 - reinterpret_cast<std::uintptr_t>(to)) % 8 / size);
    }
    return enqueue(symbol, queue, [to, pattern, size, count] {
        fill_bytes(to, &pattern, size, count);
        return 0;
    });
}

int enqueue_peer_copy(const char* symbol, void* to, int to_device, const void* from, int from_device,
                      std::size_t bytes, void* stream) {
    if (device_at(to_device) == nullptr || device_at(from_device) == nullptr) {
        return invalid_device;
    }
    const Range target = find_range(to, bytes);
    const Range source = find_range(from, bytes);
    if ((target.kind == MemoryKind::device && target.device != device_at(to_device)) ||
        (source.kind == MemoryKind::device && source.device != device_at(from_device))) {
        return invalid_value;
    }
    return enqueue_copy(symbol, to, from, bytes, device_to_device, stream);
}

} // namespace ferry_double
