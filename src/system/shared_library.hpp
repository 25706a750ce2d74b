// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ferry::detail {

/// When the functions that a library calls are resolved. `lazy`: at the first call, so that a library with a
/// missing function opens too.
enum class Binding : std::uint8_t { now, lazy };

/// Opens a library with its own scope of symbols (RTLD_LOCAL). On failure, returns null and sets `problem` to
/// the loader's message.
void* open_library(const char* name, std::string& problem, Binding binding = Binding::now);
/// Opens a library only if the process has loaded it already, otherwise returns null.
void* loaded_library(const char* name) noexcept;
/// The exported symbol, or null.
void* symbol_of(void* library, const char* name) noexcept;
/// The file that the library came from. Empty if the loader does not report it.
std::string file_of_library(void* library);
/// The files that are loaded in this process, in the order in which they were loaded.
std::vector<std::string> loaded_files();
/// The file of the library with the code or data at `address`. Empty for the program itself.
std::string library_with(const void* address);
/// The file with the code or data at `address`. Empty if the loader does not know it.
std::string file_with(const void* address);

} // namespace ferry::detail
