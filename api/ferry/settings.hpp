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

/// Replacements for the environment variables of docs/environment.md, set by the program. A field with a
/// value overrides its variable. An empty field leaves the variable in effect. The values follow the rules of
/// the variables.
struct Settings {
    std::optional<std::string> backend{}; ///< FERRY_BACKEND: a name, an ordered list "hip,opencl", or "auto".
    std::optional<std::string> device{};  ///< FERRY_DEVICE: see find_device().
    std::optional<std::string> cuda_library{};   ///< FERRY_CUDA_LIBRARY: file name or path of libcuda.
    std::optional<std::string> nvrtc_library{};  ///< FERRY_NVRTC_LIBRARY: file name or path.
    std::optional<std::string> hip_library{};    ///< FERRY_HIP_LIBRARY: file name or path.
    std::optional<std::string> hiprtc_library{}; ///< FERRY_HIPRTC_LIBRARY: file name or path.
    std::optional<std::string> opencl_library{}; ///< FERRY_OPENCL_LIBRARY: file name or path.
    std::optional<std::string> vulkan_library{}; ///< FERRY_VULKAN_LIBRARY: file name or path.
    /// FERRY_SYNC: wait for every command before its call returns, so that a device error is always
    /// attributed to the right command. Slow; for debugging.
    std::optional<bool> sync{};
    /// FERRY_STAGING: "auto", "on" or "off". Whether large copies of pageable memory use the page-locked
    /// slots of the library (ferry/staging.hpp). Read when a queue is created.
    std::optional<std::string> staging{};
    /// FERRY_CHECK: "races" checks every access against the accesses that are not ordered before it.
    std::optional<std::string> check{};
    std::optional<std::string> host_mode{}; ///< FERRY_HOST_MODE: "fast", or "strict" for the checking device.
    std::optional<std::string> host_seed{}; ///< FERRY_HOST_SEED: an integer, for the strict device.
    std::optional<WaitPolicy> wait{};       ///< FERRY_WAIT: for queues created with WaitPolicy::automatic.
    /// FERRY_POOL: false gives every buffer its own driver allocation. Read when the first buffer of a device
    /// is created.
    std::optional<bool> pool{};
    /// FERRY_MEMORY_DEBUG: "on", "abort" or "off". Read when the first buffer of a device is created.
    std::optional<std::string> memory_debug{};
};

/// Replaces the settings of the process. They apply to all later calls of devices(), default_device(),
/// find_device() and backends(). Existing devices stay valid. Opens and initialises nothing. Thread-safe.
///
/// Throws Error: invalid_argument (unknown value of `backend`, `check` or `staging`), invalid_state (a
/// library, or the mode or seed of the host, is set after its backend was opened; a backend is opened only
/// once in a process).
FERRY_API void configure(Settings settings, SourceLocation where = SourceLocation::current());

/// Returns one sentence for each environment variable that starts with FERRY_ but that Ferry does not read,
/// with the most similar name that it does read. Empty if there is none. FERRY_TEST_... variables of the
/// project's own tests are excluded. The library does not report such variables in any other way; a program
/// can print these sentences.
FERRY_API std::vector<std::string> unknown_variables();

/// The settings passed to the last configure(). Values from the environment are not included.
FERRY_API Settings settings();

} // namespace ferry
