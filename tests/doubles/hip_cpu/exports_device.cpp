// SPDX-License-Identifier: Apache-2.0
#include "../hip_errors.hpp"
#include "../hip_numbers.hpp"
#include "environment.hpp"
#include "exports.hpp"
#include "module.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

namespace {

constexpr int runtime_version = FERRY_DOUBLE_ABI == 5   ? 50731921
                                : FERRY_DOUBLE_ABI == 6 ? 60342134
                                                        : 70051831;

int pci_bus(int ordinal) {
    return 0xC0 + ordinal;
}

// FERRY_DOUBLE_ANSWERS, "Integrated=1,PageableMemoryAccess=1": answers of another machine, by AMD's names.
std::map<int, int> read_answers() {
    static constexpr struct {
        std::string_view name;
        int number;
    } names[] = {
#define FERRY_ATTRIBUTE(name, amd, number, cuda) {#amd, number},
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
            std::abort(); // a test must not pass with another setting than its own
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
        return static_cast<int>(shared_bytes_per_block);
    case attribute_total_constant_memory:
        return 2147483647;
    case attribute_unified_addressing:
        return 1;
    case attribute_warp_size:
        return static_cast<int>(warp_width);
    case attribute_fine_grain_support:
        return 1;
    default:
        return 0;
    }
}

int fill_properties(void* properties, int ordinal, std::size_t size, std::size_t architecture_at) {
    if (properties == nullptr || device_at(ordinal) == nullptr) {
        return properties == nullptr ? invalid_value : invalid_device;
    }
    auto* bytes = static_cast<char*>(properties);
    std::memset(bytes, 0, size);
    hipDeviceGetName(bytes, 256, ordinal);
    std::snprintf(bytes + architecture_at, 256, "%s", world().architecture.c_str());
    return success;
}

} // namespace

Result hipInit(unsigned int flags) {
    FERRY_DOUBLE_COUNT(hipInit)
    if (flags != 0) {
        return invalid_value;
    }
    return world().devices.empty() ? (FERRY_DOUBLE_ABI == 5 ? invalid_device : no_device) : success;
}

Result hipDriverGetVersion(int* version) {
    FERRY_DOUBLE_COUNT(hipDriverGetVersion)
    return hipRuntimeGetVersion(version);
}

Result hipRuntimeGetVersion(int* version) {
    FERRY_DOUBLE_COUNT(hipRuntimeGetVersion)
    *version = static_cast<int>(number_from("FERRY_DOUBLE_RUNTIME_VERSION", runtime_version));
    return success;
}

const char* hipGetErrorName(Result error) {
    return error_of(error).name;
}

// Up to 5.x it returned the name.
const char* hipGetErrorString(Result error) {
    return FERRY_DOUBLE_ABI == 5 ? error_of(error).name : error_of(error).text;
}

Result hipGetDeviceCount(int* count) {
    FERRY_DOUBLE_COUNT(hipGetDeviceCount)
    *count = static_cast<int>(world().devices.size());
    return *count == 0 ? no_device : success;
}

Result hipDeviceGet(Device* device, int ordinal) {
    FERRY_DOUBLE_COUNT(hipDeviceGet)
    *device = ordinal;
    return device_at(ordinal) != nullptr ? success : invalid_device;
}

Result hipDeviceGetName(char* name, int length, Device device) {
    FERRY_DOUBLE_COUNT(hipDeviceGetName)
    if (device_at(device) == nullptr || name == nullptr || length <= 0) {
        return invalid_value;
    }
    std::snprintf(name, static_cast<std::size_t>(length), "Ferry HIP double on the CPU");
    return success;
}

Result hipDeviceTotalMem(std::size_t* bytes, Device device) {
    FERRY_DOUBLE_COUNT(hipDeviceTotalMem)
    const DeviceState* state = device_at(device);
    *bytes = state != nullptr ? state->memory : 0;
    return state != nullptr ? success : invalid_device;
}

Result hipDeviceGetAttribute(int* value, DeviceAttribute attribute, Device device) {
    FERRY_DOUBLE_COUNT(hipDeviceGetAttribute)
    if (device_at(device) == nullptr) {
        return invalid_device;
    }
    *value = attribute_of(attribute, device);
    return success;
}

Result hipDeviceGetPCIBusId(char* text, int length, Device device) {
    FERRY_DOUBLE_COUNT(hipDeviceGetPCIBusId)
    if (device_at(device) == nullptr || text == nullptr || length < 13) {
        return invalid_value;
    }
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0",
                  static_cast<unsigned>(pci_bus(device)));
    return success;
}

Result hipDeviceGetUuid(Uuid* uuid, Device device) {
    FERRY_DOUBLE_COUNT(hipDeviceGetUuid)
    if (device_at(device) == nullptr) {
        return invalid_device;
    }
    char text[32];
    std::snprintf(text, sizeof text, "ferry-double-%03d", device % 1000);
    std::memcpy(uuid->bytes, text, sizeof uuid->bytes);
    return success;
}

Result hipGetDevicePropertiesR0600(Properties* properties, int ordinal) {
    FERRY_DOUBLE_COUNT(hipGetDevicePropertiesR0600)
    return fill_properties(properties, ordinal, 1472, 1160);
}

// The old layout, in newer libraries too.
Result hipGetDeviceProperties(Properties* properties, int ordinal) {
    FERRY_DOUBLE_COUNT(hipGetDeviceProperties)
    return fill_properties(properties, ordinal, 792, 396);
}

Result hipGetDevice(Context* ordinal) {
    FERRY_DOUBLE_COUNT(hipGetDevice)
    if (world().devices.empty()) {
        return no_device;
    }
    *ordinal = current_device();
    return success;
}

Result hipSetDevice(Context ordinal) {
    FERRY_DOUBLE_COUNT(hipSetDevice)
    if (device_at(ordinal) == nullptr) {
        return invalid_device;
    }
    current_device() = ordinal;
    return success;
}

Result hipDeviceSynchronize() {
    FERRY_DOUBLE_ENTER(hipDeviceSynchronize)
    synchronize(current());
    return current().lost;
}

Result hipDeviceCanAccessPeer(int* can, Device device, Device peer) {
    FERRY_DOUBLE_COUNT(hipDeviceCanAccessPeer)
    if (device_at(device) == nullptr || device_at(peer) == nullptr) {
        return invalid_device;
    }
    *can = device != peer && number_from("FERRY_DOUBLE_PEER", 1) != 0 ? 1 : 0;
    return success;
}

Result hipDeviceEnablePeerAccess(Context peer, unsigned int flags) {
    FERRY_DOUBLE_ENTER(hipDeviceEnablePeerAccess)
    int can = 0;
    if (flags != 0 || hipDeviceCanAccessPeer(&can, current_device(), peer) != success || can == 0) {
        return flags != 0 ? invalid_value : invalid_device;
    }
    DeviceState& device = current();
    const std::lock_guard lock(device.mutex);
    if (std::find(device.peers.begin(), device.peers.end(), peer) != device.peers.end()) {
        return peer_access_already_enabled;
    }
    device.peers.push_back(peer);
    return success;
}

Result hipMemGetInfo(std::size_t* free, std::size_t* total) {
    FERRY_DOUBLE_ENTER(hipMemGetInfo)
    DeviceState& device = current();
    const std::lock_guard lock(device.mutex);
    *total = device.memory;
    *free = device.memory - device.used;
    return success;
}
