// SPDX-License-Identifier: Apache-2.0
// Queries with different results on a driver of OpenCL 1.2. The library reports version 1.2, hides later
// extensions, and rejects the numbers of later versions.
#include "faults.hpp"
#include "real.hpp"

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::string version() {
    const char* const said = std::getenv("FERRY_DOUBLE_OPENCL_VERSION");
    return said != nullptr ? said : "1.2";
}

/// Replaces the version in a text like "OpenCL 3.0 and more". `before` is the text before the number.
std::string with_version(const std::string& text, std::string_view before) {
    const std::size_t rest = text.find(' ', before.size());
    return std::string(before) + version() + (rest == std::string::npos ? "" : text.substr(rest));
}

/// Keeps the extensions that OpenCL 1.2 had.
std::string old_extensions(const std::string& list) {
    constexpr std::string_view old[] = {"cl_khr_3d_image_writes",
                                        "cl_khr_byte_addressable_store",
                                        "cl_khr_fp16",
                                        "cl_khr_fp64",
                                        "cl_khr_global_int32_base_atomics",
                                        "cl_khr_global_int32_extended_atomics",
                                        "cl_khr_icd",
                                        "cl_khr_int64_base_atomics",
                                        "cl_khr_int64_extended_atomics",
                                        "cl_khr_local_int32_base_atomics",
                                        "cl_khr_local_int32_extended_atomics"};
    std::istringstream words(list);
    std::string kept;
    for (std::string word; words >> word;) {
        for (const std::string_view known : old) {
            kept += word == known ? (kept.empty() ? word : " " + word) : "";
        }
    }
    return kept;
}

/// The text returned by get(size, to, needed), changed by `change`, in the form of the caller's own query.
template <class Get, class Change>
cl_int changed_text(Get get, Change change, std::size_t size, void* to, std::size_t* needed) {
    std::size_t bytes = 0;
    if (const cl_int code = get(0, nullptr, &bytes); code != CL_SUCCESS) {
        return code;
    }
    std::vector<char> text(bytes + 1, '\0');
    if (const cl_int code = get(bytes, text.data(), nullptr); code != CL_SUCCESS) {
        return code;
    }
    const std::string changed = change(std::string(text.data()));
    if (to != nullptr) {
        if (size < changed.size() + 1) {
            return CL_INVALID_VALUE;
        }
        std::memcpy(to, changed.c_str(), changed.size() + 1);
    }
    if (needed != nullptr) {
        *needed = changed.size() + 1;
    }
    return CL_SUCCESS;
}

bool is_later_language(const char* options) {
    const char* const chosen = options != nullptr ? std::strstr(options, "-cl-std=") : nullptr;
    return chosen != nullptr && std::strncmp(chosen, "-cl-std=CL1.", 12) != 0;
}

} // namespace

FERRY_OPENCL_12_EXPORT cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size,
                                                void* to, size_t* needed) {
    constexpr cl_platform_info icd_suffix = 0x0920;
    if (what > CL_PLATFORM_EXTENSIONS && what != icd_suffix) {
        return CL_INVALID_VALUE;
    }
    const auto get = [&](size_t s, void* t, size_t* n) {
        return FERRY_OPENCL_12_REAL(clGetPlatformInfo)(platform, what, s, t, n);
    };
    const auto change = [&](const std::string& text) {
        return what == CL_PLATFORM_VERSION      ? with_version(text, "OpenCL ")
               : what == CL_PLATFORM_EXTENSIONS ? old_extensions(text)
                                                : text;
    };
    return changed_text(get, change, size, to, needed);
}

FERRY_OPENCL_12_EXPORT cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void* to,
                                              size_t* needed) {
    if (what > CL_DEVICE_PRINTF_BUFFER_SIZE) {
        return CL_INVALID_VALUE;
    }
    const auto get = [&](size_t s, void* t, size_t* n) {
        return FERRY_OPENCL_12_REAL(clGetDeviceInfo)(device, what, s, t, n);
    };
    switch (what) {
    case CL_DEVICE_VERSION:
        return changed_text(
            get, [](const std::string& text) { return with_version(text, "OpenCL "); }, size, to, needed);
    case CL_DEVICE_OPENCL_C_VERSION:
        return changed_text(
            get, [](const std::string& text) { return with_version(text, "OpenCL C "); }, size, to, needed);
    case CL_DEVICE_EXTENSIONS:
        return changed_text(get, old_extensions, size, to, needed);
    default:
        return get(size, to, needed);
    }
}

FERRY_OPENCL_12_EXPORT void* clGetExtensionFunctionAddressForPlatform(cl_platform_id, const char*) {
    return nullptr;
}

FERRY_OPENCL_12_EXPORT cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host,
                                             cl_int* code) {
    if (flags >= 2 * CL_MEM_HOST_NO_ACCESS) {
        if (code != nullptr) {
            *code = CL_INVALID_VALUE;
        }
        return nullptr;
    }
    return FERRY_OPENCL_12_REAL(clCreateBuffer)(context, flags, size, host, code);
}

FERRY_OPENCL_12_EXPORT cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices,
                                             const char* options, void(CL_CALLBACK* done)(cl_program, void*),
                                             void* user) {
    return is_later_language(options)
               ? CL_INVALID_BUILD_OPTIONS
               : FERRY_OPENCL_12_REAL(clBuildProgram)(program, count, devices, options, done, user);
}

FERRY_OPENCL_12_EXPORT cl_int clCompileProgram(cl_program program, cl_uint count, const cl_device_id* devices,
                                               const char* options, cl_uint header_count,
                                               const cl_program* headers, const char** names,
                                               void(CL_CALLBACK* done)(cl_program, void*), void* user) {
    return is_later_language(options)
               ? CL_INVALID_COMPILER_OPTIONS
               : FERRY_OPENCL_12_REAL(clCompileProgram)(program, count, devices, options, header_count,
                                                        headers, names, done, user);
}

// Queries of 1.2 end with this number.
#define FERRY_OPENCL_12_INFO(name, object, last)                                                            \
    FERRY_OPENCL_12_EXPORT cl_int name(object from, cl_uint what, size_t size, void* to, size_t* needed) {  \
        return what > (last) ? CL_INVALID_VALUE : FERRY_OPENCL_12_REAL(name)(from, what, size, to, needed); \
    }
FERRY_OPENCL_12_INFO(clGetContextInfo, cl_context, CL_CONTEXT_NUM_DEVICES)
FERRY_OPENCL_12_INFO(clGetCommandQueueInfo, cl_command_queue, CL_QUEUE_PROPERTIES)
FERRY_OPENCL_12_INFO(clGetMemObjectInfo, cl_mem, CL_MEM_OFFSET)
FERRY_OPENCL_12_INFO(clGetProgramInfo, cl_program, CL_PROGRAM_KERNEL_NAMES)
FERRY_OPENCL_12_INFO(clGetKernelInfo, cl_kernel, CL_KERNEL_ATTRIBUTES)
FERRY_OPENCL_12_INFO(clGetEventProfilingInfo, cl_event, CL_PROFILING_COMMAND_END)
#undef FERRY_OPENCL_12_INFO

FERRY_OPENCL_12_EXPORT cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void* to,
                                             size_t* needed) {
    if (what > CL_EVENT_CONTEXT) {
        return CL_INVALID_VALUE;
    }
    const cl_int code = FERRY_OPENCL_12_REAL(clGetEventInfo)(event, what, size, to, needed);
    if (code == CL_SUCCESS && what == CL_EVENT_COMMAND_EXECUTION_STATUS && to != nullptr) {
        auto& status = *static_cast<cl_int*>(to);
        if (const cl_int failed = failed_status(event); failed != CL_SUCCESS && status == CL_COMPLETE) {
            status = failed;
        }
    }
    return code;
}

#define FERRY_OPENCL_12_INFO(name, object, last)                                                    \
    FERRY_OPENCL_12_EXPORT cl_int name(object from, cl_device_id device, cl_uint what, size_t size, \
                                       void* to, size_t* needed) {                                  \
        return what > (last) ? CL_INVALID_VALUE                                                     \
                             : FERRY_OPENCL_12_REAL(name)(from, device, what, size, to, needed);    \
    }
FERRY_OPENCL_12_INFO(clGetProgramBuildInfo, cl_program, CL_PROGRAM_BINARY_TYPE)
FERRY_OPENCL_12_INFO(clGetKernelWorkGroupInfo, cl_kernel, CL_KERNEL_GLOBAL_WORK_SIZE)
