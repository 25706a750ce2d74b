// SPDX-License-Identifier: Apache-2.0
#include "cubin.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace quality {
namespace {

// Records of .nv.info: a byte for the form, a byte for what it is, two for the size or a value.
constexpr std::uint8_t sized = 0x04;
constexpr std::uint8_t frame_size = 0x11;
constexpr std::uint8_t register_count = 0x2f;

template <class T>
T at(std::string_view bytes, std::size_t offset) {
    if (bytes.size() < sizeof(T) || offset > bytes.size() - sizeof(T)) {
        throw std::runtime_error("The cubin ends too early");
    }
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

std::string_view slice(std::string_view bytes, const Elf64_Shdr& section) {
    return bytes.substr(section.sh_offset, section.sh_size);
}

class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {
        const auto header = at<Elf64_Ehdr>(bytes, 0);
        if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
            throw std::runtime_error("The compiler's result is no ELF file");
        }
        for (std::size_t i = 0; i < header.e_shnum; ++i) {
            sections_.push_back(at<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr)));
        }
        names_ = slice(bytes, sections_.at(header.e_shstrndx));
    }

    std::map<std::string, Code> read() {
        constexpr std::string_view text = ".text.";
        for (const Elf64_Shdr& section : sections_) {
            const std::string_view name = names_.data() + section.sh_name;
            if (name.starts_with(text)) {
                code_[std::string(name.substr(text.size()))].bytes = section.sh_size;
            } else if (section.sh_type == SHT_SYMTAB) {
                symbols_ = slice(bytes_, section);
                symbol_names_ = slice(bytes_, sections_.at(section.sh_link));
            }
        }
        for (const Elf64_Shdr& section : sections_) {
            if (std::string_view(names_.data() + section.sh_name) == ".nv.info") {
                information(slice(bytes_, section));
            }
        }
        return std::move(code_);
    }

private:
    void information(std::string_view records) {
        for (std::size_t i = 0; i + 4 <= records.size();) {
            const auto form = at<std::uint8_t>(records, i);
            const auto what = at<std::uint8_t>(records, i + 1);
            const auto size = at<std::uint16_t>(records, i + 2);
            i += 4;
            if (form != sized) {
                continue;
            }
            if (what == register_count || what == frame_size) {
                const auto symbol =
                    at<Elf64_Sym>(symbols_, at<std::uint32_t>(records, i) * sizeof(Elf64_Sym));
                const auto found = code_.find(symbol_names_.data() + symbol.st_name);
                if (found != code_.end()) {
                    (what == register_count ? found->second.registers : found->second.stack) =
                        at<std::uint32_t>(records, i + 4);
                }
            }
            i += size;
        }
    }

    std::string_view bytes_;
    std::string_view names_;
    std::string_view symbols_;
    std::string_view symbol_names_;
    std::vector<Elf64_Shdr> sections_;
    std::map<std::string, Code> code_;
};

} // namespace

std::map<std::string, Code> read_cubin(std::string_view bytes) {
    return Reader(bytes).read();
}

std::map<std::string, Text> read_ptx(std::string_view text) {
    std::map<std::string, Text> kernels;
    Text* kernel = nullptr;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        constexpr std::string_view entry = ".entry ";
        if (const std::size_t found = line.find(entry); found != std::string_view::npos) {
            const std::string_view name = line.substr(found + entry.size());
            kernel = &kernels[std::string(name.substr(0, name.find_first_of(" (")))];
        } else if (line.starts_with('}') && kernel != nullptr && line.size() == 1) {
            kernel = nullptr;
        }
        const bool instruction =
            kernel != nullptr && line.ends_with(';') && !line.starts_with('.') && !line.starts_with("//");
        if (!instruction) {
            continue;
        }
        ++kernel->instructions;
        const bool wide =
            line.find(".v4.") != std::string_view::npos && (line.find("32") != std::string_view::npos);
        kernel->wide_loads += wide && line.starts_with("ld.") ? 1 : 0;
        kernel->wide_stores += wide && line.starts_with("st.") ? 1 : 0;
    }
    return kernels;
}

} // namespace quality
