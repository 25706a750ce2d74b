// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"
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
/// FERRY_SYNC. Throws Error (invalid_argument) for a word that is neither on nor off.
bool sync_setting();
/// Throws Error (invalid_argument) for a word that is none of the three.
staging::Mode staging_setting(SourceLocation where);
/// Never WaitPolicy::automatic unless nothing else was said. Throws Error (invalid_argument) for a word that
/// is none.
WaitPolicy wait_setting();
/// FERRY_CALIBRATION: whether devices are measured.
enum class Calibrating : std::uint8_t { automatic, off, fresh };
/// Throws Error (invalid_argument) for a word that is none of the three.
Calibrating calibration_setting(SourceLocation where);
/// FERRY_PROBE: whether a child process tests a vendor library before this process opens it.
enum class Probing : std::uint8_t { automatic, off, fresh };
/// Throws Error (invalid_argument) for a word that is none of the three.
Probing probe_setting();
/// FERRY_PROBE_LIMIT. Throws Error (invalid_argument) for a text that is no number from 100 to 600000.
std::chrono::milliseconds probe_limit();
/// FERRY_CHECK=races. Throws Error (invalid_argument) for anything else.
bool races_setting();
/// FERRY_POOL. Throws Error (invalid_argument) for a word that is neither on nor off.
bool pool_setting(bool otherwise);
Setting memory_debug_setting();
backend::Libraries library_settings();

/// Which backends may be opened, in order.
struct Allowed {
    std::vector<Backend> backends;
    Setting setting;     ///< what limits them, if anything
    bool strict = false; ///< a list was given: nothing else may be used instead
    bool contains(Backend backend) const noexcept;
};

/// Throws Error (invalid_argument) for an unknown name.
Allowed allowed_backends(SourceLocation where);

} // namespace ferry::detail
