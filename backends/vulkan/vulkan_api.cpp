// SPDX-License-Identifier: Apache-2.0
#include "vulkan_api.hpp"

namespace ferry::vulkan {

std::vector<std::string> InstanceApi::load(const backend::Library& library) {
    std::vector<std::string> missing;
    lookup = reinterpret_cast<InstanceLookup>(library.symbol("vkGetInstanceProcAddr"));
    if (lookup == nullptr) {
        return {"vkGetInstanceProcAddr"};
    }
#define FERRY_VULKAN_GLOBAL(name, result, parameters) \
    name.load(lookup(nullptr, #name));                \
    if (!name) {                                      \
        missing.emplace_back(#name);                  \
    }
#include "symbols.def"
    return missing;
}

std::vector<std::string> InstanceApi::load_instance(Instance made) {
    std::vector<std::string> missing;
    instance = made;
#define FERRY_VULKAN_INSTANCE(name, result, parameters) \
    name.load(lookup(made, #name));                     \
    if (!name) {                                        \
        missing.emplace_back(#name);                    \
    }
#include "symbols.def"
    return missing;
}

std::vector<std::string> DeviceApi::load(const InstanceApi& instance, Device device) {
    std::vector<std::string> missing;
#define FERRY_VULKAN_DEVICE(name, result, parameters)       \
    name.load(instance.vkGetDeviceProcAddr(device, #name)); \
    if (!name) {                                            \
        missing.emplace_back(#name);                        \
    }
#define FERRY_VULKAN_EXTENSION(name, result, parameters) \
    name.load(instance.vkGetDeviceProcAddr(device, #name));
#include "symbols.def"
    return missing;
}

} // namespace ferry::vulkan
