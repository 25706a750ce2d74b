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

/// One vendor API behind the library. The order is the default priority: where several backends are
/// available, the first one that has a device provides the default device.
enum class Backend : std::uint8_t {
    cuda,   ///< NVIDIA GPUs through the CUDA driver API
    hip,    ///< AMD GPUs through HIP
    opencl, ///< every device with an OpenCL driver, version 1.2 or later
    host,   ///< the processor this program runs on; always available
};

/// The backend's name as it stands in FERRY_BACKEND: "cuda", "hip", "opencl" or "host".
FERRY_API std::string_view to_string(Backend backend) noexcept;

/// The backend of that exact name, or nothing.
FERRY_API std::optional<Backend> backend_from_name(std::string_view name) noexcept;

/// What became of one backend in this process.
struct BackendReport {
    Backend backend{};
    std::string name;
    /// The backend was opened and has at least one device.
    bool available = false;
    /// The vendor library that was opened and what it says of its version; empty for host or if none was.
    std::string library;
    /// One sentence for each step that failed: the names tried and the loader's message, symbols missing,
    /// the version required, the call and the code. Of an available backend: what of it was left out, for
    /// example a platform without a device.
    std::vector<std::string> reasons;
};

/// Opens every backend that the settings and the environment allow and reports on all four, in the
/// order of `Backend`. A backend that is not allowed is not opened; its reason says which setting
/// left it out. Blocking; the first call may take a second where a GPU has to be initialised.
/// Thread-safe. Does not throw on an unavailable backend; throws `Error` (Code::invalid_argument) if
/// FERRY_BACKEND names something that does not exist.
FERRY_API std::vector<BackendReport> backends();

/// The backends that FERRY_BACKEND or Settings::backend names, in that order and each once. Empty if neither
/// is set, or if one of the names is auto: every backend may be used then. Opens nothing. Thread-safe. Throws
/// Error (Code::invalid_argument) for an unknown name, with the nearest known one.
FERRY_API std::vector<Backend> named_backends(SourceLocation where = SourceLocation::current());

} // namespace ferry
