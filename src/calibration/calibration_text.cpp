// SPDX-License-Identifier: Apache-2.0
#include "calibration.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace ferry::detail {
namespace {

constexpr std::array<std::pair<const char*, PathCost Calibration::*>, 10> paths{{
    {"pinned_up", &Calibration::pinned_up},
    {"pinned_down", &Calibration::pinned_down},
    {"pageable_up", &Calibration::pageable_up},
    {"pageable_down", &Calibration::pageable_down},
    {"link_read", &Calibration::link_read},
    {"link_write", &Calibration::link_write},
    {"local_read", &Calibration::local_read},
    {"local_write", &Calibration::local_write},
    {"map", &Calibration::map},
    {"unmap", &Calibration::unmap},
}};

bool sound(double value) noexcept {
    return std::isfinite(value) && value >= 0;
}

} // namespace

std::string to_text(const Calibration& calibration) {
    std::string text;
    for (const auto& [name, path] : paths) {
        char line[96];
        std::snprintf(line, sizeof line, "%s %a %a\n", name, (calibration.*path).latency_us,
                      (calibration.*path).bandwidth);
        text += line;
    }
    return text;
}

std::optional<Calibration> calibration_from(std::string_view text) {
    Calibration calibration;
    const std::string all(text);
    const char* at = all.c_str();
    for (const auto& [name, path] : paths) {
        char word[32];
        int used = 0;
        PathCost& cost = calibration.*path;
        if (std::sscanf(at, "%31s %la %la%n", word, &cost.latency_us, &cost.bandwidth, &used) != 3 ||
            std::string_view(word) != name || at[used] != '\n' || !sound(cost.latency_us) ||
            !sound(cost.bandwidth)) {
            return std::nullopt;
        }
        at += used + 1;
    }
    return *at == '\0' ? std::optional(calibration) : std::nullopt;
}

} // namespace ferry::detail
