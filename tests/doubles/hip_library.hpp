// SPDX-License-Identifier: Apache-2.0
#pragma once

// A library with HIP's functions, opened for a test. The rows of the table are members; a missing function is
// null.

#include "ferry_double.h"
#include "hip_types.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace ferry_double {

struct HipLibrary {
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) Result(*hip) parameters;
#define FERRY_HIP_SYMBOL(tier, member, name, result, parameters) result(*name) parameters;
#include "driver/symbols.def"
    ferry_double_inject_function* inject;
    ferry_double_calls_function* calls;
    ferry_double_live_function* live;
    ferry_double_symbol_function* symbol;
};

struct HipCompiler {
#define FERRY_COMPILER_SYMBOL(tier, member, nvrtc, hiprtc, parameters) CompilerResult(*hiprtc) parameters;
#define FERRY_COMPILER_TEXT(tier, member, nvrtc, hiprtc, parameters) const char*(*hiprtc)parameters;
#include "driver/compiler.def"
};

inline void* open_library(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        throw std::runtime_error(dlerror());
    }
    return library;
}

template <class F>
void look_up(void* library, const char* name, F*& function) {
    function = reinterpret_cast<F*>(dlsym(library, name));
}

inline HipLibrary open_hip(const std::string& path) {
    void* library = open_library(path);
    HipLibrary hip{};
#define FERRY_SYMBOL(tier, member, cuda, hip_name, parameters) look_up(library, #hip_name, hip.hip_name);
#define FERRY_HIP_SYMBOL(tier, member, name, result, parameters) look_up(library, #name, hip.name);
#include "driver/symbols.def"
    look_up(library, "ferry_double_inject", hip.inject);
    look_up(library, "ferry_double_calls", hip.calls);
    look_up(library, "ferry_double_live", hip.live);
    look_up(library, "ferry_double_symbol", hip.symbol);
    return hip;
}

inline HipCompiler open_compiler(const std::string& path) {
    void* library = open_library(path);
    HipCompiler compiler{};
#define FERRY_COMPILER_SYMBOL(tier, member, nvrtc, hiprtc, parameters) \
    look_up(library, #hiprtc, compiler.hiprtc);
#define FERRY_COMPILER_TEXT(tier, member, nvrtc, hiprtc, parameters) \
    look_up(library, #hiprtc, compiler.hiprtc);
#include "driver/compiler.def"
    return compiler;
}

} // namespace ferry_double
