// SPDX-License-Identifier: Apache-2.0
#include "driver/driver_image.hpp"

#include "system/elf.hpp"

#include <cstdint>
#include <cstring>

namespace ferry::driver {
namespace {

constexpr std::uint32_t fat_binary_magic = 0xBA55ED50;

/// Magic number and sizes at the start of a fat binary.
struct FatBinaryHeader {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_bytes;
    std::uint64_t content_bytes;
};

template <class T>
bool read(std::string_view image, std::uint64_t offset, T& value) {
    if (offset > image.size() || image.size() - offset < sizeof value) {
        return false;
    }
    std::memcpy(&value, image.data() + offset, sizeof value);
    return true;
}

bool is_inside(std::string_view image, std::uint64_t offset, std::uint64_t bytes) {
    return offset <= image.size() && bytes <= image.size() - offset;
}

bool is_complete_elf(std::string_view image) {
    Elf64_Ehdr header;
    if (!read(image, 0, header) || header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shnum == 0) {
        return false;
    }
    for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr section;
        if (!read(image, header.e_shoff + i * header.e_shentsize, section) ||
            (section.sh_type != SHT_NOBITS && !is_inside(image, section.sh_offset, section.sh_size))) {
            return false;
        }
    }
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment;
        if (!read(image, header.e_phoff + i * header.e_phentsize, segment) ||
            !is_inside(image, segment.p_offset, segment.p_filesz)) {
            return false;
        }
    }
    return true;
}

} // namespace

std::string image_problem(std::string_view image, bool other_forms) {
    constexpr const char* cut_short =
        "a binary that is not complete: its headers speak of more than is there";
    if (image.starts_with(std::string_view(ELFMAG, SELFMAG))) {
        return is_complete_elf(image) ? "" : cut_short;
    }
    FatBinaryHeader fat;
    if (read(image, 0, fat) && fat.magic == fat_binary_magic) {
        return is_inside(image, fat.header_bytes, fat.content_bytes) ? "" : cut_short;
    }
    return other_forms ? "" : "neither an ELF file (cubin) nor a fat binary";
}

} // namespace ferry::driver
