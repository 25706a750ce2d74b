// SPDX-License-Identifier: Apache-2.0
#include "host_command.hpp"

#include "host_exit.hpp"
#include "host_pool.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace ferry::host {
namespace {

// Small enough to distribute over threads, and large enough that handing out a piece costs nothing. A
// multiple of 16.
constexpr std::size_t piece = std::size_t{256} << 10;

// Calls work(offset, bytes) for the pieces of a range.
template <class Work>
void in_pieces(std::size_t bytes, const Work& work) {
    Pool::get().run((bytes + piece - 1) / piece, [&](std::size_t first, std::size_t last) {
        work(first * piece, std::min(last * piece, bytes) - first * piece);
    });
}

} // namespace

void Copy::run() {
    in_pieces(bytes_, [this](std::size_t offset, std::size_t bytes) {
        std::memcpy(to_.data + offset, from_.data + offset, bytes);
    });
}

// Units of work are rows, or groups of rows that make a piece of the usual size.
void CopyBox::run() {
    const std::size_t rows = box_.height * box_.depth;
    const std::size_t at_once = std::max<std::size_t>(piece / box_.width, 1);
    Pool::get().run((rows + at_once - 1) / at_once, [&](std::size_t first, std::size_t last) {
        std::size_t z = first * at_once / box_.height;
        std::size_t y = first * at_once % box_.height;
        for (std::size_t left = std::min(last * at_once, rows) - first * at_once; left != 0; --left) {
            std::memcpy(to_.data + z * to_pitch_.slice + y * to_pitch_.row,
                        from_.data + z * from_pitch_.slice + y * from_pitch_.row, box_.width);
            if (++y == box_.height) {
                y = 0;
                ++z;
            }
        }
    });
}

Fill::Fill(Bytes to, std::size_t bytes, const void* pattern, std::size_t size) noexcept
    : to_(std::move(to)), bytes_(bytes), pattern_bytes_(repeated(size)) {
    auto* const kept = reinterpret_cast<std::byte*>(this + 1);
    for (std::size_t at = 0; at < pattern_bytes_; at += size) {
        std::memcpy(kept + at, pattern, size);
    }
}

// Bytes that a thread has just written are copied from the cache, up to a length that stays there.
void Fill::run() {
    constexpr std::size_t longest = std::size_t{8} << 10;
    const auto* const pattern = reinterpret_cast<const std::byte*>(this + 1);
    in_pieces(bytes_, [&](std::size_t offset, std::size_t bytes) {
        std::byte* const to = to_.data + offset;
        const std::size_t phase = offset % pattern_bytes_;
        std::size_t done = 0;
        for (std::size_t at = phase; done < bytes && done < pattern_bytes_; at = 0) {
            const std::size_t next = std::min(pattern_bytes_ - at, std::min(pattern_bytes_, bytes) - done);
            std::memcpy(to + done, pattern + at, next);
            done += next;
        }
        std::size_t period = done; // A whole number of patterns, unless all is done.
        while (done < bytes) {
            const std::size_t next = std::min(period, bytes - done);
            std::memcpy(to + done, to, next);
            done += next;
            period = std::max(period, std::min(done / pattern_bytes_ * pattern_bytes_,
                                               longest / pattern_bytes_ * pattern_bytes_));
        }
    });
}

void Wait::skip() noexcept {
    if (!stopping()) {
        recording_->await(WaitPolicy::automatic);
    }
}

void Wait::run() {
    recording_->await(WaitPolicy::automatic);
    if (std::optional<CommandError> failed = recording_->error()) {
        if (!failed->of_other_queue) {
            failed->error = failed->error.with_message(
                std::string("Work of another queue, which this one waits for, failed: ") +
                failed->error.what());
            failed->of_other_queue = true;
        }
        throw CommandError(std::move(*failed));
    }
}

} // namespace ferry::host
