// SPDX-License-Identifier: Apache-2.0
#include "host_command.hpp"

#include "host_pool.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace ferry::host {
namespace {

// Small enough to share among threads, large enough that handing out a piece costs nothing. A multiple of 16.
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

Fill::Fill(Bytes to, std::size_t bytes, const void* pattern, std::size_t size) noexcept
    : to_(std::move(to)), bytes_(bytes) {
    for (std::size_t at = 0; at < pattern_.size(); at += size) {
        std::memcpy(pattern_.data() + at, pattern, size);
    }
}

void Fill::run() {
    in_pieces(bytes_, [this](std::size_t offset, std::size_t bytes) {
        // A copy in a local, because a store to the range might change the member for all the compiler knows.
        const std::array<std::byte, 16> pattern = pattern_;
        std::byte* const to = to_.data + offset;
        std::size_t at = 0;
        for (; at + pattern.size() <= bytes; at += pattern.size()) {
            std::memcpy(to + at, pattern.data(), pattern.size());
        }
        std::memcpy(to + at, pattern.data(), bytes - at);
    });
}

void Wait::run() {
    try {
        recording_->wait();
    } catch (const Error& error) {
        const std::string_view prefix = "Work of another queue, which this one waits for, failed: ";
        const std::string_view message = error.what();
        throw message.starts_with(prefix) ? error : error.with_message(std::string(prefix) + error.what());
    }
}

} // namespace ferry::host
