// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ferry::trace {

/// The words of an error number: "No space left on device".
std::string error_words(int error);

/// The first bytes of every trace.
inline constexpr std::string_view file_head = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";

/// The place of a trace: NAME.partial while it is written, NAME once it is complete. Neither an existing file
/// that is not a trace nor a link, a pipe or a device is opened for writing or replaced.
class TracePlace {
public:
    /// Opens the partial file. If another process writes to it, the name gets this process's id. If that
    /// fails, file() is -1 and problem() is a clause.
    explicit TracePlace(const std::string& name);
    TracePlace(const TracePlace&) = delete;
    TracePlace& operator=(const TracePlace&) = delete;

    int file() const noexcept { return file_; }
    const std::string& problem() const noexcept { return problem_; }
    /// Gives the partial file its name, if nothing else has taken it.
    void publish() noexcept;
    /// Removes the partial file.
    void remove() noexcept;
    /// Closes the descriptors and leaves the files as they are.
    void abandon() noexcept;

private:
    int claim();
    std::string partial() const { return name_ + ".partial"; }

    int folder_ = -1; ///< the program may change its working directory
    int file_ = -1;
    std::string name_; ///< in the folder
    std::string problem_;
};

} // namespace ferry::trace
