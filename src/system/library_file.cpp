// SPDX-License-Identifier: Apache-2.0
#include "system/library_file.hpp"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>

namespace ferry::backend {
namespace {

/// The first bytes of an ELF file, up to the machine number, which are the same for all classes.
using Header = std::array<unsigned char, EI_NIDENT + 4>;

std::string first_bytes(const std::string& path, std::size_t most) {
    std::string bytes(most, '\0');
    std::ifstream in(path, std::ios::binary);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(in.is_open() ? static_cast<std::size_t>(in.gcount()) : 0);
    return bytes;
}

unsigned machine_number(const Header& header) {
    const unsigned first = header[EI_NIDENT + 2];
    const unsigned second = header[EI_NIDENT + 3];
    return header[EI_DATA] == ELFDATA2MSB ? first << 8 | second : second << 8 | first;
}

/// "RISC-V, 64 bit"
std::string machine(const Header& header) {
    struct Name {
        unsigned number;
        const char* name;
    };
    constexpr unsigned loongarch = 258; // Not in every elf.h.
    constexpr Name names[] = {{EM_X86_64, "x86-64"},   {EM_386, "x86"},      {EM_AARCH64, "ARM64"},
                              {EM_ARM, "ARM"},         {EM_RISCV, "RISC-V"}, {EM_PPC64, "POWER"},
                              {EM_PPC, "PowerPC"},     {EM_S390, "s390"},    {EM_MIPS, "MIPS"},
                              {loongarch, "LoongArch"}};
    const unsigned number = machine_number(header);
    std::string text = "machine number " + std::to_string(number);
    for (const Name& known : names) {
        if (known.number == number) {
            text = known.name;
        }
    }
    text += header[EI_CLASS] == ELFCLASS32 ? ", 32 bit" : ", 64 bit";
    return header[EI_DATA] == ELFDATA2MSB ? text + ", big-endian" : text;
}

std::string not_elf(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes.substr(0, SELFMAG)) {
        std::array<char, 4> hex{};
        std::snprintf(hex.data(), hex.size(), " %02x", static_cast<unsigned char>(byte));
        text += hex.data();
    }
    return "the file is no shared library: it begins with the bytes" + text +
           ", an ELF file with 7f 45 4c 46";
}

} // namespace

std::string kind_problem(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) {
        return {};
    }
    return std::string("it is ") +
           (S_ISDIR(status.st_mode)    ? "a directory"
            : S_ISFIFO(status.st_mode) ? "a pipe"
            : S_ISSOCK(status.st_mode) ? "a socket"
                                       : "a device") +
           ", not a library";
}

std::string file_problem(const std::string& path) {
    const std::string bytes = first_bytes(path, sizeof(Header));
    if (bytes.empty()) {
        return {};
    }
    if (!bytes.starts_with(std::string_view(ELFMAG, SELFMAG))) {
        return not_elf(bytes);
    }
    const std::string own_bytes = first_bytes("/proc/self/exe", sizeof(Header));
    if (bytes.size() < sizeof(Header) || own_bytes.size() < sizeof(Header)) {
        return {};
    }
    Header header{};
    Header own{};
    std::memcpy(header.data(), bytes.data(), header.size());
    std::memcpy(own.data(), own_bytes.data(), own.size());
    const std::string theirs = machine(header);
    const std::string ours = machine(own);
    return theirs == ours ? ""
                          : "the file is for another processor (" + theirs + "), this process is " + ours;
}

bool is_whole_library(std::string_view bytes) {
    ElfW(Ehdr) head{};
    if (bytes.size() < sizeof head) {
        return false;
    }
    std::memcpy(&head, bytes.data(), sizeof head);
    return bytes.starts_with(ELFMAG) &&
           head.e_shoff + std::uint64_t{head.e_shnum} * head.e_shentsize <= bytes.size();
}

} // namespace ferry::backend
