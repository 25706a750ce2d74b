// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/uuid_text.hpp"
#include "driver/driver_api.hpp"
#include "driver/driver_compiler.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace ferry::driver {

/// A PCI address in lower case.
std::string pci_text(std::string text);

/// The driver's information about a device, without initialising it.
template <class V>
DeviceInfo device_info(const Api<V>& api, const Compiler<V>& compiler, int ordinal,
                       typename V::Device device) {
    const auto ask = [&](int attribute) {
        const int value = api.attribute(attribute, ordinal);
        return static_cast<std::uint32_t>(value > 0 ? value : 0);
    };
    constexpr Attributes number = V::attributes;
    const auto ask_size = [&](int attribute, const char* what, std::uint64_t most) {
        const std::int64_t value = api.attribute(attribute, ordinal);
        const std::string full = std::string(what) + " (attribute " + std::to_string(attribute) + ")";
        return static_cast<std::uint32_t>(backend::plausible(
            V::backend, api.device_attribute.name, full.c_str(), value, 1, static_cast<std::int64_t>(most)));
    };
    constexpr std::uint64_t any = std::numeric_limits<std::int32_t>::max();
    DeviceInfo info;
    info.backend = V::backend;
    info.index = static_cast<std::uint32_t>(ordinal);
    info.kind = DeviceKind::gpu;
    info.vendor = V::vendor_name;

    std::array<char, 256> text{};
    api.call(api.device_name, text.data(), static_cast<int>(text.size()) - 1, device);
    info.name = text.data();
    text = {};
    if (api.device_pci(text.data(), static_cast<int>(text.size()) - 1, device) == result::success) {
        info.pci_address = pci_text(text.data());
    }
    Uuid uuid{};
    if (api.device_uuid && api.device_uuid(&uuid, device) == result::success) {
        info.uuid = detail::uuid_text(uuid.bytes);
    }

    std::size_t memory = 0;
    api.call(api.device_memory, &memory, device);
    info.total_memory = backend::plausible(V::backend, api.device_memory.name, "bytes of memory", memory, 1,
                                           backend::most_memory);
    info.max_allocation = memory;
    info.compute_units = ask(number.compute_units);
    info.clock_mhz = ask(number.clock_khz) / 1000;
    info.max_group_size =
        ask_size(number.max_group_size, "work-items of the largest group", backend::most_group_items);
    constexpr const char* items = "work-items of a group in one dimension";
    constexpr const char* groups = "groups in one dimension";
    info.max_local = {ask_size(number.local_x, items, any), ask_size(number.local_y, items, any),
                      ask_size(number.local_z, items, any)};
    info.max_groups = {ask_size(number.groups_x, groups, any), ask_size(number.groups_y, groups, any),
                       ask_size(number.groups_z, groups, any)};
    info.local_memory = ask(number.local_memory);
    info.sub_group_width = ask(number.warp_size);
    info.integrated = ask(number.integrated) != 0;
    info.host_memory = ask(number.map_host_memory) != 0;
    // Without concurrent access the host must not access managed memory while any kernel runs, which is less
    // than MemoryKind::shared guarantees.
    info.shared_memory =
        api.allocate_managed && ask(number.managed) != 0 && ask(number.concurrent_managed) != 0;
    info.queue_priority = static_cast<bool>(api.stream_create_with_priority);
    info.prefetch = info.shared_memory && api.prefetch;
    info.timing = true;
    info.fp64 = true;
    info.int64_atomics = true;
    info.max_argument_bytes = 4096;
    info.compiles = compiler.available();
    info.compile_note = compiler.note();
    info.compiler_version = compiler.release();
    V::complete(api, ordinal, info);
    return info;
}

} // namespace ferry::driver
