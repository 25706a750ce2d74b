// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/file_descriptor.hpp"

#include <cstdint>
#include <string>

namespace ferry::detail {

/// The contents of a temporary folder.
enum class TemporaryKind : std::uint8_t {
    build, ///< The source and the output of the host's compiler.
    icd,   ///< The list of drivers for an OpenCL loader.
};

/// TMPDIR if it is an absolute path, otherwise /tmp. The first call of a process removes what killed
/// processes left there.
std::string temporary_place();

/// A new folder in temporary_place(). It is removed with all its contents. While it lives it is locked, so
/// that other processes see that it is in use.
class TemporaryFolder {
public:
    explicit TemporaryFolder(TemporaryKind kind);
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();
    /// If there is an error, the name that was tried.
    const std::string& path() const noexcept { return path_; }
    /// errno if the folder could not be made, otherwise 0.
    int error() const noexcept { return error_; }

private:
    std::string path_;
    int error_ = 0;
    FileDescriptor lock_;
};

/// The name of a new file of kernels in temporary_place(), for a process that cannot load them from memory.
/// The process locks the file, like a TemporaryFolder.
std::string temporary_kernels_name(std::uint64_t number);

/// Removes from `place` the folders and files of ended processes: those of this user, without a lock, and
/// unchanged for a minute.
void remove_left_temporaries(const std::string& place) noexcept;

} // namespace ferry::detail
