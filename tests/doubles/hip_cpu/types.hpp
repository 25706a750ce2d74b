// SPDX-License-Identifier: Apache-2.0
#pragma once

// HIP's types in the exported functions of driver_cpu.

#include "../driver_cpu/work.hpp"
#include "../hip_numbers.hpp"
#include "../hip_types.hpp"

#include <string_view>

#ifndef FERRY_DOUBLE_ABI
#error "FERRY_DOUBLE_ABI is the major version of ROCm that the library stands for: 5, 6 or 7."
#endif

#define FERRY_ROWS_CUDA 0
#ifndef FERRY_DOUBLE_WITH_RUNTIME
#define FERRY_DOUBLE_WITH_RUNTIME 1
#endif
#ifndef FERRY_DOUBLE_WITH_COMPILER
#define FERRY_DOUBLE_WITH_COMPILER (FERRY_DOUBLE_ABI < 7)
#endif
#ifndef FERRY_DOUBLE_REQUIRED_ONLY
#define FERRY_DOUBLE_REQUIRED_ONLY 0
#endif

namespace ferry_double {

// A device address is a pointer, and a context is the ordinal of a device.
inline void* address_of(void* pointer) {
    return pointer;
}
inline const void* address_of(const void* pointer) {
    return pointer;
}
inline Pointer pointer_to(void* address) {
    return address;
}
inline int ordinal_of(Context context) {
    return context;
}
inline Context context_of(int ordinal) {
    return ordinal;
}
inline bool may_be_current(Context context) {
    return device_at(context) != nullptr;
}

constexpr bool external_takes_descriptor = false;
constexpr int lowest_priority = 1;
constexpr int highest_priority = -1;
constexpr int init_without_device = FERRY_DOUBLE_ABI == 5 ? invalid_device : no_device;
/// AMD's compiler sometimes crashes in two simultaneous compilations.
constexpr bool compiler_is_serial = true;
constexpr const char* name_of_devices = "Ferry HIP double on the CPU";
constexpr int compiler_major = 9;
constexpr int compiler_minor = 0;
inline constexpr const char* compiler_errors[] = {"HIPRTC_SUCCESS",
                                                  "HIPRTC_ERROR_OUT_OF_MEMORY",
                                                  "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                                  "HIPRTC_ERROR_INVALID_INPUT",
                                                  "HIPRTC_ERROR_INVALID_PROGRAM",
                                                  "HIPRTC_ERROR_INVALID_OPTION",
                                                  "HIPRTC_ERROR_COMPILATION",
                                                  "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                                  "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                                  "HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                                  "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                                  "HIPRTC_ERROR_INTERNAL_ERROR"};

/// Whether a library of this version does not export the optional rows of a tier (abi5.map, required.map).
inline bool is_hidden(std::string_view tier) {
    if (FERRY_DOUBLE_REQUIRED_ONLY != 0) {
        return tier != "required" && tier != "either_properties";
    }
    return FERRY_DOUBLE_ABI == 5 && tier == "either_properties_r0600";
}

constexpr int code_for(int code) {
    return code;
}

/// AMD's library rejects an array together with an address.
inline int read_box(const BoxCopy& copy, Box& box) {
    if (copy.kind < host_to_host || copy.kind > any) {
        return invalid_copy_direction;
    }
    if (copy.from.array != nullptr || copy.to.array != nullptr) {
        return invalid_value;
    }
    const auto end = [](const BoxCopy::End& from, bool on_device) {
        return Box::End{from.address, from.x, from.y, from.z, from.pitch, from.height, on_device};
    };
    box = {end(copy.from, copy.kind == device_to_host || copy.kind == device_to_device),
           end(copy.to, copy.kind == host_to_device || copy.kind == device_to_device), copy.width,
           copy.height, copy.depth};
    return success;
}

} // namespace ferry_double
