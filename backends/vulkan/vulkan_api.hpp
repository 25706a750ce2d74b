// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/library.hpp"
#include "vulkan_error.hpp"
#include "vulkan_types.hpp"

#include <string>
#include <vector>

namespace ferry::vulkan {

/// One function of Vulkan: its name and, once loaded, its address.
template <class Signature>
struct Symbol;
template <class R, class... P>
struct Symbol<R(P...)> {
    const char* name;
    R (*function)(P...) = nullptr;

    [[nodiscard]] R operator()(P... arguments) const { return function(arguments...); }
    explicit operator bool() const noexcept { return function != nullptr; }
    void load(VoidFunction address) noexcept { function = reinterpret_cast<R (*)(P...)>(address); }
};

#define FERRY_VULKAN_ROW(name, result, parameters) Symbol<result parameters> name{#name};

using InstanceLookup = VoidFunction (*)(Instance, const char*);

/// The loader and the functions of one instance.
struct InstanceApi {
    InstanceLookup lookup = nullptr;
    Instance instance = nullptr;
#define FERRY_VULKAN_GLOBAL FERRY_VULKAN_ROW
#define FERRY_VULKAN_INSTANCE FERRY_VULKAN_ROW
#include "symbols.def"

    /// Loads the functions that need no instance. Returns the missing names.
    std::vector<std::string> load(const backend::Library& library);
    /// Loads the functions of an instance. Returns the missing names.
    std::vector<std::string> load_instance(Instance made);
};

/// The functions of one device.
struct DeviceApi {
#define FERRY_VULKAN_DEVICE FERRY_VULKAN_ROW
#define FERRY_VULKAN_EXTENSION FERRY_VULKAN_ROW
#include "symbols.def"

    /// Returns the missing names. A function of an extension that is not enabled is null.
    std::vector<std::string> load(const InstanceApi& instance, Device device);
};

#undef FERRY_VULKAN_ROW

/// "1.2.198", from Vulkan's number.
inline std::string version_text(std::uint32_t version) {
    return std::to_string(version >> 22U & 0x7FU) + "." + std::to_string(version >> 12U & 0x3FFU) + "." +
           std::to_string(version & 0xFFFU);
}

/// Calls a function that returns a Result. Throws Error if it failed.
template <class S, class... A>
void call(const S& symbol, A... arguments) {
    check(symbol(arguments...), symbol.name);
}

} // namespace ferry::vulkan
