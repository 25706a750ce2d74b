// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../support/child.hpp"

#include <string>
#include <utility>
#include <vector>

namespace isolation {

inline constexpr int sound_exit = 42; ///< for a process that used the host device and returned from main()

/// A temporary folder with an empty cache and an empty log.
class Folder {
public:
    Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder();

    const std::string& path() const noexcept { return path_; }
    std::string cache() const { return path_ + "/cache"; }
    std::string log() const { return path_ + "/log"; }
    /// The processes that opened an evil library since the last call.
    int opened();

private:
    std::string path_;
};

using Variables = std::vector<std::pair<std::string, std::optional<std::string>>>;

/// The path of the evil library for "cuda", "hip" or "opencl", and the variable that names it to Ferry.
std::string library_of(const std::string& backend);
std::string variable_of(const std::string& backend);

/// A process that lists the backends, uses the host device and ends. `evil` is FERRY_DOUBLE_EVIL.
/// `argument` may be "ignores SIGCHLD", "opens LIBRARY" (before Ferry does), or the path of a file to which
/// each run of its exit handler adds a line.
support::ChildResult use(const Folder& folder, const std::string& backend, const std::string& evil,
                         const Variables& more = {}, const std::string& argument = {});

/// A process that compiles a kernel for "cuda" or "hip" by ferry::compile(). The evil library of that backend
/// is the compiler. Afterwards it does the same as the process of use().
support::ChildResult compile(const Folder& folder, const std::string& backend, const std::string& evil,
                             const Variables& more = {});

/// Whether it used the host device and ended as a program with sound libraries ends.
bool survived(const support::ChildResult& result);

} // namespace isolation
