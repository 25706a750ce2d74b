// SPDX-License-Identifier: Apache-2.0
#include "../hip_cpu/code_object.hpp"
#include "cuda_prelude.hpp"
#include "forward.hpp"
#include "ptx.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>

namespace {

constexpr int internal_error = compiler_internal;

struct Program {
    void* handle = nullptr;
    std::string text;
    std::string code; ///< the code returned by hiprtcGetCode
};

// The live programs, to recognise invalid handles.
std::mutex& programs_mutex() {
    static std::mutex& mutex = *new std::mutex;
    return mutex;
}
std::set<void*>& programs() {
    static std::set<void*>& all = *new std::set<void*>;
    return all;
}

Program* find(CompilerProgram handle) {
    const std::lock_guard lock(programs_mutex());
    return programs().count(handle) != 0 ? static_cast<Program*>(handle) : nullptr;
}

// NVRTC's codes are equal to hipRTC's up to 11.
int compiler_code(int nvrtc) {
    return nvrtc >= 0 && nvrtc <= 11 ? nvrtc : internal_error;
}

std::string device_architecture() {
    const cuda::Driver& cuda = cuda::driver();
    int device = 0;
    int major = 0;
    int minor = 0;
    if (ready() != 0 || cuda.cuDeviceGet(&device, current_device()) != 0 ||
        cuda.cuDeviceGetAttribute(&major, 75, device) != 0 ||
        cuda.cuDeviceGetAttribute(&minor, 76, device) != 0) {
        return "sm_90";
    }
    return "sm_" + std::to_string(major * 10 + minor);
}

// Translates hipRTC's options for NVRTC. Options that only Clang knows are dropped. hipRTC accepts designated
// initialisers, a C++20 feature, in C++17; NVRTC accepts them in C++20.
std::vector<std::string> translate(int count, Strings options) {
    std::vector<std::string> all{"--gpu-architecture=" + device_architecture(),
                                 "--pre-include=ferry_hip_prelude.h", "-D__HIPCC_RTC__", "-D__HIPCC__",
                                 "-D__HIP__"};
    for (int i = 0; i < count; ++i) {
        const std::string_view option = options[i];
        const auto starts = [&](std::string_view with) { return option.substr(0, with.size()) == with; };
        if ((option == "-D" || option == "-I" || option == "-U") && i + 1 < count) {
            all.push_back(std::string(option) + options[++i]);
        } else if (starts("-D") || starts("-I") || starts("-U")) {
            all.emplace_back(option);
        } else if (starts("-std=")) {
            all.emplace_back(option == "-std=c++17" ? "-std=c++20" : option);
        } else if (option == "-ffast-math") {
            all.emplace_back("--use_fast_math");
        } else if (option == "-ffp-contract=off") {
            all.emplace_back("--fmad=false");
        }
    }
    return all;
}

std::string fetch(int (*size)(void*, std::size_t*), int (*get)(void*, char*), void* program) {
    std::size_t bytes = 0;
    if (size == nullptr || get == nullptr || size(program, &bytes) != 0 || bytes == 0) {
        return {};
    }
    std::string text(bytes, '\0');
    return get(program, text.data()) == 0 ? text : std::string();
}

// A code object like AMD's, with the kernels' arguments, around the cubin. The bare cubin if the arguments
// are unknown.
std::string code_of(const Program& program) {
    const cuda::Compiler& nvrtc = cuda::compiler();
    const std::string cubin = fetch(nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN, program.handle);
    const std::string ptx = fetch(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program.handle);
    const auto kernels = kernels_of(ptx, program.text);
    if (!cubin.empty() && !ptx.empty() && kernels) {
        const std::vector<char> object = make_code_object("gfx000", *kernels, cubin);
        return {object.begin(), object.end()};
    }
    return cubin.empty() ? ptx : cubin;
}

} // namespace

CompilerResult hiprtcVersion(int* major, int* minor) {
    FERRY_DOUBLE_COUNT(hiprtcVersion)
    *major = 9;
    *minor = 0;
    return cuda::compiler().missing.empty() ? 0 : internal_error;
}

const char* hiprtcGetErrorString(CompilerResult error) {
    const cuda::Compiler& nvrtc = cuda::compiler();
    return nvrtc.nvrtcGetErrorString != nullptr ? nvrtc.nvrtcGetErrorString(error) : "NVRTC is not there";
}

CompilerResult hiprtcCreateProgram(CompilerProgram* program, const char* text, const char* name,
                                   int header_count, Strings headers, Strings header_names) {
    FERRY_DOUBLE_COUNT(hiprtcCreateProgram)
    const cuda::Compiler& nvrtc = cuda::compiler();
    if (nvrtc.nvrtcCreateProgram == nullptr) {
        return internal_error;
    }
    std::vector<const char*> texts(headers, headers + header_count);
    std::vector<const char*> names(header_names, header_names + header_count);
    texts.insert(texts.end(), {cuda_prelude, ""});
    names.insert(names.end(), {"ferry_hip_prelude.h", "hip/hip_runtime.h"});
    auto made = std::make_unique<Program>();
    made->text = text;
    const int code = nvrtc.nvrtcCreateProgram(&made->handle, text, name, static_cast<int>(texts.size()),
                                              texts.data(), names.data());
    if (code == 0) {
        const std::lock_guard lock(programs_mutex());
        programs().insert(made.get());
        *program = made.release();
    }
    return compiler_code(code);
}

CompilerResult hiprtcDestroyProgram(CompilerProgram* program) {
    FERRY_DOUBLE_COUNT(hiprtcDestroyProgram)
    const std::unique_ptr<Program> found(program != nullptr ? find(*program) : nullptr);
    if (found == nullptr) {
        return compiler_invalid_program;
    }
    const std::lock_guard lock(programs_mutex());
    programs().erase(found.get());
    *program = nullptr;
    return compiler_code(cuda::compiler().nvrtcDestroyProgram(&found->handle));
}

CompilerResult hiprtcCompileProgram(CompilerProgram program, int count, Strings options) {
    FERRY_DOUBLE_COUNT(hiprtcCompileProgram)
    Program* found = find(program);
    if (found == nullptr) {
        return compiler_invalid_program;
    }
    const std::vector<std::string> translated = translate(count, options);
    std::vector<const char*> pointers;
    for (const std::string& option : translated) {
        pointers.push_back(option.c_str());
    }
    const int code = cuda::compiler().nvrtcCompileProgram(found->handle, static_cast<int>(pointers.size()),
                                                          pointers.data());
    found->code = code == 0 ? code_of(*found) : std::string();
    return compiler_code(code);
}

CompilerResult hiprtcGetProgramLogSize(CompilerProgram program, std::size_t* bytes) {
    FERRY_DOUBLE_COUNT(hiprtcGetProgramLogSize)
    const Program* found = find(program);
    return found != nullptr ? compiler_code(cuda::compiler().nvrtcGetProgramLogSize(found->handle, bytes))
                            : static_cast<int>(compiler_invalid_program);
}

CompilerResult hiprtcGetProgramLog(CompilerProgram program, char* text) {
    FERRY_DOUBLE_COUNT(hiprtcGetProgramLog)
    const Program* found = find(program);
    return found != nullptr ? compiler_code(cuda::compiler().nvrtcGetProgramLog(found->handle, text))
                            : static_cast<int>(compiler_invalid_program);
}

CompilerResult hiprtcGetCodeSize(CompilerProgram program, std::size_t* bytes) {
    FERRY_DOUBLE_COUNT(hiprtcGetCodeSize)
    const Program* found = find(program);
    if (found == nullptr || found->code.empty()) {
        return compiler_invalid_program;
    }
    *bytes = found->code.size();
    return 0;
}

CompilerResult hiprtcGetCode(CompilerProgram program, char* code) {
    FERRY_DOUBLE_COUNT(hiprtcGetCode)
    const Program* found = find(program);
    if (found == nullptr || found->code.empty()) {
        return compiler_invalid_program;
    }
    std::memcpy(code, found->code.data(), found->code.size());
    return 0;
}
