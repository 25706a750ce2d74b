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

/// Compiles with the host's compiler; equal inputs are compiled once in a process, and once for all processes
/// that share the folder FERRY_DOUBLE_CACHE.
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
    std::string shared_object; ///< empty: a file of the vendor's kind, but not of this double
};

/// The facts about a vendor's run-time compiler. Each library defines `compiler_facts`.
struct CompilerFacts {
    const char* name;         ///< part of the key under which compiled code is kept
    const char* architecture; ///< if the options name none
    const char* prelude;      ///< lines before the prelude of device/
    bool (*known_architecture)(std::string_view name);
    std::vector<std::string> (*macros)(const std::string& architecture);
    /// An option as g++ has it, with "--gpu-architecture=" for the architecture. Empty: it is dropped.
    /// Nothing: the vendor's compiler does not know it.
    std::optional<std::string> (*option)(const std::string& given);
    std::vector<char> (*make_object)(std::string_view architecture,
                                     const std::vector<KernelDescription>& kernels,
                                     std::string_view shared_object);
    /// Nothing if it is not the vendor's kind of binary, or a damaged one of this double. Its size is not
    /// known: the vendor's functions take a pointer. Reading past the end of what is mapped is safe.
    std::optional<CodeObject> (*read_object)(const void* image);
};
extern const CompilerFacts compiler_facts;

} // namespace ferry_double
