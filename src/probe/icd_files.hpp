// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "child/child_environment.hpp"
#include "system/temporary_folder.hpp"

#include <string>
#include <vector>

namespace ferry::detail::probe {

/// A driver that an OpenCL loader opens.
struct Icd {
    std::string library; ///< as the loader gets it: a path, or a name to look for
    std::string source;  ///< the .icd file, or the variable that names it
};

/// The drivers that OCL_ICD_FILENAMES, and OCL_ICD_VENDORS or /etc/OpenCL/vendors, name now.
std::vector<Icd> installed_icds();

/// A folder of .icd files, under the folder for temporary files, for as long as the object lives.
class IcdFolder {
public:
    explicit IcdFolder(const std::vector<Icd>& icds);

    explicit operator bool() const noexcept { return folder_.error() == 0 && is_whole_; }
    /// The variables with which a loader opens these drivers and no other.
    child_run::Variables variables() const;

private:
    TemporaryFolder folder_{TemporaryKind::icd};
    bool is_whole_ = true; ///< False if the disk is full.
};

/// While one lives, the environment of this process has these values; an empty one removes the variable.
/// Threads that read the environment meanwhile see the old one or the new one, both whole.
class ChangedEnvironment {
public:
    explicit ChangedEnvironment(const child_run::Variables& changes);
    ChangedEnvironment(const ChangedEnvironment&) = delete;
    ChangedEnvironment& operator=(const ChangedEnvironment&) = delete;
    ~ChangedEnvironment();

private:
    char** before_;
    char** now_ = nullptr;
};

} // namespace ferry::detail::probe
