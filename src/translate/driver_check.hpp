// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "preprocess.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace ferry::translate {

/// Which rules a text for an OpenCL driver has to obey.
enum class DriverRules : std::uint8_t {
    portable,    ///< Those of docs/kernel-language.md for directives, pragmas, attributes and kernel heads.
    opencl_only, ///< Those of the driver (BuildOptions::opencl_only).
};

/// The errors of an OpenCL C text that must not reach an OpenCL driver, each with its place:
/// "k.cl:3:5: error: ...". Empty if there are none. Under both rules a function may not call itself, because
/// some drivers' compilers then end the process. `options` define the driver's macros as far as they are
/// known. Under `opencl_only`, a text that Ferry cannot preprocess is not checked.
std::string check_for_driver(std::string_view text, const std::string& name, const PreprocessOptions& options,
                             DriverRules rules);

} // namespace ferry::translate
