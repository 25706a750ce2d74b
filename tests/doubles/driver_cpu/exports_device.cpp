// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"
#include "exports.hpp"
#include "library.hpp"
#include "module.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

namespace ferry_double {

namespace {

int pci_bus(int ordinal) {
    return 0xC0 + ordinal;
}

// FERRY_DOUBLE_ANSWERS, for example "Integrated=1,PageableMemoryAccess=1": attributes of another machine, by
// AMD's names.
std::map<int, int> read_answers() {
    static constexpr struct {
        std::string_view name;
        int number;
    } names[] = {
#define FERRY_ATTRIBUTE(name, amd, number, cuda) {#amd, attribute_##name},
        FERRY_DOUBLE_ATTRIBUTES(FERRY_ATTRIBUTE)
#undef FERRY_ATTRIBUTE
    };
    std::map<int, int> answers;
    std::istringstream list(text_from("FERRY_DOUBLE_ANSWERS", ""));
    for (std::string entry; std::getline(list, entry, ',');) {
        const std::size_t equals = std::min(entry.find('='), entry.size());
        const auto* const found = std::find_if(std::begin(names), std::end(names), [&](const auto& known) {
            return known.name == entry.substr(0, equals);
        });
        char* end = nullptr;
        const char* const value = entry.c_str() + std::min(equals + 1, entry.size());
        const long number = std::strtol(value, &end, 10);
        if (found == std::end(names) || end == value || *end != '\0') {
            std::fprintf(stderr, "FERRY_DOUBLE_ANSWERS has an entry that is not understood: %s\n",
                         entry.c_str());
            std::abort(); // a test must not pass with the wrong settings
        }
        answers[found->number] = static_cast<int>(number);
    }
    return answers;
}

int attribute_of(int attribute, int ordinal) {
    static const std::map<int, int> answers = read_answers();
    if (const auto set = answers.find(attribute); set != answers.end()) {
        return set->second;
    }
    if (int own = 0; own_attribute(attribute, own)) {
        return own;
    }
    switch (attribute) {
    case attribute_async_engine_count:
        return 2;
    case attribute_can_map_host_memory:
        return 1;
    case attribute_can_use_host_pointer_for_registered_memory:
        return 1;
    case attribute_clock_rate:
        return 1700000;
    case attribute_concurrent_kernels:
        return 1;
    case attribute_concurrent_managed_access:
        return 1;
    case attribute_compute_capability_major:
        return 9;
    case attribute_managed_memory:
        return 1;
    case attribute_max_block_dim_x:
    case attribute_max_block_dim_y:
    case attribute_max_block_dim_z:
        return static_cast<int>(threads_per_block);
    case attribute_max_grid_dim_x:
        return 2147483647;
    case attribute_max_grid_dim_y:
    case attribute_max_grid_dim_z:
        return 65536;
    case attribute_max_threads_per_block:
        return static_cast<int>(threads_per_block);
    case attribute_max_threads_per_multiprocessor:
        return 2048;
    case attribute_memory_bus_width:
        return 4096;
    case attribute_memory_clock_rate:
        return 1600000;
    case attribute_multiprocessor_count:
        return 4;
    case attribute_pci_bus_id:
        return pci_bus(ordinal);
    case attribute_max_registers_per_block:
        return 65536;
    case attribute_max_shared_memory_per_block:
        return static_cast<int>(library_facts.plain_shared_bytes);
    case attribute_total_constant_memory:
        return 2147483647;
    case attribute_unified_addressing:
        return 1;
    case attribute_warp_size:
        return static_cast<int>(library_facts.warp_width);
    default:
        return 0;
    }
}

bool reaches(int ordinal, int peer) {
    return device_at(peer) != nullptr && ordinal != peer && number_from("FERRY_DOUBLE_PEER", 1) != 0;
}

} // namespace

Result Rows::init(unsigned int flags) {
    FERRY_DOUBLE_COUNT(init)
    if (flags != 0) {
        return invalid_value;
    }
    return world().devices.empty() ? init_without_device : success;
}

Result Rows::driver_version(int* version) {
    FERRY_DOUBLE_COUNT(driver_version)
    *version = static_cast<int>(number_from("FERRY_DOUBLE_RUNTIME_VERSION", library_version()));
    return success;
}

Result Rows::device_count(int* count) {
    FERRY_DOUBLE_COUNT(device_count)
    *count = static_cast<int>(world().devices.size());
    return *count == 0 ? no_device : success;
}

Result Rows::device_get(Device* device, int ordinal) {
    FERRY_DOUBLE_COUNT(device_get)
    *device = ordinal;
    return device_at(ordinal) != nullptr ? success : invalid_device;
}

Result Rows::device_name(char* name, int length, Device device) {
    FERRY_DOUBLE_COUNT(device_name)
    if (device_at(device) == nullptr || name == nullptr || length <= 0) {
        return invalid_value;
    }
    std::snprintf(name, static_cast<std::size_t>(length), "%s", name_of_devices);
    return success;
}

Result Rows::device_memory(std::size_t* bytes, Device device) {
    FERRY_DOUBLE_COUNT(device_memory)
    const DeviceState* state = device_at(device);
    *bytes = state != nullptr ? state->memory : 0;
    return state != nullptr ? success : invalid_device;
}

Result Rows::device_attribute(int* value, DeviceAttribute attribute, Device device) {
    FERRY_DOUBLE_COUNT(device_attribute)
    if (device_at(device) == nullptr) {
        return invalid_device;
    }
    *value = attribute_of(attribute, device);
    return success;
}

Result Rows::device_pci(char* text, int length, Device device) {
    FERRY_DOUBLE_COUNT(device_pci)
    if (device_at(device) == nullptr || text == nullptr || length < 13) {
        return invalid_value;
    }
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0",
                  static_cast<unsigned>(pci_bus(device)));
    return success;
}

Result Rows::device_uuid(Uuid* uuid, Device device) {
    FERRY_DOUBLE_COUNT(device_uuid)
    if (device_at(device) == nullptr) {
        return invalid_device;
    }
    char text[40];
    std::snprintf(text, sizeof text, "ferry-double-%03d", device % 1000);
    if (const std::string chosen = text_from("FERRY_DOUBLE_UUID", "");
        chosen.size() == sizeof uuid->bytes * 2) {
        for (std::size_t i = 0; i != sizeof uuid->bytes; ++i) {
            text[i] = static_cast<char>(std::stoi(chosen.substr(2 * i, 2), nullptr, 16));
        }
    }
    std::memcpy(uuid->bytes, text, sizeof uuid->bytes);
    return success;
}

Result Rows::get_current(Context* context) {
    FERRY_DOUBLE_COUNT(get_current)
    if (world().devices.empty()) {
        return no_device;
    }
    *context = context_of(current_device());
    return success;
}

Result Rows::set_current(Context context) {
    FERRY_DOUBLE_COUNT(set_current)
    if (!may_be_current(context)) {
        return invalid_device;
    }
    current_device() = ordinal_of(context);
    return success;
}

Result Rows::synchronize() {
    FERRY_DOUBLE_ENTER(synchronize)
    ferry_double::synchronize(current());
    return current().lost;
}

Result Rows::can_access_peer(int* can, Device device, Device peer) {
    FERRY_DOUBLE_COUNT(can_access_peer)
    if (device_at(device) == nullptr || device_at(peer) == nullptr) {
        return invalid_device;
    }
    *can = reaches(device, peer) ? 1 : 0;
    return success;
}

Result Rows::enable_peer(Context peer, unsigned int flags) {
    FERRY_DOUBLE_ENTER(enable_peer)
    const int ordinal = ordinal_of(peer);
    if (flags != 0 || !reaches(current_device(), ordinal)) {
        return flags != 0 ? invalid_value : invalid_device;
    }
    DeviceState& device = current();
    const std::lock_guard lock(device.mutex);
    if (std::find(device.peers.begin(), device.peers.end(), ordinal) != device.peers.end()) {
        return peer_access_already_enabled;
    }
    device.peers.push_back(ordinal);
    return success;
}

Result Rows::memory_info(std::size_t* free, std::size_t* total) {
    FERRY_DOUBLE_ENTER(memory_info)
    DeviceState& device = current();
    const std::lock_guard lock(device.mutex);
    *total = device.memory;
    *free = device.memory - device.used;
    return success;
}

} // namespace ferry_double
