// SPDX-License-Identifier: Apache-2.0
#include "subject.hpp"
#include "system/shared_library.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace bench {

void* open_library(const char* variable, std::span<const char* const> names) {
    std::string problem;
    if (const char* name = secure_getenv(variable); name && *name) {
        if (void* library = ferry::detail::open_library(name, problem)) {
            return library;
        }
        throw std::runtime_error(std::string("The raw side could not open the library that ") + variable +
                                 " names: " + problem + ".");
    }
    for (const char* name : names) {
        if (void* library = ferry::detail::open_library(name, problem)) {
            return library;
        }
    }
    throw std::runtime_error(std::string("The raw side could not open ") + names.front() + ": " + problem +
                             ".");
}

void* find_symbol(void* library, const char* name) {
    if (void* symbol = ferry::detail::symbol_of(library, name)) {
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
