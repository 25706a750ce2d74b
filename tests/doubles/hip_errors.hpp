// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hip_types.hpp"

#include <algorithm>
#include <iterator>

namespace ferry_double {

struct ErrorName {
    int code;
    const char* name;
    const char* text;
};
inline constexpr ErrorName error_names[] = {
    {success, "hipSuccess", "no error"},
    {invalid_value, "hipErrorInvalidValue", "invalid argument"},
    {out_of_memory, "hipErrorOutOfMemory", "out of memory"},
    {not_initialized, "hipErrorNotInitialized", "initialization error"},
    {invalid_configuration, "hipErrorInvalidConfiguration", "invalid configuration argument"},
    {invalid_copy_direction, "hipErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {no_device, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {invalid_device, "hipErrorInvalidDevice", "invalid device ordinal"},
    {invalid_image, "hipErrorInvalidImage", "device kernel image is invalid"},
    {no_binary_for_gpu, "hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device"},
    {invalid_handle, "hipErrorInvalidHandle", "invalid resource handle"},
    {no_context, "hipErrorInvalidContext", "invalid device context"},
    {illegal_state, "hipErrorIllegalState", "the operation cannot be performed in the present state"},
    {unsupported_limit, "hipErrorUnsupportedLimit", "limit is not supported on this architecture"},
    {already_mapped, "hipErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is mapped"},
    {not_mapped, "hipErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {not_found, "hipErrorNotFound", "named symbol not found"},
    {not_ready, "hipErrorNotReady", "device not ready"},
    {illegal_address, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {launch_out_of_resources, "hipErrorLaunchOutOfResources", "too many resources requested for launch"},
    {launch_time_out, "hipErrorLaunchTimeOut", "the launch timed out and was terminated"},
    {peer_access_already_enabled, "hipErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {peer_access_not_enabled, "hipErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {assertion, "hipErrorAssert", "device-side assert triggered"},
    {launch_failure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {not_supported, "hipErrorNotSupported", "operation not supported"},
};

inline const ErrorName& error_of(int code) {
    static constexpr ErrorName unknown_name{unknown, "hipErrorUnknown", "unknown error"};
    const auto* found = std::find_if(std::begin(error_names), std::end(error_names),
                                     [&](const ErrorName& n) { return n.code == code; });
    return found != std::end(error_names) ? *found : unknown_name;
}

} // namespace ferry_double
