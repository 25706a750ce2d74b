// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

// What the samples need of the operating system. Sample programs link only Ferry's public interface, which
// has none of it.
namespace sample {

/// Whether standard error is a terminal.
bool person_watches();

/// Opens a library at run time. On failure, returns null and sets `why` to the loader's message.
void* open_library(const char* name, std::string& why);
/// The exported symbol, or null.
void* symbol_of(void* library, const char* name);

/// How a child program ended.
struct ChildResult {
    int status = 0; ///< exit status; meaningless if `ended_by` is not empty
    std::string
        ended_by;       ///< "signal 11 (Segmentation fault)", "the time limit of 120 s"; empty after an exit
    std::string output; ///< standard output and error together
    double seconds = 0;
};

/// Runs a program until it ends, or kills it when `limit` has passed. Throws std::system_error if it cannot
/// be started.
ChildResult run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                      std::chrono::seconds limit);

} // namespace sample
