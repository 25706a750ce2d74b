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

/// The state of one backend in this process.
struct BackendReport {
    Backend backend{};
    std::string name;
    /// True if the backend was opened and has at least one device.
    bool available = false;
    /// The vendor library that was opened, with the version it reports. Empty for host, or if no library was
    /// opened.
    std::string library;
    /// One sentence for each failed step: the names tried and the loader's message, missing symbols, the
    /// required version, or the vendor call and its code. For an available backend, the list names each part
    /// that was left out, for example a platform without a device.
    std::vector<std::string> reasons;
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
