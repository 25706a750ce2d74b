// SPDX-License-Identifier: Apache-2.0
// The functions that only HIP has.
#include "../driver_cpu/environment.hpp"
#include "../driver_cpu/exports.hpp"
#include "../hip_errors.hpp"

#include <cstdio>
#include <cstring>

namespace ferry_double {

namespace {

int fill_properties(void* properties, int ordinal, std::size_t size, std::size_t architecture_at) {
    if (properties == nullptr || device_at(ordinal) == nullptr) {
        return properties == nullptr ? invalid_value : invalid_device;
    }
    auto* bytes = static_cast<char*>(properties);
    std::memset(bytes, 0, size);
    std::snprintf(bytes, 256, "%s", name_of_devices);
    std::snprintf(bytes + architecture_at, 256, "%s", world().architecture.c_str());
    return success;
}

} // namespace

bool own_attribute(int attribute, int& value) {
    value = 1;
    return attribute == attribute_fine_grain_support;
}

int library_version() {
    return FERRY_DOUBLE_ABI == 5 ? 50731921 : FERRY_DOUBLE_ABI == 6 ? 60342134 : 70051831;
}

Result Rows::runtime_version(int* version) {
    FERRY_DOUBLE_COUNT(runtime_version)
    *version = static_cast<int>(number_from("FERRY_DOUBLE_RUNTIME_VERSION", library_version()));
    return success;
}

const char* Rows::error_name(Result error) {
    return error_of(error).name;
}

// Returns the name of the error up to version 5.
const char* Rows::error_text(Result error) {
    return FERRY_DOUBLE_ABI == 5 ? error_of(error).name : error_of(error).text;
}

Result Rows::properties_r0600(Properties* properties, int ordinal) {
    FERRY_DOUBLE_COUNT(properties_r0600)
    return fill_properties(properties, ordinal, 1472, 1160);
}

// The old layout, which newer libraries also have.
Result Rows::properties(Properties* properties, int ordinal) {
    FERRY_DOUBLE_COUNT(properties)
    return fill_properties(properties, ordinal, 792, 396);
}

Result Rows::copy_any(void* to, const void* from, std::size_t bytes, CopyKind kind, Stream stream) {
    FERRY_DOUBLE_ENTER(copy_any)
    if (kind < host_to_host || kind > any) {
        return invalid_copy_direction;
    }
    return enqueue_copy(site_of_this.name, to, from, bytes, kind, stream);
}

} // namespace ferry_double
