// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/setting.hpp"

#include <ferry/settings.hpp>
#include <ferry/source_location.hpp>
#include <ferry/wait_policy.hpp>

#include <chrono>
#include <cstdint>

namespace ferry::detail {

using backend::Setting;

Setting backend_setting();
Setting device_setting();
/// FERRY_SYNC. Throws Error (invalid_argument) for a value other than on or off.
bool sync_setting();
/// FERRY_STAGING: whether copies of ordinary memory go through page-locked memory of the library.
enum class Staging : std::uint8_t {
    automatic, ///< On devices that gain from it, from a size on.
    on,        ///< Each copy of ordinary memory on each device, for tests.
    off,
};
/// Throws Error (invalid_argument) for an unknown value.
Staging staging_setting(SourceLocation where);
/// The same for a setting that is not in effect yet.
Staging parse_staging(const Setting& setting, SourceLocation where);
/// Returns WaitPolicy::automatic only if nothing else is set. Throws Error (invalid_argument) for an unknown
/// value.
WaitPolicy wait_setting();
/// FERRY_CALIBRATION: whether devices are measured.
enum class Calibrating : std::uint8_t { automatic, off, fresh };
/// Throws Error (invalid_argument) for an unknown value.
Calibrating calibration_setting(SourceLocation where);
/// FERRY_CALIBRATION_LIMIT. Throws Error (invalid_argument) unless it is a number from 500 to 600000.
std::chrono::milliseconds calibration_limit();
/// FERRY_PROBE: whether a child process tests a vendor library before this process opens it.
enum class Probing : std::uint8_t { automatic, off, fresh };
/// Throws Error (invalid_argument) for an unknown value.
Probing probe_setting();
/// FERRY_PROBE_LIMIT. Throws Error (invalid_argument) unless it is a number from 100 to 600000.
std::chrono::milliseconds probe_limit();
/// FERRY_CHECK=races. Throws Error (invalid_argument) for any other value.
bool races_setting();
/// The same for a setting that is not in effect yet.
bool parse_check(const Setting& setting, SourceLocation where);
/// FERRY_POOL. Throws Error (invalid_argument) for a value other than on or off.
bool pool_setting(bool otherwise);
Setting memory_debug_setting();
backend::Libraries library_settings();

/// The settings of the program. Replaces all of them.
void store_settings(Settings settings);

} // namespace ferry::detail
