// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions that a double of CUDA or HIP exports. They are members of Rows and CompilerRows, with the
// names of Ferry's tables, and are exported under the vendor's names. A definition with another signature
// does not compile. A row without a definition does not link, because exports_list.cpp takes the address of
// each.

#include "device.hpp"
#include "faults.hpp"
#include "types.hpp" // from the library's folder

namespace ferry_double {

struct Rows {
#define FERRY_EACH_ROW(tier, member, name, result, parameters) \
    __attribute__((visibility("default"))) static result member parameters __asm__(#name);
#include "../each_row.inc"
};

struct CompilerRows {
#define FERRY_EACH_COMPILER_ROW(tier, member, name, result, parameters) \
    __attribute__((visibility("default"))) static result member parameters __asm__(#name);
#include "../each_row.inc"
};

/// The exported names, by the names in the tables.
namespace names {
#define FERRY_EACH_ROW(tier, member, name, result, parameters) inline constexpr const char* member = #name;
#include "../each_row.inc"
} // namespace names
namespace compiler_names {
#define FERRY_EACH_COMPILER_ROW(tier, member, name, result, parameters) \
    inline constexpr const char* member = #name;
#include "../each_row.inc"
} // namespace compiler_names

/// Values that only this vendor's devices have; false if there is none.
bool own_attribute(int attribute, int& value);
/// The library's version, unless FERRY_DOUBLE_RUNTIME_VERSION sets another one.
int library_version();

} // namespace ferry_double

// Counts the call and executes an injected failure.
#define FERRY_DOUBLE_COUNT_NAMED(name)                             \
    static Site& site_of_this = *find_site(name);                  \
    if (const int injected = enter(site_of_this); injected != 0) { \
        return injected;                                           \
    }
#define FERRY_DOUBLE_COUNT(member) FERRY_DOUBLE_COUNT_NAMED(names::member)
#define FERRY_DOUBLE_COMPILER_COUNT(member) FERRY_DOUBLE_COUNT_NAMED(compiler_names::member)

// The same for functions that need a device. There may be no device, none may be current, or it may be lost.
#define FERRY_DOUBLE_ENTER(member)                               \
    FERRY_DOUBLE_COUNT(member)                                   \
    if (device_at(current_device()) == nullptr) {                \
        return world().devices.empty() ? no_device : no_context; \
    }                                                            \
    if (const int lost = current().lost; lost != 0) {            \
        return lost;                                             \
    }
