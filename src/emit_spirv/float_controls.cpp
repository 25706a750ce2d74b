// SPDX-License-Identifier: Apache-2.0
#include "float_controls.hpp"

#include "module.hpp"

#include <algorithm>
#include <set>

namespace ferry::emit_spirv {
namespace {

constexpr std::size_t header_words = 5;

/// A promise that applies to numbers of this width.
struct Control {
    Capability capability;
    std::uint32_t mode, width;
};

std::vector<Control> controls_of(const FloatControls& promised, bool has_64) {
    std::vector<Control> controls;
    const auto add = [&](const FloatControls::Width& of, std::uint32_t width) {
        if (of.special) {
            controls.push_back(
                {Capability::signed_zero_inf_nan_preserve, execution_mode_preserve_special, width});
        }
        if (of.subnormal) {
            controls.push_back({Capability::denorm_preserve, execution_mode_preserve_denorm, width});
        }
        if (of.nearest) {
            controls.push_back({Capability::rounding_mode_rte, execution_mode_round_nearest, width});
        }
    };
    add(promised.of_32, 32);
    if (has_64) {
        add(promised.of_64, 64);
    }
    return controls;
}

} // namespace

Words with_float_controls(std::span<const std::uint32_t> module, const FloatControls& promised) {
    std::size_t after_capabilities = header_words;
    std::size_t after_modes = 0; // The modes follow the entry points.
    std::set<Capability> capabilities;
    std::vector<Id> entries;
    for (std::size_t at = header_words; at < module.size();) {
        const auto opcode = static_cast<Opcode>(module[at] & 0xFFFFU);
        const std::size_t next = at + std::max<std::size_t>(module[at] >> 16U, 1);
        if (opcode == Opcode::capability) {
            capabilities.insert(static_cast<Capability>(module[at + 1]));
            after_capabilities = next;
        } else if (opcode == Opcode::entry_point) {
            entries.push_back(module[at + 2]);
            after_modes = next;
        } else if (opcode == Opcode::execution_mode) {
            after_modes = next;
        } else if (after_modes != 0) {
            break;
        }
        at = next;
    }
    const std::vector<Control> controls = controls_of(promised, capabilities.contains(Capability::float64));
    if (controls.empty() || after_modes == 0) {
        return {module.begin(), module.end()};
    }
    Words all(module.begin(), module.begin() + static_cast<std::ptrdiff_t>(after_capabilities));
    for (const Control& control : controls) {
        if (capabilities.insert(control.capability).second) {
            append(all, Opcode::capability, {static_cast<std::uint32_t>(control.capability)});
        }
    }
    const auto copy = [&](std::size_t from, std::size_t to) {
        const std::span<const std::uint32_t> part = module.subspan(from, to - from);
        all.insert(all.end(), part.begin(), part.end());
    };
    copy(after_capabilities, after_modes);
    for (const Id entry : entries) {
        for (const Control& control : controls) {
            append(all, Opcode::execution_mode, {entry, control.mode, control.width});
        }
    }
    copy(after_modes, module.size());
    return all;
}

} // namespace ferry::emit_spirv
