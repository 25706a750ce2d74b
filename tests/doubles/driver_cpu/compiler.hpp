// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../codes.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ferry_double {

struct Source {
    std::string text, name;
    std::vector<std::pair<std::string, std::string>> headers; ///< name, text
};

struct Compiled {
    int code = 0; ///< of CompilerCode
    std::string log;
    std::vector<char> object;
};

/// Compiles with the host's compiler. Equal inputs are compiled once for all processes that share the folder
/// FERRY_DOUBLE_CACHE.
Compiled compile(const Source& source, const std::vector<std::string>& options);

/// The parameters of one kernel, as a vendor's binary describes them.
struct KernelDescription {
    struct Argument {
        unsigned int size, alignment;
        bool is_pointer;
    };
    std::string name;
    std::vector<Argument> arguments;
};

/// The host's shared object in a vendor's binary.
struct CodeObject {
    std::string architecture;
    std::string shared_object; ///< empty: a file of the vendor's format that this double did not make
};

/// The facts about a vendor's run-time compiler. Each library defines `compiler_facts`.
struct CompilerFacts {
    const char* name;         ///< part of the key in the cache of compiled code
    const char* architecture; ///< default architecture
    const char* prelude;      ///< lines before the prelude of device/
    bool (*known_architecture)(std::string_view name);
    std::vector<std::string> (*macros)(const std::string& architecture);
    /// Translates an option for g++, with "--gpu-architecture=" for the architecture. Empty: the option is
    /// dropped. Nothing: the vendor's compiler does not know it.
    std::optional<std::string> (*option)(const std::string& given);
    std::vector<char> (*make_object)(std::string_view architecture,
                                     const std::vector<KernelDescription>& kernels,
                                     std::string_view shared_object);
    /// Nothing if it is not the vendor's kind of binary, or if it is damaged. Its size is unknown, because
    /// the vendor's functions take only a pointer. Reading past the end of mapped memory is safe.
    std::optional<CodeObject> (*read_object)(const void* image);
};
extern const CompilerFacts compiler_facts;

} // namespace ferry_double
