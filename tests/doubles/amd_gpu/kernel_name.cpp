// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"
#include "fault.hpp"

#include <elf.h>

#include <cstring>

namespace amd_gpu {
namespace {

// The symbols of a code object as the loader leaves it in memory: nothing is relocated in its dynamic
// section.
struct Symbols {
    const u8* image;
    u64 size;
    u64 symbols = 0, strings = 0, hash = 0;

    bool inside(u64 offset, u64 bytes) const { return offset <= size && bytes <= size - offset; }
    template <class T>
    bool read(u64 offset, T& value) const {
        if (!inside(offset, sizeof value)) {
            return false;
        }
        std::memcpy(&value, image + offset, sizeof value);
        return true;
    }
    bool find_tables() {
        Elf64_Ehdr header;
        if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
            return false;
        }
        for (unsigned i = 0; i < header.e_phnum; ++i) {
            Elf64_Phdr segment;
            if (!read(header.e_phoff + i * sizeof segment, segment) || segment.p_type != PT_DYNAMIC) {
                continue;
            }
            Elf64_Dyn entry;
            for (u64 at = segment.p_vaddr; read(at, entry) && entry.d_tag != DT_NULL; at += sizeof entry) {
                u64* const table = entry.d_tag == DT_SYMTAB   ? &symbols
                                   : entry.d_tag == DT_STRTAB ? &strings
                                   : entry.d_tag == DT_HASH   ? &hash
                                                              : nullptr;
                if (table != nullptr) {
                    *table = entry.d_un.d_ptr;
                }
            }
        }
        return symbols != 0 && strings != 0 && hash != 0;
    }
    std::string name_at(u64 offset) const {
        u32 counts[2]; // of buckets, of symbols
        for (unsigned i = 0; read(hash, counts) && i < counts[1]; ++i) {
            Elf64_Sym symbol;
            if (read(symbols + i * sizeof symbol, symbol) && symbol.st_value == offset &&
                symbol.st_name != 0 && inside(strings + symbol.st_name, 1)) {
                const char* const text = reinterpret_cast<const char*>(image + strings + symbol.st_name);
                return std::string(text, strnlen(text, size - strings - symbol.st_name));
            }
        }
        return {};
    }
};

} // namespace

std::string kernel_name(AddressView& memory, u64 address) {
    const Range* const range = memory.find(address, 1);
    if (range != nullptr) {
        Symbols symbols{range->host, range->end - range->begin};
        if (symbols.find_tables()) {
            std::string name = symbols.name_at(address - range->begin);
            if (const auto suffix = name.rfind(".kd"); suffix != std::string::npos) {
                name.resize(suffix);
            }
            if (!name.empty()) {
                return name;
            }
        }
    }
    return "at " + hexadecimal(address);
}

} // namespace amd_gpu
