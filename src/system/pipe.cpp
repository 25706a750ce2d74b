// SPDX-License-Identifier: Apache-2.0
#include "system/pipe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace ferry::detail {

Pipe::Pipe() noexcept {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) == 0) {
        read_end = FileDescriptor(ends[0]);
        write_end = FileDescriptor(ends[1]);
    }
}

std::uint32_t wait_for_input(std::span<const FileDescriptor> files,
                             std::chrono::milliseconds longest) noexcept {
    std::array<pollfd, 8> polled{};
    const std::size_t count = std::min(files.size(), polled.size());
    for (std::size_t i = 0; i < count; ++i) {
        polled[i] = {files[i].get(), POLLIN, 0};
    }
    std::uint32_t ready = 0;
    if (::poll(polled.data(), count, static_cast<int>(longest.count())) > 0) {
        for (std::size_t i = 0; i < count; ++i) {
            ready |= polled[i].revents != 0 ? 1U << i : 0;
        }
    }
    return ready;
}

} // namespace ferry::detail
