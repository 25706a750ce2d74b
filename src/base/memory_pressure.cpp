// SPDX-License-Identifier: Apache-2.0
#include "base/memory_pressure.hpp"

#include <atomic>

namespace ferry::detail {
namespace {
constinit std::atomic<bool (*)(std::chrono::steady_clock::duration) noexcept> staging_trim{nullptr};
} // namespace

bool trim_staging(std::chrono::steady_clock::duration unused) noexcept {
    const auto trim = staging_trim.load();
    return trim == nullptr || trim(unused);
}

void set_staging_trim(bool (*trim)(std::chrono::steady_clock::duration unused) noexcept) noexcept {
    staging_trim = trim;
}

} // namespace ferry::detail
