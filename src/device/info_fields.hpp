// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/device.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

namespace ferry::detail {

/// One field of DeviceInfo, for `ferry info`, its JSON and the C interface.
struct InfoField {
    using Member = std::variant<std::string DeviceInfo::*, bool DeviceInfo::*,
                                std::optional<bool> DeviceInfo::*, std::uint32_t DeviceInfo::*,
                                std::size_t DeviceInfo::*, std::array<std::size_t, 3> DeviceInfo::*,
                                Backend DeviceInfo::*, DeviceKind DeviceInfo::*>;

    const char* name; ///< The name of the member.
    Member member;
    const char* text = nullptr; ///< The line of `ferry info`. Null: no line, or a part of another one.
    const char* unit = "";      ///< "bytes", or the unit behind the number.
    bool zero_is_known = false; ///< Otherwise 0 means "not known".
};

static_assert(std::is_same_v<std::size_t, std::uint64_t>);

/// All fields, in the order of the struct.
inline constexpr std::array<InfoField, 34> info_fields{{
    {"backend", &DeviceInfo::backend},
    {"index", &DeviceInfo::index, nullptr, "", true},
    {"name", &DeviceInfo::name},
    {"vendor", &DeviceInfo::vendor, "vendor"},
    {"platform", &DeviceInfo::platform, "platform"},
    {"driver_version", &DeviceInfo::driver_version, "driver version"},
    {"api_version", &DeviceInfo::api_version, "API version"},
    {"architecture", &DeviceInfo::architecture, "architecture"},
    {"kind", &DeviceInfo::kind, "kind"},
    {"integrated", &DeviceInfo::integrated},
    {"total_memory", &DeviceInfo::total_memory, "memory", "bytes"},
    {"max_allocation", &DeviceInfo::max_allocation, "largest allocation", "bytes"},
    {"compute_units", &DeviceInfo::compute_units, "compute units"},
    {"clock_mhz", &DeviceInfo::clock_mhz, "clock", " MHz"},
    {"max_group_size", &DeviceInfo::max_group_size, "largest group", " work-items"},
    {"preferred_group_size", &DeviceInfo::preferred_group_size, "preferred group", " work-items"},
    {"max_local", &DeviceInfo::max_local, "  per dimension"},
    {"max_groups", &DeviceInfo::max_groups, "most groups"},
    {"local_memory", &DeviceInfo::local_memory, "local memory", "bytes", true},
    {"max_argument_bytes", &DeviceInfo::max_argument_bytes, "argument bytes", "bytes"},
    {"sub_group_width", &DeviceInfo::sub_group_width, "sub-group width"},
    {"fp16", &DeviceInfo::fp16, "fp16"},
    {"fp64", &DeviceInfo::fp64, "fp64"},
    {"int64_atomics", &DeviceInfo::int64_atomics, "64-bit atomics"},
    {"queue_priority", &DeviceInfo::queue_priority, "queue priorities"},
    {"prefetch", &DeviceInfo::prefetch, "prefetch"},
    {"timing", &DeviceInfo::timing, "device times"},
    {"compiles", &DeviceInfo::compiles, "compiles source"},
    {"compile_note", &DeviceInfo::compile_note},
    {"compiler_version", &DeviceInfo::compiler_version},
    {"host_memory", &DeviceInfo::host_memory},
    {"shared_memory", &DeviceInfo::shared_memory},
    {"pci_address", &DeviceInfo::pci_address},
    {"uuid", &DeviceInfo::uuid},
}};

} // namespace ferry::detail
