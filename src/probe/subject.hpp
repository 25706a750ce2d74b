// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/backend.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ferry::detail::probe {

/// The libraries of a backend that are opened together.
enum class Part : std::uint8_t {
    driver,   ///< libcuda, libamdhip64 or libOpenCL, and the run-time compiler of the backend
    compiler, ///< NVRTC or hipRTC alone
};

/// What a child process tests.
struct Subject {
    Backend backend{};
    Part part = Part::driver;
};

/// "cuda", "cuda compiler"
std::string to_text(Subject subject);
std::optional<Subject> subject_from(std::string_view text);

} // namespace ferry::detail::probe
