// SPDX-License-Identifier: Apache-2.0
#include "cuda_library.hpp"

#include "../driver_cpu/environment.hpp"

#include <dlfcn.h>

namespace ferry_double::cuda {

namespace {

void* open_first(const std::vector<std::string>& names, std::string& missing) {
    for (const std::string& name : names) {
        if (void* library = name.empty() ? nullptr : dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
            library != nullptr) {
            return library;
        }
    }
    missing = names.back();
    return nullptr;
}

// Functions of the table that an old library lacks are null. Their callers check this.
template <class F>
void look_up(void* library, const char* name, F*& function) {
    function = library != nullptr ? reinterpret_cast<F*>(dlsym(library, name)) : nullptr;
}

Driver open_driver() {
    Driver made;
    void* library = open_first({text_from("FERRY_DOUBLE_CUDA_LIBRARY", "libcuda.so.1")}, made.missing);
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) look_up(library, #cuda, made.cuda);
#define FERRY_CUDA_SYMBOL(tier, member, name, result, parameters) look_up(library, #name, made.name);
#include "driver/symbols.def"
    return made;
}

Compiler open_compiler() {
    Compiler made;
    void* library =
        open_first({text_from("FERRY_DOUBLE_NVRTC_LIBRARY", ""), "libnvrtc.so.13", "libnvrtc.so.12",
                    "/usr/local/cuda/lib64/libnvrtc.so", "/usr/local/cuda/lib/libnvrtc.so", "libnvrtc.so"},
                   made.missing);
#define FERRY_COMPILER_SYMBOL(tier, member, nvrtc, hiprtc, parameters) look_up(library, #nvrtc, made.nvrtc);
#define FERRY_COMPILER_TEXT(tier, member, nvrtc, hiprtc, parameters) look_up(library, #nvrtc, made.nvrtc);
#define FERRY_NVRTC_SYMBOL(tier, member, name, result, parameters) look_up(library, #name, made.name);
#include "driver/compiler.def"
    return made;
}

} // namespace

const Driver& driver() {
    static const Driver& only = *new Driver(open_driver());
    return only;
}

const Compiler& compiler() {
    static const Compiler& only = *new Compiler(open_compiler());
    return only;
}

} // namespace ferry_double::cuda
