// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "staging/policy.hpp"

#include <ferry/backend.hpp>
#include <ferry/source_location.hpp>
#include <ferry/wait_policy.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ferry::detail {

using backend::Setting;

Setting backend_setting();
Setting device_setting();
/// FERRY_SYNC. Throws Error (invalid_argument) for a value other than on or off.
bool sync_setting();
/// Throws Error (invalid_argument) for an unknown value.
staging::Mode staging_setting(SourceLocation where);
/// Returns WaitPolicy::automatic only if nothing else is set. Throws Error (invalid_argument) for an unknown
/// value.
WaitPolicy wait_setting();
/// FERRY_CALIBRATION: whether devices are measured.
enum class Calibrating : std::uint8_t { automatic, off, fresh };
/// Throws Error (invalid_argument) for an unknown value.
Calibrating calibration_setting(SourceLocation where);
/// FERRY_PROBE: whether a child process tests a vendor library before this process opens it.
enum class Probing : std::uint8_t { automatic, off, fresh };
/// Throws Error (invalid_argument) for an unknown value.
Probing probe_setting();
/// FERRY_PROBE_LIMIT. Throws Error (invalid_argument) unless it is a number from 100 to 600000.
std::chrono::milliseconds probe_limit();
/// FERRY_CHECK=races. Throws Error (invalid_argument) for any other value.
bool races_setting();
/// FERRY_POOL. Throws Error (invalid_argument) for a value other than on or off.
bool pool_setting(bool otherwise);
Setting memory_debug_setting();
backend::Libraries library_settings();

/// The backends that may be opened, in order.
struct Allowed {
    std::vector<Backend> backends;
    Setting setting;     ///< The setting that limits them, if any.
    bool strict = false; ///< A list was given: no other backend may be used.
    bool contains(Backend backend) const noexcept;
};

/// Throws Error (invalid_argument) for an unknown name.
Allowed allowed_backends(SourceLocation where);

} // namespace ferry::detail
