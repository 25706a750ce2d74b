// SPDX-License-Identifier: Apache-2.0
#include "opencl_error.hpp"

#include <algorithm>
#include <array>

namespace ferry::opencl {
namespace {

struct Row {
    cl_int code;
    std::string_view name;
    Code portable;
};

// Codes without a constant in older headers are written as numbers.
constexpr std::array rows{
    Row{CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND", Code::unavailable},
    Row{CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE", Code::device_lost},
    Row{CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE", Code::unsupported},
    Row{CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE", Code::out_of_memory},
    Row{CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES", Code::out_of_memory},
    Row{CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY", Code::out_of_memory},
    Row{CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE", Code::unsupported},
    Row{CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP", Code::invalid_argument},
    Row{CL_IMAGE_FORMAT_MISMATCH, "CL_IMAGE_FORMAT_MISMATCH", Code::invalid_argument},
    Row{CL_IMAGE_FORMAT_NOT_SUPPORTED, "CL_IMAGE_FORMAT_NOT_SUPPORTED", Code::unsupported},
    Row{CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE", Code::build_failed},
    Row{CL_MAP_FAILURE, "CL_MAP_FAILURE", Code::command_failed},
    Row{CL_MISALIGNED_SUB_BUFFER_OFFSET, "CL_MISALIGNED_SUB_BUFFER_OFFSET", Code::unsupported},
    Row{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
        Code::command_failed},
    Row{CL_COMPILE_PROGRAM_FAILURE, "CL_COMPILE_PROGRAM_FAILURE", Code::build_failed},
    Row{CL_LINKER_NOT_AVAILABLE, "CL_LINKER_NOT_AVAILABLE", Code::build_failed},
    Row{CL_LINK_PROGRAM_FAILURE, "CL_LINK_PROGRAM_FAILURE", Code::build_failed},
    Row{CL_DEVICE_PARTITION_FAILED, "CL_DEVICE_PARTITION_FAILED", Code::unsupported},
    Row{CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE", Code::unsupported},
    Row{CL_INVALID_VALUE, "CL_INVALID_VALUE", Code::invalid_argument},
    Row{CL_INVALID_DEVICE_TYPE, "CL_INVALID_DEVICE_TYPE", Code::invalid_argument},
    Row{CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM", Code::internal},
    Row{CL_INVALID_DEVICE, "CL_INVALID_DEVICE", Code::internal},
    Row{CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT", Code::device_lost},
    Row{CL_INVALID_QUEUE_PROPERTIES, "CL_INVALID_QUEUE_PROPERTIES", Code::unsupported},
    Row{CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE", Code::device_lost},
    Row{CL_INVALID_HOST_PTR, "CL_INVALID_HOST_PTR", Code::invalid_argument},
    Row{CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT", Code::invalid_argument},
    Row{CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", Code::invalid_argument},
    Row{CL_INVALID_IMAGE_SIZE, "CL_INVALID_IMAGE_SIZE", Code::invalid_argument},
    Row{CL_INVALID_SAMPLER, "CL_INVALID_SAMPLER", Code::invalid_argument},
    Row{CL_INVALID_BINARY, "CL_INVALID_BINARY", Code::build_failed},
    Row{CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS", Code::build_failed},
    Row{CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM", Code::build_failed},
    Row{CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE", Code::build_failed},
    Row{CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME", Code::not_found},
    Row{CL_INVALID_KERNEL_DEFINITION, "CL_INVALID_KERNEL_DEFINITION", Code::build_failed},
    Row{CL_INVALID_KERNEL, "CL_INVALID_KERNEL", Code::internal},
    Row{CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX", Code::invalid_argument},
    Row{CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE", Code::invalid_argument},
    Row{CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE", Code::invalid_argument},
    Row{CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS", Code::invalid_argument},
    Row{CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION", Code::invalid_argument},
    Row{CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE", Code::invalid_argument},
    Row{CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE", Code::invalid_argument},
    Row{CL_INVALID_GLOBAL_OFFSET, "CL_INVALID_GLOBAL_OFFSET", Code::invalid_argument},
    Row{CL_INVALID_EVENT_WAIT_LIST, "CL_INVALID_EVENT_WAIT_LIST", Code::internal},
    Row{CL_INVALID_EVENT, "CL_INVALID_EVENT", Code::internal},
    Row{CL_INVALID_OPERATION, "CL_INVALID_OPERATION", Code::unsupported},
    Row{CL_INVALID_GL_OBJECT, "CL_INVALID_GL_OBJECT", Code::invalid_argument},
    Row{CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE", Code::out_of_memory},
    Row{CL_INVALID_MIP_LEVEL, "CL_INVALID_MIP_LEVEL", Code::invalid_argument},
    Row{CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE", Code::invalid_argument},
    Row{CL_INVALID_PROPERTY, "CL_INVALID_PROPERTY", Code::invalid_argument},
    Row{CL_INVALID_IMAGE_DESCRIPTOR, "CL_INVALID_IMAGE_DESCRIPTOR", Code::invalid_argument},
    Row{CL_INVALID_COMPILER_OPTIONS, "CL_INVALID_COMPILER_OPTIONS", Code::build_failed},
    Row{CL_INVALID_LINKER_OPTIONS, "CL_INVALID_LINKER_OPTIONS", Code::build_failed},
    Row{CL_INVALID_DEVICE_PARTITION_COUNT, "CL_INVALID_DEVICE_PARTITION_COUNT", Code::invalid_argument},
    Row{-69, "CL_INVALID_PIPE_SIZE", Code::invalid_argument},
    Row{-70, "CL_INVALID_DEVICE_QUEUE", Code::internal},
    Row{-71, "CL_INVALID_SPEC_ID", Code::invalid_argument},
    Row{-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED", Code::invalid_argument},
    Row{-1001, "CL_PLATFORM_NOT_FOUND_KHR", Code::unavailable},
    Row{-9999, "", Code::command_failed}, // NVIDIA: a kernel accessed an invalid address.
};

const Row* find(cl_int code) noexcept {
    const auto* row = std::find_if(rows.begin(), rows.end(), [code](const Row& r) { return r.code == code; });
    return row != rows.end() ? row : nullptr;
}

} // namespace

std::string_view code_name(cl_int code) noexcept {
    const Row* row = find(code);
    return row != nullptr ? row->name : std::string_view();
}

Code portable_code(cl_int code) noexcept {
    const Row* row = find(code);
    return row != nullptr ? row->portable : Code::internal;
}

Error vendor_error(Code code, const char* call, cl_int result, std::string_view what) {
    const std::string_view name = code_name(result);
    std::string message(what);
    message += std::string(what.empty() ? "" : ": ") + call + " returned " + std::to_string(result);
    if (!name.empty()) {
        message += " (" + std::string(name) + ")";
    }
    return {code, message, VendorCall{Backend::opencl, call, result, std::string(name)}};
}

void throw_error(const char* call, cl_int result) {
    throw vendor_error(portable_code(result), call, result);
}

} // namespace ferry::opencl
