// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_event.hpp"
#include "driver/driver_memory.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace ferry::driver {

/// A ring of page-locked memory of one queue for small copies from and to other host memory, so that a kernel
/// can perform them. A part is reused once the stream has passed its uses.
template <class V>
class Capture {
public:
    /// Copies up to this size. The ring holds many of them.
    static constexpr std::size_t largest = std::size_t{64} << 10;

    struct Piece {
        std::byte* host;
        std::uint64_t address; ///< Device address.
    };

    /// Takes room for `bytes` bytes, with an address that is as far from a multiple of 16 as `like`. Returns
    /// nothing if the system refuses more page-locked memory. Calls `leave(part)` when a part is full: the
    /// part must be recorded after all uses of the pieces taken so far. `launch()` must do this at once for
    /// all such parts; it is called before one of them is reused. May wait for the stream if the caller is
    /// far ahead of it.
    template <class Leave, class Launch>
    std::optional<Piece> take(Device<V>& device, std::size_t bytes, std::uint64_t like, const Leave& leave,
                              const Launch& launch) {
        if (!make(device)) {
            return std::nullopt;
        }
        if (parts_[current_].used + bytes + 2 * alignment > part_bytes) {
            leave(current_);
            parts_[current_].left = true;
            current_ = (current_ + 1) % parts_.size();
            if (parts_[current_].left) {
                launch();
            }
            if (!make(device)) {
                return std::nullopt;
            }
        }
        if (parts_[current_].left) { // After a failure the end of its uses is unknown.
            return std::nullopt;
        }
        Part& part = parts_[current_];
        if (part.recorded) {
            part.done->wait();
            part.recorded = false;
            part.used = 0;
        }
        const std::size_t at = (part.used + alignment - 1) / alignment * alignment + like % alignment;
        part.used = at + bytes;
        return Piece{static_cast<std::byte*>(part.memory->host) + at, part.memory->address + at};
    }

    /// The context must be current.
    void record(std::size_t part, const Api<V>& api, handle::Stream stream) {
        api.call(api.event_record, parts_[part].done->native(), stream);
        parts_[part].left = false;
        parts_[part].recorded = true;
    }
    /// Records all parts passed to `leave`, after the work on the stream so far. The context must be current.
    void record_left(const Api<V>& api, handle::Stream stream) noexcept {
        for (Part& part : parts_) {
            if (part.left && api.event_record.function(part.done->native(), stream) == result::success) {
                part.left = false;
                part.recorded = true;
            }
        }
    }

private:
    static constexpr std::size_t part_bytes = std::size_t{1} << 20;
    static constexpr std::size_t alignment = 16;

    struct Part {
        std::unique_ptr<Memory<V>> memory;
        std::unique_ptr<Event<V>> done;
        std::size_t used = 0;
        bool left = false;     ///< Full, and `done` is not recorded yet.
        bool recorded = false; ///< Full. It can be reused once `done` is complete.
    };

    bool make(Device<V>& device) {
        Part& part = parts_[current_];
        if (part.memory == nullptr) {
            try {
                part.memory =
                    std::make_unique<Memory<V>>(device, device.context(), MemoryKind::host, part_bytes);
                part.done = std::make_unique<Event<V>>(device.context(), device.sleepers(), false);
            } catch (const Error& error) {
                part.memory.reset();
                if (error.code() == Code::device_lost) {
                    throw;
                }
                return false;
            }
        }
        return true;
    }

    std::array<Part, 4> parts_;
    std::size_t current_ = 0;
};

} // namespace ferry::driver
