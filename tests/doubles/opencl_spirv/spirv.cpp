// SPDX-License-Identifier: Apache-2.0
// An OpenCL library that passes no text to the machine's drivers. It compiles each text to SPIR-V, as `ferry
// compile --target=spirv` does, and builds the program from that. All other functions are forwarded to the
// machine's library.
#include "../opencl_12/real.hpp"

#include <ferry/error.hpp>
#include <ferry/spirv.hpp>

#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

/// A program from text. The driver's own program of the text is only the handle; it is never built.
struct TextProgram {
    cl_context context = nullptr;
    std::string text;
    cl_program built = nullptr; ///< from SPIR-V; null before it is built
    std::string log;
    unsigned uses = 1;
};

struct Programs {
    std::mutex mutex;
    std::map<cl_program, TextProgram> all;
};

Programs& programs() {
    static Programs& made = *new Programs; // never destroyed, because calls may come while the process ends
    return made;
}

/// The program that the driver builds for a handle.
cl_program built_of(cl_program program) {
    const std::lock_guard lock(programs().mutex);
    const auto at = programs().all.find(program);
    return at != programs().all.end() && at->second.built != nullptr ? at->second.built : program;
}

std::vector<std::byte> compiled(TextProgram& program, const char* options) {
    ferry::BuildOptions build;
    build.opencl = options != nullptr ? options : "";
    try {
        ferry::SpirvResult made = ferry::compile_spirv(ferry::Source::opencl_c(program.text), build);
        program.log = std::move(made.diagnostics);
        return std::move(made.module);
    } catch (const ferry::Error& error) {
        program.log = error.what();
        return {};
    }
}

cl_int give(const std::string& text, std::size_t size, void* to, std::size_t* needed) {
    if (to != nullptr && size < text.size() + 1) {
        return CL_INVALID_VALUE;
    }
    if (to != nullptr) {
        std::memcpy(to, text.c_str(), text.size() + 1);
    }
    if (needed != nullptr) {
        *needed = text.size() + 1;
    }
    return CL_SUCCESS;
}

} // namespace

FERRY_OPENCL_12_EXPORT cl_program clCreateProgramWithSource(cl_context context, cl_uint count,
                                                            const char** texts, const std::size_t* sizes,
                                                            cl_int* code) {
    const cl_program made =
        FERRY_OPENCL_12_REAL(clCreateProgramWithSource)(context, count, texts, sizes, code);
    TextProgram program;
    program.context = context;
    for (cl_uint i = 0; i < count; ++i) {
        const bool measured = sizes != nullptr && sizes[i] != 0;
        program.text += measured ? std::string(texts[i], sizes[i]) : std::string(texts[i]);
    }
    const std::lock_guard lock(programs().mutex);
    programs().all[made] = std::move(program);
    return made;
}

FERRY_OPENCL_12_EXPORT cl_int clBuildProgram(cl_program handle, cl_uint count, const cl_device_id* devices,
                                             const char* options, void(CL_CALLBACK* done)(cl_program, void*),
                                             void* user) {
    const auto build = FERRY_OPENCL_12_REAL(clBuildProgram);
    const std::lock_guard lock(programs().mutex);
    const auto at = programs().all.find(handle);
    if (at == programs().all.end()) {
        return build(handle, count, devices, options, done, user);
    }
    TextProgram& program = at->second;
    const std::vector<std::byte> module = compiled(program, options);
    if (module.empty()) {
        return CL_BUILD_PROGRAM_FAILURE;
    }
    cl_int code = CL_SUCCESS;
    const cl_program built =
        FERRY_OPENCL_12_REAL(clCreateProgramWithIL)(program.context, module.data(), module.size(), &code);
    if (code != CL_SUCCESS) {
        return code;
    }
    if (program.built != nullptr) {
        FERRY_OPENCL_12_REAL(clReleaseProgram)(program.built);
    }
    program.built = built;
    program.log.clear();
    return build(built, count, devices, options, done, user);
}

FERRY_OPENCL_12_EXPORT cl_int clRetainProgram(cl_program program) {
    const std::lock_guard lock(programs().mutex);
    const auto at = programs().all.find(program);
    if (at != programs().all.end()) {
        ++at->second.uses;
    }
    return FERRY_OPENCL_12_REAL(clRetainProgram)(program);
}

FERRY_OPENCL_12_EXPORT cl_int clReleaseProgram(cl_program program) {
    const std::lock_guard lock(programs().mutex);
    const auto at = programs().all.find(program);
    if (at != programs().all.end() && --at->second.uses == 0) {
        if (at->second.built != nullptr) {
            FERRY_OPENCL_12_REAL(clReleaseProgram)(at->second.built);
        }
        programs().all.erase(at);
    }
    return FERRY_OPENCL_12_REAL(clReleaseProgram)(program);
}

FERRY_OPENCL_12_EXPORT cl_kernel clCreateKernel(cl_program program, const char* name, cl_int* code) {
    return FERRY_OPENCL_12_REAL(clCreateKernel)(built_of(program), name, code);
}

FERRY_OPENCL_12_EXPORT cl_int clGetProgramInfo(cl_program program, cl_program_info what, std::size_t size,
                                               void* to, std::size_t* needed) {
    return FERRY_OPENCL_12_REAL(clGetProgramInfo)(built_of(program), what, size, to, needed);
}

FERRY_OPENCL_12_EXPORT cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                                    cl_program_build_info what, std::size_t size, void* to,
                                                    std::size_t* needed) {
    {
        const std::lock_guard lock(programs().mutex);
        const auto at = programs().all.find(program);
        if (what == CL_PROGRAM_BUILD_LOG && at != programs().all.end() && !at->second.log.empty()) {
            return give(at->second.log, size, to, needed);
        }
    }
    return FERRY_OPENCL_12_REAL(clGetProgramBuildInfo)(built_of(program), device, what, size, to, needed);
}
