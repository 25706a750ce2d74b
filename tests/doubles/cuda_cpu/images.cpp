// SPDX-License-Identifier: Apache-2.0
#include "images.hpp"

#include "../driver_cpu/device.hpp"
#include "../driver_cpu/elf_file.hpp"
#include "driver/driver_helper_text.hpp"

#include <cstring>

namespace ferry_double {

namespace {

constexpr std::uint16_t cuda_machine = 190;
constexpr std::string_view payload = "\n// ferry_double ";

void append_hex(std::string& text, std::string_view bytes) {
    constexpr char digits[] = "0123456789abcdef";
    text.reserve(text.size() + 2 * bytes.size() + 1);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    text += '\n';
}

bool read_hex(std::string_view digits, std::string& bytes) {
    const auto value = [](char c) {
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        const int high = value(digits[i]);
        const int low = value(digits[i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        bytes += static_cast<char>(high << 4 | low);
    }
    return digits.size() % 2 == 0;
}

std::string parameter_text(const KernelDescription::Argument& argument, const std::string& name) {
    if (argument.is_pointer) {
        return ".param .u64 .ptr .align 1 " + name;
    }
    return ".param .align " + std::to_string(argument.alignment) + " .b8 " + name + "[" +
           std::to_string(argument.size) + "]";
}

std::string make_ptx(std::string_view number, const std::vector<KernelDescription>& kernels,
                     std::string_view shared_object) {
    std::string text = ".version 8.4\n.target sm_" + std::string(number) + "\n.address_size 64\n";
    for (const KernelDescription& kernel : kernels) {
        text += ".visible .entry " + kernel.name + "(";
        for (std::size_t i = 0; i != kernel.arguments.size(); ++i) {
            text += i == 0 ? "\n " : ",\n ";
            text += parameter_text(kernel.arguments[i], kernel.name + "_param_" + std::to_string(i));
        }
        text += "\n)\n{\n ret;\n}\n";
    }
    text += payload;
    append_hex(text, shared_object);
    return text;
}

/// The text of a PTX image; empty if it is not PTX.
std::string read_text(const char* image) {
    constexpr std::size_t most = std::size_t{64} << 20;
    std::string text;
    for (char piece[1]; text.size() < most && read_memory(image + text.size(), piece, 1);) {
        if (piece[0] == '\0') {
            return text.find(".version") != std::string::npos ? text : std::string();
        }
        if (static_cast<unsigned char>(piece[0]) >= 0x80) {
            break;
        }
        text += piece[0];
    }
    return {};
}

std::optional<CodeObject> read_ptx(const std::string& text) {
    CodeObject object{world().architecture, {}};
    if (const std::size_t at = text.find(payload); at != std::string::npos) {
        const std::size_t begin = at + payload.size();
        const std::string_view digits = std::string_view(text).substr(begin, text.find('\n', begin) - begin);
        return read_hex(digits, object.shared_object) ? std::optional(object) : std::nullopt;
    }
    if (text.find(".entry ferry_fill(") == std::string::npos) {
        return std::nullopt; // only the driver could compile it
    }
    const Compiled made = compile({ferry::driver::helper_text, "helpers.cu", {}},
                                  {"--gpu-architecture=" + world().architecture});
    return made.code == success ? read_elf(made.object.data(), cuda_machine) : std::nullopt;
}

} // namespace

std::vector<char> make_cuda_image(std::string_view architecture,
                                  const std::vector<KernelDescription>& kernels,
                                  std::string_view shared_object) {
    if (architecture.substr(0, 3) != "sm_") {
        const std::string text =
            make_ptx(architecture.substr(architecture.find('_') + 1), kernels, shared_object);
        return {text.c_str(), text.c_str() + text.size() + 1};
    }
    Elf64_Ehdr head{};
    head.e_type = ET_EXEC;
    head.e_machine = cuda_machine;
    std::vector<ElfSection> sections;
    for (const KernelDescription& kernel : kernels) {
        sections.push_back({".text." + kernel.name, SHT_PROGBITS, std::string(16, '\0')});
    }
    return write_elf(head, std::move(sections), architecture, shared_object);
}

std::optional<CodeObject> read_cuda_image(const void* image) {
    const auto* const bytes = static_cast<const char*>(image);
    const std::string text = read_text(bytes);
    return text.empty() ? read_elf(image, cuda_machine) : read_ptx(text);
}

} // namespace ferry_double
