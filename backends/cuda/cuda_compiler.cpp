// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_cubin.hpp"
#include "cuda/cuda_ptx.hpp"
#include "cuda/cuda_vendor.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace ferry::cuda {

namespace {

constexpr const char* variable = "FERRY_NVRTC_LIBRARY";
constexpr int most_architectures = 10'000;

// NVRTC of a later major version than the driver's generates code that the driver cannot load.
std::vector<std::string> names_for(int driver_major) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& file) {
        for (const char* folder : {"", "/usr/local/cuda/lib64/", "/opt/cuda/lib64/"}) {
            names.push_back(folder + file);
        }
    };
    for (int major = driver_major; major >= 12; --major) {
        add("libnvrtc.so." + std::to_string(major));
    }
    for (const char* version : {"11.2", "11.1", "11.0"}) {
        add(std::string("libnvrtc.so.") + version);
    }
    add("libnvrtc.so");
    return names;
}

std::vector<int> architectures_of(const Vendor::Compiler& compiler) {
    int count = 0;
    if (!compiler.architectures || compiler.architecture_count(&count) != driver::result::success ||
        count <= 0 || count > most_architectures) {
        return {};
    }
    std::vector<int> list(static_cast<std::size_t>(count));
    return compiler.architectures(list.data()) == driver::result::success ? list : std::vector<int>();
}

} // namespace

void Vendor::open_compiler(const Api& api, const backend::Libraries& libraries, Compiler& compiler) {
    const int driver_major = api.version / 1000;
    const std::vector<std::string> names = names_for(driver_major);
    std::vector<const char*> pointers;
    pointers.reserve(names.size());
    for (const std::string& name : names) {
        pointers.push_back(name.c_str());
    }
    std::vector<BackendReason> reasons;
    const backend::Library library = backend::Library::open(pointers, libraries.nvrtc, variable, reasons);
    if (!library) {
        compiler.refuse(libraries.nvrtc.value.empty()
                            ? "NVRTC was not found (it comes with the CUDA toolkit); name its file in "
                              "FERRY_NVRTC_LIBRARY"
                            : reasons.front().text);
    } else if (compiler.take(library) && compiler.major_version() > driver_major) {
        compiler.refuse(compiler.note() + " is newer than the driver, which is CUDA " +
                        std::to_string(driver_major));
    }
}

// Translated kernels use neither textures nor the runtime's functions. NVRTC 12.4 and later can omit their
// declarations, which saves 3 ms for every program.
std::string Vendor::translated_options(const Compiler& compiler) {
    return compiler.is_at_least(12, 4) ? "--std=c++17 --minimal" : "--std=c++17";
}

std::string Vendor::oldest_architecture(const Compiler& compiler) {
    const std::vector<int> known = architectures_of(compiler);
    return "compute_" + std::to_string(known.empty() ? 60 : *std::min_element(known.begin(), known.end()));
}

std::string Vendor::oldest_machine(const Compiler& compiler) {
    const std::vector<int> known = architectures_of(compiler);
    return known.empty() || !compiler.cubin
               ? std::string()
               : "sm_" + std::to_string(*std::min_element(known.begin(), known.end()));
}

std::vector<KernelInfo> Vendor::code_kernels(const std::string& image) {
    if (is_ptx(image)) {
        return parse_ptx(image).kernels;
    }
    std::vector<KernelInfo> kernels;
    for (const auto& [name, code] : read_cubin(image)) {
        kernels.emplace_back();
        kernels.back().name = name;
        kernels.back().registers = code.registers;
        kernels.back().local_bytes = code.local_bytes;
    }
    return kernels;
}

driver::Target Vendor::compile_target(const Compiler& compiler, const std::string& architecture,
                                      const std::vector<std::string>& options) {
    if (const auto chosen = driver::architecture_option(options)) {
        return {"", chosen->starts_with("sm_") && compiler.cubin};
    }
    const std::string number = architecture.substr(3);
    const std::vector<int> known = architectures_of(compiler);
    const bool listed = std::find(known.begin(), known.end(), std::stoi(number)) != known.end();
    if (compiler.cubin && listed) {
        return {"--gpu-architecture=sm_" + number, true};
    }
    // PTX for the latest architecture before the device's; the driver compiles it for the device.
    int best = 0;
    for (const int candidate : known) {
        best = candidate < std::stoi(number) ? std::max(best, candidate) : best;
    }
    return {"--gpu-architecture=compute_" + (best != 0 ? std::to_string(best) : number), false};
}

void Vendor::add_include_directories(const Compiler& compiler, std::vector<std::string>& options) {
    // The toolkit's headers are next to its libraries: lib64/libnvrtc.so.13 and include/cuda_fp16.h.
    std::error_code error;
    const std::filesystem::path library = std::filesystem::canonical(compiler.path(), error);
    for (const char* folder : {"include", "targets/x86_64-linux/include"}) {
        const std::filesystem::path headers = library.parent_path().parent_path() / folder;
        if (!error && std::filesystem::exists(headers / "cuda_fp16.h", error)) {
            options.push_back("-I" + headers.string());
            return;
        }
    }
}

} // namespace ferry::cuda
