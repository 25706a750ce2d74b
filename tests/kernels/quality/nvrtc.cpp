// SPDX-License-Identifier: Apache-2.0
#include "nvrtc.hpp"

#include <dlfcn.h>

#include <chrono>
#include <stdexcept>

namespace quality {
namespace {

template <class Function>
Function* symbol(void* library, const char* name) {
    void* const address = dlsym(library, name);
    if (address == nullptr) {
        throw std::runtime_error(std::string("NVRTC has no ") + name);
    }
    return reinterpret_cast<Function*>(address);
}

std::string text_of(void* library, const char* size_name, const char* name, void* program) {
    std::size_t size = 0;
    symbol<int(void*, std::size_t*)>(library, size_name)(program, &size);
    std::string text(size, '\0');
    symbol<int(void*, char*)>(library, name)(program, text.data());
    return text;
}

} // namespace

Nvrtc::Nvrtc(const std::string& file) : library_(nullptr) {
    const std::vector<std::string> names =
        file.empty() ? std::vector<std::string>{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                                "/usr/local/cuda/lib64/libnvrtc.so"}
                     : std::vector<std::string>{file};
    for (const std::string& name : names) {
        library_ = library_ != nullptr ? library_ : dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    if (library_ == nullptr) {
        throw std::runtime_error("NVRTC was not found; give its file as --nvrtc FILE");
    }
    int major = 0;
    int minor = 0;
    symbol<int(int*, int*)>(library_, "nvrtcVersion")(&major, &minor);
    version_ = std::to_string(major) + "." + std::to_string(minor);
    translated_option_ = major * 100 + minor >= 1204 ? "--minimal" : "";
}

Nvrtc::Result Nvrtc::compile(const std::string& text, const std::string& name,
                             const std::vector<std::string>& options) const {
    using Create = int(void**, const char*, const char*, int, const char* const*, const char* const*);
    std::vector<const char*> words;
    for (const std::string& option : options) {
        words.push_back(option.c_str());
    }
    const auto begin = std::chrono::steady_clock::now();
    void* program = nullptr;
    symbol<Create>(library_, "nvrtcCreateProgram")(&program, text.c_str(), name.c_str(), 0, nullptr, nullptr);
    const int code = symbol<int(void*, int, const char* const*)>(library_, "nvrtcCompileProgram")(
        program, static_cast<int>(words.size()), words.data());
    Result result;
    if (code == 0) {
        result.cubin = text_of(library_, "nvrtcGetCUBINSize", "nvrtcGetCUBIN", program);
        result.milliseconds =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
        result.ptx = text_of(library_, "nvrtcGetPTXSize", "nvrtcGetPTX", program);
    }
    const std::string log = text_of(library_, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog", program);
    symbol<int(void**)>(library_, "nvrtcDestroyProgram")(&program);
    if (code != 0) {
        throw std::runtime_error(name + " does not compile:\n" + log);
    }
    return result;
}

} // namespace quality
