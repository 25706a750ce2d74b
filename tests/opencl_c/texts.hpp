// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

// The texts of right.txt and wrong.txt.
namespace opencl_c_tests {

inline std::string read(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    REQUIRE_MESSAGE(in, path.string());
    return text.str();
}

inline std::vector<std::string> lines(const char* name) {
    std::istringstream in(read(std::filesystem::path(FERRY_OPENCL_C_TESTS) / name));
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) {
        if (!line.empty() && !line.starts_with("# ")) {
            all.push_back(line);
        }
    }
    REQUIRE(all.size() > 50);
    return all;
}

inline std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text.erase(0, text.find_first_not_of(' '));
}

inline std::string framed(std::string text) {
    for (std::size_t at = text.find("\\n"); at != std::string::npos; at = text.find("\\n", at)) {
        const bool in_string = at + 2 < text.size() && text[at + 2] == '"';
        text.replace(at, in_string ? 0 : 2, in_string ? "" : "\n");
        at += in_string ? 2 : 1;
    }
    if (!text.starts_with("K{")) {
        return text;
    }
    return "kernel void k(global int* o, global float* f, float4 v, int n, uint u) {" +
           text.substr(2, text.size() - 3) + "}";
}

} // namespace opencl_c_tests
