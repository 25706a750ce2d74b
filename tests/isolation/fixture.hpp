// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../support/child.hpp"

#include <string>
#include <utility>
#include <vector>

namespace isolation {

inline constexpr int sound_exit = 42; ///< of a process that used the host device and returned from main()

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

/// The evil library of "cuda", "hip" or "opencl", and the variable that names one to Ferry.
std::string library_of(const std::string& backend);
std::string variable_of(const std::string& backend);

/// A process that lists the backends, uses the host device and ends. `evil` is FERRY_DOUBLE_EVIL.
/// `argument` may be "ignores SIGCHLD", "opens LIBRARY" (before Ferry does), or the path of a file to which
/// each run of its exit handler adds a line.
support::ChildResult use(const Folder& folder, const std::string& backend, const std::string& evil,
                         const Variables& more = {}, const std::string& argument = {});

/// A process that compiles a kernel by ferry::compile() for "cuda" or "hip" with the evil library of that
/// backend as the compiler, then does the same as the process of use().
support::ChildResult compile(const Folder& folder, const std::string& backend, const std::string& evil,
                             const Variables& more = {});

/// It ended as a program ends whose libraries are sound, and used the host device.
bool survived(const support::ChildResult& result);

} // namespace isolation
