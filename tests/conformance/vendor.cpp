// SPDX-License-Identifier: Apache-2.0
#include "vendor.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace conformance {

std::unique_ptr<Vendor> vendor_of(const ferry::Device& device) {
    switch (device.backend()) {
    case ferry::Backend::opencl:
        return opencl_vendor(device);
    case ferry::Backend::cuda:
        return cuda_vendor(device);
    case ferry::Backend::hip:
        return hip_vendor(device);
    case ferry::Backend::vulkan:
        return vulkan_vendor(device);
    default:
        throw ferry::Error(ferry::Code::unsupported, "No vendor has handles for " + device.id() + ".");
    }
}

void* open_vendor_library(const char* variable, std::initializer_list<const char*> names) {
    const char* chosen = std::getenv(variable);
    std::vector<const char*> wanted(names);
    if (chosen != nullptr && *chosen != '\0') {
        wanted = {chosen};
    }
    for (const char* name : wanted) {
        // Never closed, because the backend keeps it open anyway.
        if (void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD); library != nullptr) {
            return library;
        }
    }
    throw std::runtime_error(std::string("Ferry has opened no library of the name ") + wanted.front());
}

void* vendor_symbol(void* library, const char* name) {
    return dlsym(library, name);
}

} // namespace conformance
