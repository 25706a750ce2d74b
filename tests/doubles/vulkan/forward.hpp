// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan/vulkan_types.hpp"

#include <span>
#include <string>

// A Vulkan loader that forwards to the machine's one, and replaces some functions. The functions and their
// types are those of the backend's table (backends/vulkan/symbols.def).
namespace vulkan_double {

using namespace ferry::vulkan; // The table names its types without it.

/// A row of the table: a function of the machine's loader.
template <class Signature>
struct Row;
template <class R, class... P>
struct Row<R(P...)> {
    const char* name;
    R (*function)(P...) = nullptr;

    R operator()(P... arguments) const { return function(arguments...); }
    void load(VoidFunction address) noexcept { function = reinterpret_cast<R (*)(P...)>(address); }
};

using InstanceLookup = VoidFunction (*)(Instance, const char*);

/// The functions of the machine's loader. They dispatch by the handle, so those of one instance serve all.
struct Real {
    InstanceLookup lookup = nullptr;
    Instance instance = nullptr; ///< The last one.
#define FERRY_VULKAN_REAL(name, result, parameters) Row<result parameters> name{#name};
#define FERRY_VULKAN_GLOBAL FERRY_VULKAN_REAL
#define FERRY_VULKAN_INSTANCE FERRY_VULKAN_REAL
#define FERRY_VULKAN_DEVICE FERRY_VULKAN_REAL
#define FERRY_VULKAN_EXTENSION FERRY_VULKAN_REAL
#include "vulkan/symbols.def"
#undef FERRY_VULKAN_REAL
};

/// Ends the process if the machine has no loader.
const Real& real();

/// A replaced function.
struct Override {
    const char* name;
    VoidFunction function;
};

template <class R, class... P>
Override replacing(const Row<R(P...)>& row, R (*function)(P...)) {
    return {row.name, reinterpret_cast<VoidFunction>(function)};
}

/// Each of these is empty unless its variable is set (README.md).
std::span<const Override> machine_functions();
std::span<const Override> memory_functions();
std::span<const Override> queue_functions();
std::span<const Override> loss_functions();
std::span<const Override> module_functions();
std::span<const Override> mistake_functions();

/// The driver's queue for one that the program has.
Queue driver_queue(Queue queue);
Result wait_idle(Queue queue);

/// A setting of the environment. Empty if it is not set.
std::string setting(const char* name);

/// For a call that Vulkan forbids, and a setting that is not understood.
[[noreturn]] void stop(const std::string& why);

} // namespace vulkan_double
