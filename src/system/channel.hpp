// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/file_descriptor.hpp"

#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>

namespace ferry::detail {

/// A stream of bytes in both directions between this process and a child. Not thread-safe.
class Channel {
public:
    Channel() noexcept; ///< See error().
    /// 0 if it was made, otherwise an errno value.
    int error() const noexcept { return error_; }

    /// For ProcessStart::input and output. Greater than 2. Close it once the child has it.
    int child_end() const noexcept { return theirs_.get(); }
    void close_child_end() noexcept { theirs_ = FileDescriptor(); }

    /// Sends the bytes as far as the child's buffer has room, and ends this direction. Does not block. A
    /// child that has ended is no error.
    void send_all(std::string_view bytes);

    enum class Received {
        bytes,
        nothing, ///< In that time.
        end,     ///< The child has closed its end.
        failed,
    };
    /// Waits at most so long. `count` is the number of bytes received.
    Received receive(std::span<char> to, std::chrono::milliseconds longest, std::size_t& count);

private:
    FileDescriptor ours_, theirs_;
    int error_ = 0;
};

} // namespace ferry::detail
