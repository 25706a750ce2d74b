// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/export.hpp>
#include <ferry/source_location.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry {

/// A vendor API that the library uses. The order of the enumerators is the default priority: if several
/// backends are available, the first one that has a device provides the default device.
enum class Backend : std::uint8_t {
    cuda,   ///< NVIDIA GPUs through the CUDA driver API.
    hip,    ///< AMD GPUs through HIP.
    opencl, ///< Every device with an OpenCL driver, version 1.2 or later.
    vulkan, ///< GPUs with a Vulkan driver, version 1.2 or later, with features that docs/backends/vulkan.md
            ///< lists.
    host,   ///< The processor that runs this program. Always available.
};

/// The name of the backend as written in FERRY_BACKEND: "cuda", "hip", "opencl", "vulkan" or "host".
FERRY_API std::string_view to_string(Backend backend) noexcept;

/// The backend with exactly this name, or nothing.
FERRY_API std::optional<Backend> backend_from_name(std::string_view name) noexcept;

/// The kind of a problem in a backend's report.
enum class BackendProblem : std::uint8_t {
    failed,             ///< A step failed in a way that no other kind describes. The text has the details.
    not_selected,       ///< FERRY_BACKEND or Settings::backend does not name the backend.
    invalid_setting,    ///< A variable or setting has an invalid or unsafe value.
    no_library,         ///< No library with one of the usual names was found.
    named_library,      ///< The library named by a variable or setting does not open.
    stub_library,       ///< The library is a toolkit's stub, made for linking only.
    wrong_library,      ///< The library is too old, or is another library of that name.
    untested_library,   ///< The library was opened without a test in a child process.
    unsound_library,    ///< A child process that opened the library crashed, hung or failed.
    missing_driver,     ///< A file that registers an OpenCL driver names a library that does not exist.
    no_device,          ///< The library finds no device.
    empty_platform,     ///< An OpenCL platform has no device.
    device_unavailable, ///< The driver reports that a device is not available.
    device_unsupported, ///< A device lacks a version or a feature that Ferry needs.
};

/// "failed", "not_selected" and so on, as the enumerators are written.
FERRY_API std::string_view to_string(BackendProblem problem) noexcept;

/// One problem of a backend.
struct BackendReason {
    BackendProblem problem{};
    /// One sentence: the names tried and the loader's message, the missing symbols, the required version, or
    /// the vendor call and its code.
    std::string text;
};

/// The state of one backend in this process.
struct BackendReport {
    Backend backend{};
    std::string name;
    /// True if the backend was opened and has at least one device.
    bool available = false;
    /// The vendor library that was opened, with the version it reports. Empty for host, or if no library was
    /// opened.
    std::string library;
    /// One for each failed step. For an available backend, the list names each part that was left out, for
    /// example a platform without a device.
    std::vector<BackendReason> reasons;
};

/// Opens every backend that the settings and the environment allow, and reports on all five in the order of
/// `Backend`. A backend that is not allowed is not opened; its reason names the setting that excludes it.
///
/// Blocking. The first call may take a second if a GPU has to be initialised. Thread-safe. An unavailable
/// backend is not an error. Throws Error (invalid_argument) if FERRY_BACKEND names an unknown backend.
FERRY_API std::vector<BackendReport> backends();

/// The backends that FERRY_BACKEND or Settings::backend names, in that order and each once. Empty if neither
/// is set, or if one of the names is auto: every backend may be used then. Opens nothing. Thread-safe. Throws
/// Error (Code::invalid_argument) for an unknown name, with the nearest known one.
FERRY_API std::vector<Backend> named_backends(SourceLocation where = SourceLocation::current());

} // namespace ferry
