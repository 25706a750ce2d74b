// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/export.hpp>
#include <ferry/source_location.hpp>
#include <ferry/wait_policy.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ferry {

/// What the environment variables of docs/environment.md say, said by the program instead. A field that
/// holds a value wins over its variable; an empty field leaves the variable in force. The rules for the
/// values are those of the variables.
struct Settings {
    std::optional<std::string> backend{}; ///< FERRY_BACKEND: a name, an ordered list "hip,opencl", or "auto"
    std::optional<std::string> device{};  ///< FERRY_DEVICE: see find_device()
    std::optional<std::string> cuda_library{};   ///< FERRY_CUDA_LIBRARY: file name or path of libcuda
    std::optional<std::string> nvrtc_library{};  ///< FERRY_NVRTC_LIBRARY
    std::optional<std::string> hip_library{};    ///< FERRY_HIP_LIBRARY
    std::optional<std::string> hiprtc_library{}; ///< FERRY_HIPRTC_LIBRARY
    std::optional<std::string> opencl_library{}; ///< FERRY_OPENCL_LIBRARY
    /// FERRY_SYNC: wait for every command before its call returns, so that a device error names its
    /// command without doubt. Slow; for finding errors.
    std::optional<bool> sync{};
    /// FERRY_STAGING: "auto", "on" or "off": whether large copies of ordinary memory go through page-locked
    /// slots of the library, see ferry/staging.hpp. Read when a queue is made.
    std::optional<std::string> staging{};
    /// FERRY_CHECK: "races" has every access checked against those that it is not ordered after.
    std::optional<std::string> check{};
    std::optional<std::string> host_mode{}; ///< FERRY_HOST_MODE: "fast", or "strict" for the device that
                                            ///< forgives nothing
    std::optional<std::string> host_seed{}; ///< FERRY_HOST_SEED: a whole number, for the strict device
    std::optional<WaitPolicy> wait{};       ///< FERRY_WAIT: for queues made with WaitPolicy::automatic
    /// FERRY_POOL: false gives every buffer a driver allocation of its own. Read when a device's first buffer
    /// is made.
    std::optional<bool> pool{};
    /// FERRY_MEMORY_DEBUG: "on", "abort" or "off". Read when a device's first buffer is made.
    std::optional<std::string> memory_debug{};
};

/// Replaces the process-wide settings. Affects every later devices(), default_device(), find_device() and
/// backends(). Devices already handed out stay valid. Thread-safe; does not open or initialise anything.
///
/// Throws Error (invalid_argument) if `backend` names an unknown backend, `check` an unknown check or
/// `staging` is none of its words, and (invalid_state) if a library, or the host's mode or seed, is set whose
/// backend has been opened already: a backend is opened once in a process.
FERRY_API void configure(Settings settings, SourceLocation where = SourceLocation::current());

/// A sentence for each environment variable whose name begins with FERRY_ and that Ferry does not read, with
/// the name of the nearest one that it reads; empty if there is none. Variables of the project's own tests
/// (FERRY_TEST_...) are left out. Nothing else tells of such variables: a program that wants its users to
/// know prints them.
FERRY_API std::vector<std::string> unknown_variables();

/// The settings as last given to configure(); what came from the environment is not in it.
FERRY_API Settings settings();

} // namespace ferry
