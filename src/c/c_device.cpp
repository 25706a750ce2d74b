// SPDX-License-Identifier: Apache-2.0
#include "base/no_destructor.hpp"
#include "c_call.hpp"
#include "device/info_fields.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace ferry::c {

ferry_device* handle_of(const Device& device) {
    static detail::NoDestructor<std::mutex> mutex;
    static detail::NoDestructor<std::map<const detail::DeviceState*, std::unique_ptr<ferry_device>>> handles;
    const std::lock_guard lock(*mutex);
    std::unique_ptr<ferry_device>& handle = (*handles)[&device.state()];
    if (handle == nullptr) {
        handle = std::make_unique<ferry_device>(device);
    }
    return handle.get();
}

namespace {

ferry_device_info info_of(const ferry_device& handle) {
    const DeviceInfo& from = handle.device.info();
    ferry_device_info to{};
    to.id = handle.id.c_str();
    to.name = from.name.c_str();
    to.vendor = from.vendor.c_str();
    to.platform = from.platform.c_str();
    to.driver_version = from.driver_version.c_str();
    to.api_version = from.api_version.c_str();
    to.architecture = from.architecture.c_str();
    to.compile_note = from.compile_note.c_str();
    to.pci_address = from.pci_address.c_str();
    to.uuid = from.uuid.c_str();
    to.backend = static_cast<ferry_backend>(from.backend);
    to.kind = static_cast<ferry_device_kind>(from.kind);
    to.index = from.index;
    to.compute_units = from.compute_units;
    to.clock_mhz = from.clock_mhz;
    to.sub_group_width = from.sub_group_width;
    to.total_memory = from.total_memory;
    to.max_allocation = from.max_allocation;
    to.max_group_size = from.max_group_size;
    std::copy(from.max_local.begin(), from.max_local.end(), to.max_local);
    std::copy(from.max_groups.begin(), from.max_groups.end(), to.max_groups);
    to.local_memory = from.local_memory;
    to.max_argument_bytes = from.max_argument_bytes;
    to.integrated = from.integrated ? static_cast<std::int32_t>(*from.integrated) : -1;
    to.fp16 = from.fp16;
    to.fp64 = from.fp64;
    to.int64_atomics = from.int64_atomics;
    to.timing = from.timing;
    to.compiles = from.compiles;
    to.host_memory = from.host_memory;
    to.shared_memory = from.shared_memory;
    return to;
}

/// Empty: the field is none of one number.
std::optional<std::uint64_t> number_of(const DeviceInfo& info, const detail::InfoField& field) {
    return std::visit(
        [&](auto member) -> std::optional<std::uint64_t> {
            using T = std::remove_cvref_t<decltype(info.*member)>;
            if constexpr (std::is_integral_v<T>) {
                return std::uint64_t{info.*member};
            } else if constexpr (std::is_same_v<T, std::optional<bool>>) {
                return std::uint64_t{(info.*member).value_or(false)};
            } else {
                return {};
            }
        },
        field.member);
}

std::uint64_t number_of(const DeviceInfo& info, std::string_view name, const Call& at) {
    std::string names;
    for (const detail::InfoField& field : detail::info_fields) {
        if (const std::optional<std::uint64_t> number = number_of(info, field)) {
            if (name == field.name) {
                return *number;
            }
            names += (names.empty() ? "" : ", ") + std::string(field.name);
        }
    }
    at.refuse(Code::invalid_argument,
              "The 'field' " + at.of() + " is '" + std::string(name) + "'; a number is in one of: " + names);
}

} // namespace
} // namespace ferry::c

using ferry::c::Call;
using ferry::c::call;

ferry_code ferry_devices(ferry_device** devices, size_t capacity, size_t* count) {
    return call(__func__, [&](const Call& at) {
        at.not_null(count, "count", "the address of a number");
        if (capacity != 0) {
            at.not_null(devices, "devices", "room for as many handles as 'capacity' says");
        }
        const std::vector<ferry::Device> all = ferry::devices(at.where);
        for (std::size_t i = 0; i < std::min(capacity, all.size()); ++i) {
            devices[i] = ferry::c::handle_of(all[i]);
        }
        *count = all.size();
    });
}

ferry_code ferry_device_default(ferry_device** device) {
    return call(__func__, [&](const Call& at) {
        ferry_device*& found = at.out(device, "device");
        found = ferry::c::handle_of(ferry::default_device(at.where));
    });
}

ferry_code ferry_device_find(const char* selector, ferry_device** device) {
    return call(__func__, [&](const Call& at) {
        ferry_device*& found = at.out(device, "device");
        at.not_null(selector, "selector", "a text");
        found = ferry::c::handle_of(ferry::find_device(selector, at.where));
    });
}

ferry_code ferry_device_get_info(ferry_device* device, ferry_device_info* info) {
    return call(__func__, [&](const Call& at) {
        at.not_null(info, "info", "the address of a ferry_device_info");
        *info = ferry::c::info_of(at.get(device, "device"));
    });
}

ferry_code ferry_device_get_number(ferry_device* device, const char* field, uint64_t* number) {
    return call(__func__, [&](const Call& at) {
        at.not_null(field, "field", "the name of a field");
        at.not_null(number, "number", "the address of a number");
        *number = ferry::c::number_of(at.get(device, "device").device.info(), field, at);
    });
}

ferry_code ferry_device_finish(ferry_device* device) {
    return call(__func__, [&](const Call& at) { at.get(device, "device").device.finish(at.where); });
}

ferry_code ferry_device_get_memory(ferry_device* device, ferry_memory_info* memory) {
    return call(__func__, [&](const Call& at) {
        at.not_null(memory, "memory", "the address of a ferry_memory_info");
        const ferry::MemoryInfo now = at.get(device, "device").device.memory(at.where);
        *memory = {now.total, now.free.value_or(0), now.used_here, now.max_allocation, now.free.has_value()};
    });
}

ferry_code ferry_device_trim(ferry_device* device, uint64_t keep, uint64_t* given_back) {
    return call(__func__, [&](const Call& at) {
        const std::uint64_t bytes = at.get(device, "device").device.pool().trim(keep, at.where);
        if (given_back != nullptr) {
            *given_back = bytes;
        }
    });
}
