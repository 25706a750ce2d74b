// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/file_descriptor.hpp"

#include <string>
#include <string_view>

namespace ferry::trace {

/// The text of an error number: "No space left on device".
std::string error_words(int error);

/// The first bytes of every trace.
inline constexpr std::string_view file_head = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";

/// The place of a trace: NAME.partial while it is written, NAME once it is complete. An existing file that is
/// not a trace, a link, a pipe or a device is neither opened for writing nor replaced.
class TracePlace {
public:
    /// Opens the partial file. If another process writes to it, this process's id is added to the name. If
    /// that fails, file() is empty and problem() is a clause.
    explicit TracePlace(const std::string& name);
    TracePlace(const TracePlace&) = delete;
    TracePlace& operator=(const TracePlace&) = delete;

    const detail::FileDescriptor& file() const noexcept { return file_; }
    const std::string& problem() const noexcept { return problem_; }
    /// Renames the partial file, unless other code has taken the name.
    void publish() noexcept;
    /// Removes the partial file.
    void remove() noexcept;
    /// Closes the descriptors and leaves the files as they are.
    void abandon() noexcept;

private:
    struct Claim {
        detail::FileDescriptor file;
        bool busy = false; ///< Another process writes the file.
    };
    Claim claim();
    std::string partial() const { return name_ + ".partial"; }

    detail::FileDescriptor folder_; ///< The program may change its working directory.
    detail::FileDescriptor file_;
    std::string name_; ///< In the folder.
    std::string problem_;
};

} // namespace ferry::trace
