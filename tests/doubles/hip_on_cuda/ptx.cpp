// SPDX-License-Identifier: Apache-2.0
#include "ptx.hpp"

#include "../driver_cpu/rewrite.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace ferry_double {

namespace {

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    constexpr std::string_view gaps = " \t\r\n";
    for (std::size_t at = text.find_first_not_of(gaps); at != std::string_view::npos;) {
        const std::size_t end = text.find_first_of(gaps, at);
        words.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(gaps, end);
    }
    return words;
}

unsigned int number(std::string_view text) {
    unsigned int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// Examples: ".param .u64 .ptr .align 1 name" (some compilers), ".param .align 8 .b8 name[24]", ".param .u32
// name"
KernelDescription::Argument argument_of(std::string_view text) {
    KernelDescription::Argument argument{0, 0, false};
    const std::vector<std::string_view> words = words_of(text);
    for (std::size_t i = 0; i != words.size(); ++i) {
        const std::string_view word = words[i];
        if (word == ".ptr") {
            argument.is_pointer = true;
        } else if (word == ".align" && i + 1 != words.size() && !argument.is_pointer) {
            argument.alignment = number(words[i + 1]);
        } else if (word.size() >= 3 && word[0] == '.' &&
                   std::isdigit(static_cast<unsigned char>(word[2])) != 0) {
            argument.size = number(word.substr(2)) / 8;
        }
    }
    if (const std::size_t bracket = text.find('['); bracket != std::string_view::npos) {
        argument.size *= number(text.substr(bracket + 1));
    }
    argument.alignment = argument.alignment != 0 ? argument.alignment : argument.size;
    return argument;
}

} // namespace

std::optional<std::vector<KernelDescription>> kernels_of(std::string_view ptx, std::string_view source) {
    constexpr std::string_view entry = ".entry";
    const std::vector<FoundKernel> known = rewrite(source).kernels;
    std::vector<KernelDescription> kernels;
    for (std::size_t at = ptx.find(entry); at != std::string_view::npos; at = ptx.find(entry, at + 1)) {
        const std::size_t open = ptx.find('(', at);
        const std::size_t brace = ptx.find('{', at);
        const std::size_t name_end = std::min(open, brace);
        if (name_end == std::string_view::npos) {
            break;
        }
        const auto name = words_of(ptx.substr(at + entry.size(), name_end - at - entry.size()));
        const auto found = std::find_if(known.begin(), known.end(), [&](const FoundKernel& kernel) {
            return !name.empty() && kernel.name == name[0];
        });
        if (found == known.end()) {
            return std::nullopt;
        }
        KernelDescription kernel{found->name, {}};
        std::string_view list = open < brace ? ptx.substr(open + 1, ptx.find(')', open) - open - 1) : "";
        while (list.find(".param") != std::string_view::npos) {
            const std::size_t comma = list.find(',');
            kernel.arguments.push_back(argument_of(list.substr(0, comma)));
            list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
        }
        if (kernel.arguments.size() != found->is_pointer.size()) {
            return std::nullopt;
        }
        for (std::size_t i = 0; i != kernel.arguments.size(); ++i) {
            kernel.arguments[i].is_pointer = kernel.arguments[i].is_pointer || found->is_pointer[i];
        }
        kernels.push_back(std::move(kernel));
    }
    return kernels;
}

} // namespace ferry_double
