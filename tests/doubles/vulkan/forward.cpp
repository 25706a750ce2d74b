// SPDX-License-Identifier: Apache-2.0
#include "forward.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace vulkan_double {
namespace {

Real& loaded() {
    static Real functions = [] {
        const std::string named = setting("FERRY_DOUBLE_VULKAN_LIBRARY");
        // Never closed, because drivers do not support that.
        void* const library = dlopen(named.empty() ? "libvulkan.so.1" : named.c_str(), RTLD_NOW | RTLD_LOCAL);
        Real found;
        found.lookup = library == nullptr
                           ? nullptr
                           : reinterpret_cast<InstanceLookup>(dlsym(library, "vkGetInstanceProcAddr"));
        if (found.lookup == nullptr) {
            const char* const why = dlerror();
            stop(std::string("there is no Vulkan loader: ") + (why != nullptr ? why : ""));
        }
#define FERRY_VULKAN_GLOBAL(name, result, parameters) found.name.load(found.lookup(nullptr, #name));
#include "vulkan/symbols.def"
        return found;
    }();
    return functions;
}

Result create_instance(const InstanceCreateInfo* info, const AllocationCallbacks* callbacks,
                       Instance* instance) {
    Real& to = loaded();
    const Result result = to.vkCreateInstance(info, callbacks, instance);
    if (result == constant::success) {
        to.instance = *instance;
#define FERRY_VULKAN_LOAD(name, result, parameters) to.name.load(to.lookup(*instance, #name));
#define FERRY_VULKAN_INSTANCE FERRY_VULKAN_LOAD
#define FERRY_VULKAN_DEVICE FERRY_VULKAN_LOAD
#define FERRY_VULKAN_EXTENSION FERRY_VULKAN_LOAD
#include "vulkan/symbols.def"
#undef FERRY_VULKAN_LOAD
    }
    return result;
}

VoidFunction replaced(const char* name, VoidFunction present);

VoidFunction device_function(Device device, const char* name) {
    return replaced(name, real().vkGetDeviceProcAddr(device, name));
}

/// A function that the driver lacks is not replaced.
VoidFunction replaced(const char* name, VoidFunction present) {
    static const Override own[] = {replacing(real().vkCreateInstance, create_instance),
                                   replacing(real().vkGetDeviceProcAddr, device_function)};
    const std::span<const Override> groups[] = {own,
                                                machine_functions(),
                                                memory_functions(),
                                                queue_functions(),
                                                loss_functions(),
                                                module_functions(),
                                                mistake_functions()};
    for (const std::span<const Override> group : groups) {
        for (const Override& one : group) {
            if (present != nullptr && std::strcmp(one.name, name) == 0) {
                return one.function;
            }
        }
    }
    return present;
}

} // namespace

const Real& real() {
    return loaded();
}

std::string setting(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

void stop(const std::string& why) {
    std::fprintf(stderr, "The Vulkan stand-in ends the process: %s\n", why.c_str());
    std::abort();
}

} // namespace vulkan_double

extern "C" __attribute__((visibility("default"))) ferry::vulkan::VoidFunction
vkGetInstanceProcAddr(ferry::vulkan::Instance instance, const char* name) {
    using namespace vulkan_double;
    return replaced(name, real().lookup(instance, name));
}
