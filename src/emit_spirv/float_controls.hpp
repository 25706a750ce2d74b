// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emit.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace ferry::emit_spirv {

/// A module for Vulkan of the emitter, with the promises of a device as execution modes of every kernel. The
/// modes for numbers of 64 bits are left out if the module has none.
std::vector<std::uint32_t> with_float_controls(std::span<const std::uint32_t> module,
                                               const FloatControls& controls);

} // namespace ferry::emit_spirv
