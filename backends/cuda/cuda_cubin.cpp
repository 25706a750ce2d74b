// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_cubin.hpp"

#include "system/elf.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace ferry::cuda {
namespace {

// Records of .nv.info: a byte for the form, a byte for the attribute, two for the size or a value.
constexpr std::uint8_t sized = 0x04;
constexpr std::uint8_t frame_size = 0x11;
constexpr std::uint8_t register_count = 0x2f;

template <class T>
std::optional<T> at(std::string_view bytes, std::uint64_t offset) {
    if (bytes.size() < sizeof(T) || offset > bytes.size() - sizeof(T)) {
        return std::nullopt;
    }
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

std::string_view slice(std::string_view bytes, const Elf64_Shdr& section) {
    return section.sh_offset > bytes.size() ? std::string_view()
                                            : bytes.substr(section.sh_offset, section.sh_size);
}

std::string_view text_at(std::string_view names, std::uint64_t offset) {
    names.remove_prefix(std::min<std::uint64_t>(offset, names.size()));
    return names.substr(0, names.find('\0'));
}

class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {
        const auto header = at<Elf64_Ehdr>(bytes, 0);
        if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
            return;
        }
        for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
            if (const auto section = at<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr))) {
                sections_.push_back(*section);
            }
        }
        if (header->e_shstrndx < sections_.size()) {
            names_ = slice(bytes, sections_[header->e_shstrndx]);
        }
    }

    std::map<std::string, CubinKernel> read() {
        constexpr std::string_view text = ".text.";
        constexpr std::string_view shared = ".nv.shared.";
        for (const Elf64_Shdr& section : sections_) {
            const std::string_view name = text_at(names_, section.sh_name);
            if (name.starts_with(text)) {
                kernels_[std::string(name.substr(text.size()))].code_bytes = section.sh_size;
            } else if (section.sh_type == SHT_SYMTAB && section.sh_link < sections_.size()) {
                symbols_ = slice(bytes_, section);
                symbol_names_ = slice(bytes_, sections_[section.sh_link]);
            }
        }
        for (const Elf64_Shdr& section : sections_) {
            const std::string_view name = text_at(names_, section.sh_name);
            if (name == ".nv.info") {
                information(slice(bytes_, section));
            } else if (name.starts_with(shared)) {
                const auto found = kernels_.find(std::string(name.substr(shared.size())));
                if (found != kernels_.end()) {
                    found->second.local_bytes = section.sh_size;
                }
            }
        }
        return std::move(kernels_);
    }

private:
    void information(std::string_view records) {
        for (std::size_t i = 0; i + 4 <= records.size();) {
            const auto form = *at<std::uint8_t>(records, i);
            const auto what = *at<std::uint8_t>(records, i + 1);
            const auto size = *at<std::uint16_t>(records, i + 2);
            i += 4;
            if (form != sized) {
                continue;
            }
            if (what == register_count || what == frame_size) {
                record(what, at<std::uint32_t>(records, i), at<std::uint32_t>(records, i + 4));
            }
            i += size;
        }
    }

    void record(std::uint8_t what, std::optional<std::uint32_t> symbol_number,
                std::optional<std::uint32_t> value) {
        const auto symbol = symbol_number
                                ? at<Elf64_Sym>(symbols_, std::uint64_t{*symbol_number} * sizeof(Elf64_Sym))
                                : std::nullopt;
        if (!symbol || !value) {
            return;
        }
        const auto found = kernels_.find(std::string(text_at(symbol_names_, symbol->st_name)));
        if (found != kernels_.end()) {
            (what == register_count ? found->second.registers : found->second.stack) = *value;
        }
    }

    std::string_view bytes_;
    std::string_view names_;
    std::string_view symbols_;
    std::string_view symbol_names_;
    std::vector<Elf64_Shdr> sections_;
    std::map<std::string, CubinKernel> kernels_;
};

} // namespace

std::map<std::string, CubinKernel> read_cubin(std::string_view bytes) {
    return Reader(bytes).read();
}

} // namespace ferry::cuda
