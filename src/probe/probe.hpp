// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "probe/icd_files.hpp"
#include "probe/subject.hpp"

#include <string>
#include <vector>

// A vendor library may end or hang the process that opens it. So a child process opens it first
// (serve_test.hpp): the ferry tool, or a copy of the caller if there is none. The child lists the devices and
// ends. The caller opens only a library that passed. The verdict is kept in the disk cache (probe_key.hpp).
namespace ferry::detail::probe {

/// The verdict on the vendor library of a backend or of its compiler.
struct Verdict {
    bool usable = true;
    /// Whole sentences: why it is not usable, which drivers behind it are left out, or why it was not tested.
    std::vector<BackendReason> reasons;
    /// The drivers that an OpenCL loader is to open, if some are left out; else empty.
    std::vector<Icd> icds;
    /// stamp_line() of the files that the library consists of; empty if unknown.
    std::vector<std::string> files;
    bool kept = true; ///< worth keeping for other processes
};

/// The verdict as FERRY_PROBE demands it: from the disk, or by a child process. Blocks, at most for
/// FERRY_PROBE_LIMIT in each step of opening the library. Always usable for the host backend, at no cost.
/// Throws Error (invalid_argument) for a value of these variables that is not valid.
Verdict verdict_on(Subject subject);

} // namespace ferry::detail::probe
