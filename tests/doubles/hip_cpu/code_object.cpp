// SPDX-License-Identifier: Apache-2.0
#include "code_object.hpp"

#include "../driver_cpu/elf_file.hpp"

#include <cstdint>

namespace ferry_double {

namespace {

constexpr unsigned char amdgpu_hsa = 64;
constexpr std::uint16_t amdgpu = 224;
constexpr std::uint32_t metadata_note = 32;

// The part of MessagePack that the metadata needs, in the shortest encodings.
class Packer {
public:
    void map(std::size_t count) { head(0x80, 16, 0xDE, count); }
    void array(std::size_t count) { head(0x90, 16, 0xDC, count); }
    void text(std::string_view value) {
        if (value.size() < 32) {
            byte(0xA0 | value.size());
        } else if (value.size() < 256) {
            byte(0xD9);
            byte(value.size());
        } else {
            byte(0xDA);
            big(value.size(), 2);
        }
        bytes_ += value;
    }
    void number(std::size_t value) {
        if (value < 128) {
            byte(value);
        } else {
            byte(0xCE);
            big(value, 4);
        }
    }
    void pair(std::string_view key, std::size_t value) {
        text(key);
        number(value);
    }
    void pair(std::string_view key, std::string_view value) {
        text(key);
        text(value);
    }
    const std::string& bytes() const { return bytes_; }

private:
    void byte(std::size_t value) { bytes_ += static_cast<char>(value); }
    void big(std::size_t value, int bytes) {
        while (bytes-- != 0) {
            byte(value >> (8 * bytes) & 0xFF);
        }
    }
    void head(std::size_t small, std::size_t limit, std::size_t large, std::size_t count) {
        if (count < limit) {
            byte(small | count);
        } else {
            byte(large);
            big(count, 2);
        }
    }
    std::string bytes_;
};

void pack_kernel(Packer& packer, const KernelDescription& kernel) {
    constexpr std::string_view hidden[] = {"hidden_global_offset_x", "hidden_global_offset_y",
                                           "hidden_global_offset_z", "hidden_none"};
    packer.map(9);
    packer.text(".args");
    packer.array(kernel.arguments.size() + std::size(hidden));
    std::size_t offset = 0;
    for (const KernelDescription::Argument& argument : kernel.arguments) {
        offset = (offset + argument.alignment - 1) / argument.alignment * argument.alignment;
        packer.map(argument.is_pointer ? 4 : 3);
        if (argument.is_pointer) {
            packer.pair(".address_space", "global");
        }
        packer.pair(".offset", offset);
        packer.pair(".size", argument.size);
        packer.pair(".value_kind", argument.is_pointer ? "global_buffer" : "by_value");
        offset += argument.size;
    }
    offset = (offset + 7) / 8 * 8;
    for (const std::string_view kind : hidden) {
        packer.map(3);
        packer.pair(".offset", offset);
        packer.pair(".size", 8);
        packer.pair(".value_kind", kind);
        offset += 8;
    }
    packer.pair(".group_segment_fixed_size", std::size_t{0});
    packer.pair(".kernarg_segment_align", 8);
    packer.pair(".kernarg_segment_size", offset);
    packer.pair(".max_flat_workgroup_size", 1024);
    packer.pair(".name", kernel.name);
    packer.pair(".private_segment_fixed_size", std::size_t{0});
    packer.pair(".symbol", kernel.name + ".kd");
    packer.pair(".wavefront_size", 64);
}

std::string metadata(std::string_view architecture, const std::vector<KernelDescription>& kernels) {
    Packer packer;
    packer.map(3);
    packer.text("amdhsa.kernels");
    packer.array(kernels.size());
    for (const KernelDescription& kernel : kernels) {
        pack_kernel(packer, kernel);
    }
    packer.pair("amdhsa.target", "amdgcn-amd-amdhsa--" + std::string(architecture));
    packer.text("amdhsa.version");
    packer.array(2);
    packer.number(1);
    packer.number(1);
    return packer.bytes();
}

std::uint32_t machine_flags(std::string_view architecture) {
    struct Row {
        std::string_view name;
        std::uint32_t flags;
    };
    constexpr Row rows[] = {{"gfx900", 0x2c},  {"gfx906", 0x2f},  {"gfx908", 0x30},
                            {"gfx90a", 0x3f},  {"gfx942", 0x4c},  {"gfx1010", 0x33},
                            {"gfx1030", 0x36}, {"gfx1100", 0x41}, {"gfx1201", 0x4e}};
    for (const Row& row : rows) {
        if (architecture.substr(0, architecture.find(':')) == row.name) {
            return row.flags;
        }
    }
    return 0;
}

} // namespace

std::vector<char> make_code_object(std::string_view architecture,
                                   const std::vector<KernelDescription>& kernels,
                                   std::string_view shared_object) {
    const std::string description = metadata(architecture, kernels);
    const Elf64_Nhdr row{7, static_cast<Elf64_Word>(description.size()), metadata_note};
    std::string note(reinterpret_cast<const char*>(&row), sizeof row);
    note.append("AMDGPU\0", 8);
    note += description;
    note.resize((note.size() + 3) / 4 * 4);
    Elf64_Ehdr head{};
    head.e_ident[EI_OSABI] = amdgpu_hsa;
    head.e_ident[EI_ABIVERSION] = 2;
    head.e_type = ET_DYN;
    head.e_machine = amdgpu;
    head.e_flags = machine_flags(architecture);
    return write_elf(head, {{".note", SHT_NOTE, note}}, architecture, shared_object);
}

std::optional<CodeObject> read_code_object(const void* image) {
    return read_elf(image, amdgpu);
}

} // namespace ferry_double
