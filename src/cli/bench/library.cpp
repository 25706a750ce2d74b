// SPDX-License-Identifier: Apache-2.0
#include "subject.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace bench {

void* open_library(const char* variable, std::span<const char* const> names) {
    if (const char* name = secure_getenv(variable); name && *name) {
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
            return library;
        }
        throw std::runtime_error(std::string("The raw side could not open the library that ") + variable +
                                 " names: " + dlerror() + ".");
    }
    for (const char* name : names) {
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
            return library;
        }
    }
    throw std::runtime_error(std::string("The raw side could not open ") + names.front() + ": " + dlerror() +
                             ".");
}

void* find_symbol(void* library, const char* name) {
    if (void* symbol = dlsym(library, name)) {
        return symbol;
    }
    throw std::runtime_error(std::string("The raw side found no function \"") + name +
                             "\" in the vendor's library.");
}

std::size_t shared_bytes(const Setup& setup) {
    constexpr std::size_t most = std::size_t{64} << 20;
    return setup.device.has(ferry::MemoryKind::shared) ? std::min(setup.bytes, most) : 0;
}

std::unique_ptr<Subject> raw_subject(const Setup& setup) {
    switch (setup.device.backend()) {
    case ferry::Backend::cuda:
        return cuda_subject(setup);
    case ferry::Backend::hip:
        return hip_subject(setup);
    case ferry::Backend::opencl:
        return opencl_subject(setup);
    case ferry::Backend::vulkan:
        return vulkan_subject(setup);
    default:
        return host_subject(setup);
    }
}

} // namespace bench
