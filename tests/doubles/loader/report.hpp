// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../support/child.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace loader {

using Variables = std::vector<std::pair<std::string, std::optional<std::string>>>;

/// Runs this program with `what` as its argument (see main.cpp). Of Ferry's variables, its environment has
/// only these. The program first applies `settings` ("hip_library=/path").
inline support::ChildResult run_self(const char* what, const Variables& variables,
                                     const std::vector<std::string>& settings = {}) {
    support::Child child;
    child.arguments = {what};
    child.arguments.insert(child.arguments.end(), settings.begin(), settings.end());
    for (const char* name :
         {"FERRY_BACKEND", "FERRY_DEVICE", "FERRY_CUDA_LIBRARY", "FERRY_NVRTC_LIBRARY", "FERRY_HIP_LIBRARY",
          "FERRY_HIPRTC_LIBRARY", "FERRY_OPENCL_LIBRARY", "FERRY_VULKAN_LIBRARY"}) {
        child.environment.emplace_back(name, std::nullopt);
    }
    child.environment.insert(child.environment.end(), variables.begin(), variables.end());
    return support::run(child);
}

inline support::ChildResult report(const Variables& variables,
                                   const std::vector<std::string>& settings = {}) {
    return run_self("--report", variables, settings);
}

/// The names passed to dlopen() in a run with LD_DEBUG=files, in order.
inline std::vector<std::string> opened(const std::string& output) {
    const std::string before = "file=";
    std::vector<std::string> names;
    std::size_t start = 0;
    while (start < output.size()) {
        const std::size_t end = std::min(output.find('\n', start), output.size());
        const std::string line = output.substr(start, end - start);
        start = end + 1;
        const std::size_t file = line.find(before);
        if (file == std::string::npos || line.find("dynamically loaded by") == std::string::npos) {
            continue;
        }
        const std::size_t name = file + before.size();
        names.push_back(line.substr(name, line.find(' ', name) - name));
    }
    return names;
}

/// A path that CMake passes to the test in a variable.
inline std::string path(const char* variable) {
    const char* text = std::getenv(variable);
    return text != nullptr ? text : "";
}

// Offsets in an ELF header.
constexpr std::size_t elf_class = 4;
constexpr std::size_t byte_order = 5;
constexpr std::size_t machine = 18;

/// A copy of a real shared library with other bytes at these offsets of its header.
inline std::string changed_library(const std::string& name,
                                   const std::vector<std::pair<std::size_t, int>>& changes) {
    std::ifstream from(path("FERRY_TEST_LACKING"), std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(from), {});
    for (const auto& [place, value] : changes) {
        bytes[place] = static_cast<char>(value);
    }
    std::string file = path("FERRY_TEST_FOLDER") + "/" + name;
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file;
}

/// The name of this program's processor, as in the library's messages.
inline std::string own_machine() {
#if defined(__x86_64__)
    return "x86-64, 64 bit";
#elif defined(__aarch64__)
    return "ARM64, 64 bit";
#else
    return "";
#endif
}

/// Copies a library to a separate folder, so that the loader finds it by its name.
inline void copy_library(const std::string& library, const std::string& folder, const std::string& name) {
    std::filesystem::create_directories(folder);
    std::filesystem::copy_file(library, folder + "/" + name,
                               std::filesystem::copy_options::overwrite_existing);
}

} // namespace loader
