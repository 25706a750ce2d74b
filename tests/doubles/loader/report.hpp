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

/// This program again with `--report`, in an environment that has of Ferry's variables these only.
inline support::ChildResult report(Variables variables) {
    support::Child child;
    child.arguments = {"--report"};
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

/// A shared library for a processor that this is not: a real one with another machine in its header.
inline std::string foreign_library() {
    std::ifstream from(path("FERRY_TEST_LACKING"), std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(from), {});
    constexpr std::size_t machine = 18;
    bytes[machine] = static_cast<char>(243); // RISC-V
    bytes[machine + 1] = 0;
    const std::string name = path("FERRY_TEST_FOLDER") + "/libforeign.so";
    std::ofstream(name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return name;
}

/// A copy of a library in a folder of its own, for the loader to find by its name.
inline void copy_library(const std::string& library, const std::string& folder, const std::string& name) {
    std::filesystem::create_directories(folder);
    std::filesystem::copy_file(library, folder + "/" + name,
                               std::filesystem::copy_options::overwrite_existing);
}

} // namespace loader
