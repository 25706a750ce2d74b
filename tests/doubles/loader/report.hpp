// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../support/child.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace loader {

using Variables = std::vector<std::pair<std::string, std::optional<std::string>>>;

/// This program again with `--report`, in an environment that has of Ferry's variables these only, after it
/// has set for itself what `settings` says ("hip_library=/path").
inline support::ChildResult report(Variables variables, const std::vector<std::string>& settings = {}) {
    support::Child child;
    child.arguments = {"--report"};
    child.arguments.insert(child.arguments.end(), settings.begin(), settings.end());
    for (const char* name : {"FERRY_BACKEND", "FERRY_DEVICE", "FERRY_CUDA_LIBRARY", "FERRY_NVRTC_LIBRARY",
                             "FERRY_HIP_LIBRARY", "FERRY_HIPRTC_LIBRARY", "FERRY_OPENCL_LIBRARY"}) {
        child.environment.emplace_back(name, std::nullopt);
    }
    child.environment.insert(child.environment.end(), variables.begin(), variables.end());
    return support::run(child);
}

/// A path that CMake gave to the test by a variable.
inline std::string path(const char* variable) {
    const char* text = std::getenv(variable);
    return text != nullptr ? text : "";
}

// Where an ELF header has what.
constexpr std::size_t elf_class = 4;
constexpr std::size_t byte_order = 5;
constexpr std::size_t machine = 18;

/// A real shared library with other bytes at these places of its header.
inline std::string changed_library(const std::string& name,
                                   const std::vector<std::pair<std::size_t, int>>& changes) {
    std::ifstream from(path("FERRY_TEST_LACKING"), std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(from), {});
    for (const auto& [place, value] : changes) {
        bytes[place] = static_cast<char>(value);
    }
    const std::string file = path("FERRY_TEST_FOLDER") + "/" + name;
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file;
}

/// What this program is compiled for, in the library's words.
inline std::string own_machine() {
#if defined(__x86_64__)
    return "x86-64, 64 bit";
#elif defined(__aarch64__)
    return "ARM64, 64 bit";
#else
    return "";
#endif
}

/// A copy of a library in a folder of its own, for the loader to find by its name.
inline void copy_library(const std::string& library, const std::string& folder, const std::string& name) {
    std::filesystem::create_directories(folder);
    std::filesystem::copy_file(library, folder + "/" + name,
                               std::filesystem::copy_options::overwrite_existing);
}

} // namespace loader
