// SPDX-License-Identifier: Apache-2.0
#include "hip/hip_metadata.hpp"

#include "hip/hip_msgpack.hpp"
#include "system/elf.hpp"

#include <cstdint>
#include <cstring>

namespace ferry::hip {

namespace {

constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view target_prefix = "amdgcn-amd-amdhsa--";
constexpr std::uint32_t metadata_note = 32; // NT_AMDGPU_METADATA.

// A T at this offset, or zeros if it is outside the bytes.
template <class T>
T at(std::string_view bytes, std::uint64_t offset) {
    T value{};
    if (offset <= bytes.size() && sizeof(T) <= bytes.size() - offset) {
        std::memcpy(&value, bytes.data() + offset, sizeof(T));
    }
    return value;
}

std::string_view slice(std::string_view bytes, std::uint64_t offset, std::uint64_t length) {
    if (offset > bytes.size() || length > bytes.size() - offset) {
        return {};
    }
    return bytes.substr(offset, length);
}

// The entry of a bundle that runs on the architecture. If there are several, the most specific one.
std::string_view unbundle(std::string_view image, std::string_view architecture) {
    std::string_view best;
    std::size_t best_length = 0;
    const auto count = at<std::uint64_t>(image, bundle_magic.size());
    std::uint64_t offset = bundle_magic.size() + sizeof(std::uint64_t);
    for (std::uint64_t i = 0; i < count && offset < image.size(); ++i) {
        const auto length = at<std::uint64_t>(image, offset + 16);
        const std::string_view triple = slice(image, offset + 24, length);
        const std::string_view entry =
            slice(image, at<std::uint64_t>(image, offset), at<std::uint64_t>(image, offset + 8));
        const std::size_t name = triple.find("gfx");
        if (name != std::string_view::npos && length > best_length &&
            (architecture.empty() || runs_on(triple.substr(name), architecture))) {
            best = entry;
            best_length = length;
        }
        if (length > image.size()) {
            break;
        }
        offset += 24 + length;
    }
    return best;
}

std::string_view find_note(std::string_view section) {
    while (section.size() >= sizeof(Elf64_Nhdr)) {
        const auto header = at<Elf64_Nhdr>(section, 0);
        const auto padded = [](std::uint64_t bytes) { return (bytes + 3) & ~std::uint64_t{3}; };
        const std::uint64_t name = sizeof(Elf64_Nhdr);
        const std::uint64_t content = name + padded(header.n_namesz);
        if (header.n_type == metadata_note && slice(section, name, 6) == "AMDGPU") {
            return slice(section, content, header.n_descsz);
        }
        section = slice(section, content + padded(header.n_descsz),
                        section.size() -
                            std::min<std::uint64_t>(section.size(), content + padded(header.n_descsz)));
    }
    return {};
}

std::string_view metadata_of(std::string_view elf) {
    const auto header = at<Elf64_Ehdr>(elf, 0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_machine != EM_AMDGPU) {
        return {};
    }
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
        const auto segment = at<Elf64_Phdr>(elf, header.e_phoff + i * sizeof(Elf64_Phdr));
        if (segment.p_type == PT_NOTE) {
            if (const std::string_view note = find_note(slice(elf, segment.p_offset, segment.p_filesz));
                !note.empty()) {
                return note;
            }
        }
    }
    return {};
}

struct Argument {
    ParameterInfo info;
    bool hidden = false;
};

Argument read_argument(MessagePack& pack) {
    Argument argument;
    std::string_view kind;
    pack.map([&](std::string_view key) {
        if (key == ".size") {
            argument.info.bytes = pack.number().value_or(0);
        } else if (key == ".name") {
            argument.info.name = pack.text().value_or("");
        } else if (key == ".type_name") {
            argument.info.type_name = pack.text().value_or("");
        } else if (key == ".value_kind") {
            kind = pack.text().value_or("");
        } else {
            pack.skip();
        }
    });
    argument.hidden = kind.starts_with("hidden_");
    if (kind == "global_buffer") {
        argument.info.kind = ParameterKind::buffer; // Whether or not it is __constant__ memory, because the
                                                    // code is the same.
    } else if (kind == "by_value" && argument.info.bytes != sizeof(std::uint32_t)) {
        argument.info.kind = ParameterKind::value; // 4 bytes: may be an offset into local memory.
    }
    return argument;
}

KernelInfo read_kernel(MessagePack& pack) {
    KernelInfo kernel;
    pack.map([&](std::string_view key) {
        if (key == ".name") {
            kernel.name = pack.text().value_or("");
        } else if (key == ".vgpr_count") {
            kernel.registers = static_cast<std::uint32_t>(pack.number().value_or(0));
        } else if (key == ".group_segment_fixed_size") {
            kernel.local_bytes = pack.number().value_or(0);
        } else if (key == ".args") {
            pack.array([&] {
                Argument argument = read_argument(pack);
                if (!argument.hidden) {
                    kernel.parameters.push_back(std::move(argument.info));
                }
            });
        } else if (key == ".reqd_workgroup_size") {
            std::size_t dimension = 0;
            pack.array([&] {
                const auto size = pack.number().value_or(0);
                if (dimension < 3) {
                    kernel.required_local[dimension++] = size;
                }
            });
        } else {
            pack.skip();
        }
    });
    kernel.parameters_known = !pack.failed();
    return kernel;
}

} // namespace

CodeObject parse_code_object(std::string_view image, std::string_view architecture) {
    if (image.starts_with(bundle_magic)) {
        image = unbundle(image, architecture);
    }
    CodeObject object;
    MessagePack pack(metadata_of(image));
    pack.map([&](std::string_view key) {
        if (key == "amdhsa.target") {
            std::string_view target = pack.text().value_or("");
            if (target.starts_with(target_prefix)) {
                target.remove_prefix(target_prefix.size());
                object.architecture = target;
            }
        } else if (key == "amdhsa.kernels") {
            pack.array([&] {
                KernelInfo kernel = read_kernel(pack);
                if (!pack.failed()) {
                    object.kernels.push_back(std::move(kernel));
                }
            });
        } else {
            pack.skip();
        }
    });
    return object;
}

bool runs_on(std::string_view built_for, std::string_view present) {
    const auto next = [](std::string_view& text) {
        const std::size_t colon = std::min(text.find(':'), text.size());
        const std::string_view part = text.substr(0, colon);
        text.remove_prefix(std::min(colon + 1, text.size()));
        return part;
    };
    if (next(built_for) != next(present)) {
        return false;
    }
    while (!built_for.empty()) {
        const std::string_view feature = next(built_for);
        bool found = false;
        for (std::string_view rest = present; !rest.empty();) {
            found = next(rest) == feature || found;
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

} // namespace ferry::hip
