// SPDX-License-Identifier: Apache-2.0
#include "opencl_notes.hpp"

namespace ferry::opencl {
namespace {

using Items = std::vector<std::string>;

/// The items of `.metadata 7 { "text", .b32 2, .metadata_index 5 }`: texts without quotes, numbers without
/// the word before them.
Items read_items(std::string_view block) {
    Items items;
    std::string item;
    bool quoted = false;
    bool any = false;
    const auto end_item = [&] {
        if (any) {
            items.push_back(item);
        }
        item.clear();
        any = false;
    };
    for (const char c : block) {
        if (c == '"') {
            quoted = !quoted;
            any = true;
        } else if (quoted) {
            item += c;
        } else if (c == ',') {
            end_item();
        } else if (c == ' ' || c == '\t') {
            item.clear(); // The word before a number.
        } else if (c != '\n' && c != '\r') {
            item += c;
            any = true;
        }
    }
    end_item();
    return items;
}

std::map<std::string, Items> read_blocks(std::string_view ptx) {
    constexpr std::string_view start = ".metadata ";
    std::map<std::string, Items> blocks;
    for (std::size_t at = ptx.find(start); at != std::string_view::npos; at = ptx.find(start, at + 1)) {
        const std::size_t open = ptx.find('{', at);
        const std::size_t close = ptx.find('}', at);
        if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
            break;
        }
        std::string number(ptx.substr(at + start.size(), open - at - start.size()));
        number.erase(number.find_last_not_of(' ') + 1);
        blocks[number] = read_items(ptx.substr(open + 1, close - open - 1));
    }
    return blocks;
}

cl_kernel_arg_address_qualifier space_of(const std::string& name) {
    return name == "global"     ? CL_KERNEL_ARG_ADDRESS_GLOBAL
           : name == "local"    ? CL_KERNEL_ARG_ADDRESS_LOCAL
           : name == "constant" ? CL_KERNEL_ARG_ADDRESS_CONSTANT
                                : CL_KERNEL_ARG_ADDRESS_PRIVATE;
}

} // namespace

KernelNotes read_ptx_notes(std::string_view ptx) {
    const std::map<std::string, Items> blocks = read_blocks(ptx);
    KernelNotes notes;
    for (const auto& block : blocks) {
        const Items& items = block.second; // clang 14 captures no structured binding.
        // "cl_kernel_arg_info", the kernel, its number of parameters, then five lists of parameters. Each
        // list begins with its own name.
        if (items.size() != 8 || items[0] != "cl_kernel_arg_info") {
            continue;
        }
        const auto list = [&](const char* name) -> const Items* {
            for (std::size_t i = 3; i < items.size(); ++i) {
                const auto found = blocks.find(items[i]);
                if (found != blocks.end() && !found->second.empty() && found->second[0] == name) {
                    return &found->second;
                }
            }
            return nullptr;
        };
        const Items* const spaces = list("cl_kernel_arg_addr_space");
        const Items* const types = list("cl_kernel_arg_type");
        const Items* const qualifiers = list("cl_kernel_arg_type_qual");
        const Items* const names = list("cl_kernel_arg_name");
        if (spaces == nullptr || types == nullptr || qualifiers == nullptr || names == nullptr ||
            types->size() != spaces->size() || qualifiers->size() != spaces->size() ||
            names->size() != spaces->size()) {
            continue;
        }
        std::vector<ParameterNote>& parameters = notes[items[1]];
        for (std::size_t i = 1; i < spaces->size(); ++i) {
            parameters.push_back({space_of((*spaces)[i]), (*qualifiers)[i].find("const") != std::string::npos,
                                  (*types)[i], (*names)[i]});
        }
    }
    return notes;
}

} // namespace ferry::opencl
