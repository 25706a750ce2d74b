// SPDX-License-Identifier: Apache-2.0
#include "elf_file.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace ferry_double {

namespace {

template <class T>
void append(std::vector<char>& out, const T& value) {
    const auto* bytes = reinterpret_cast<const char*>(&value);
    out.insert(out.end(), bytes, bytes + sizeof value);
}

// Stored in the address field of the section, which is otherwise unused.
std::uint64_t checksum(std::string_view bytes) {
    std::uint64_t sum = 14695981039346656037ULL;
    for (const char c : bytes) {
        sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    }
    return sum;
}

template <class T>
bool read_row(const char* from, T& row) {
    return read_memory(from, &row, sizeof row);
}

bool read_section(const char* image, const Elf64_Shdr& section, std::string& bytes) {
    constexpr std::size_t limit = std::size_t{1} << 30;
    if (section.sh_size > limit) {
        return false;
    }
    bytes.resize(section.sh_size);
    return section.sh_size == 0 || read_memory(image + section.sh_offset, bytes.data(), bytes.size());
}

void pad(std::vector<char>& out, std::size_t alignment) {
    out.resize((out.size() + alignment - 1) / alignment * alignment);
}

} // namespace

// The kernel copies, so that unmapped memory causes an error code instead of a signal.
bool read_memory(const char* from, void* to, std::size_t bytes) {
    const iovec local{to, bytes};
    const iovec remote{const_cast<char*>(from), bytes};
    const ssize_t done = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (done < 0 && (errno == EPERM || errno == ENOSYS)) { // some containers forbid this call
        std::memcpy(to, from, bytes);
        return true;
    }
    return done == static_cast<ssize_t>(bytes);
}

std::vector<char> write_elf(Elf64_Ehdr head, std::vector<ElfSection> sections, std::string_view architecture,
                            std::string_view shared_object) {
    const bool note = !sections.empty() && sections.front().type == SHT_NOTE;
    sections.push_back({".ferry_arch", SHT_PROGBITS, std::string(architecture)});
    sections.push_back({".ferry_so", SHT_PROGBITS, std::string(shared_object)});
    std::vector<char> out(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr));
    std::string names(1, '\0');
    std::vector<Elf64_Shdr> rows(1);
    const auto add = [&](const ElfSection& section) {
        pad(out, 16);
        const bool payload = section.name == ".ferry_so";
        rows.push_back({static_cast<Elf64_Word>(names.size()), section.type, 0,
                        payload ? checksum(section.bytes) : 0, out.size(), section.bytes.size(), 0, 0, 16,
                        0});
        names += section.name;
        names += '\0';
        out.insert(out.end(), section.bytes.begin(), section.bytes.end());
    };
    for (const ElfSection& section : sections) {
        add(section);
    }
    const std::string with_own = names + ".shstrtab" + '\0';
    add({".shstrtab", SHT_STRTAB, with_own});
    pad(out, 8);

    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    head.e_version = EV_CURRENT;
    head.e_phoff = sizeof head;
    head.e_shoff = out.size();
    head.e_ehsize = sizeof head;
    head.e_phentsize = sizeof(Elf64_Phdr);
    head.e_phnum = note ? 1 : 0;
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = static_cast<Elf64_Half>(rows.size());
    head.e_shstrndx = static_cast<Elf64_Half>(rows.size() - 1);
    std::memcpy(out.data(), &head, sizeof head);
    if (note) {
        const Elf64_Shdr& row = rows[1];
        const Elf64_Phdr segment{PT_NOTE,       PF_R,        row.sh_offset, row.sh_offset,
                                 row.sh_offset, row.sh_size, row.sh_size,   4};
        std::memcpy(out.data() + sizeof head, &segment, sizeof segment);
    }
    for (const Elf64_Shdr& row : rows) {
        append(out, row);
    }
    return out;
}

std::optional<CodeObject> read_elf(const void* image, std::uint16_t machine) {
    const auto* bytes = static_cast<const char*>(image);
    Elf64_Ehdr head;
    if (!read_row(bytes, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_machine != machine || head.e_ident[EI_CLASS] != ELFCLASS64) {
        return std::nullopt;
    }
    CodeObject object;
    if (head.e_shoff == 0 || head.e_shnum == 0 || head.e_shentsize != sizeof(Elf64_Shdr)) {
        return object;
    }
    std::vector<Elf64_Shdr> sections(head.e_shnum);
    for (std::size_t i = 0; i != sections.size(); ++i) {
        if (!read_row(bytes + head.e_shoff + i * sizeof sections[i], sections[i])) {
            return std::nullopt;
        }
    }
    if (head.e_shstrndx >= sections.size()) {
        return std::nullopt;
    }
    std::string names;
    if (!read_section(bytes, sections[head.e_shstrndx], names)) {
        return std::nullopt;
    }
    for (const Elf64_Shdr& section : sections) {
        const std::string name = section.sh_name < names.size() ? names.c_str() + section.sh_name : "";
        const bool mine = name == ".ferry_so";
        if ((name == ".ferry_arch" && !read_section(bytes, section, object.architecture)) ||
            (mine && (!read_section(bytes, section, object.shared_object) ||
                      section.sh_addr != checksum(object.shared_object)))) {
            return std::nullopt;
        }
    }
    return object;
}

} // namespace ferry_double
