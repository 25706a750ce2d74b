// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler.hpp"

#include <elf.h>

#include <cstdint>
#include <string>

namespace ferry_double {

struct ElfSection {
    std::string name;
    std::uint32_t type;
    std::string bytes;
};

/// An ELF file with these sections, and the host's shared object in two more. The first section may be a
/// note. `head` has the machine and its flags.
std::vector<char> write_elf(Elf64_Ehdr head, std::vector<ElfSection> sections, std::string_view architecture,
                            std::string_view shared_object);

/// Reads a file made by write_elf(); see CompilerFacts::read_object.
std::optional<CodeObject> read_elf(const void* image, std::uint16_t machine);

/// Copies memory that may be unmapped. Returns false if it is.
bool read_memory(const char* from, void* to, std::size_t bytes);

} // namespace ferry_double
