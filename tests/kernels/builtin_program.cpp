// SPDX-License-Identifier: Apache-2.0
#include "builtin_program.hpp"

#include "../conformance/random.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace kernels {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

std::string width_suffix(unsigned width) {
    return width == 1 ? "" : std::to_string(width);
}

std::string pointer(Type type, const char* qualifier) {
    return "__global " + std::string(qualifier) + name_of(type) + "*";
}

std::string load_of(char letter, Type type, unsigned width, const std::string& array) {
    const std::string w = std::to_string(width);
    const std::string from = "((" + pointer(letter_type(letter, type, width), "const ") + ")" + array + "_)";
    return width == 1            ? from + "[k]"
           : one_for_all(letter) ? from + "[k * " + w + "]"
                                 : "vload" + w + "(k, " + from + ")";
}

std::string store_of(const std::string& value, char letter, Type type, unsigned width, std::size_t offset) {
    const std::string to =
        "((" + pointer(letter_type(letter, type, width), "") + ")(out_ + " + std::to_string(offset) + "))";
    return width == 1 || one_for_all(letter)
               ? to + "[k] = " + value + ";"
               : "vstore" + std::to_string(width) + "(" + value + ", k, " + to + ");";
}

std::string typed(char letter, Type type, unsigned width) {
    return name_of(letter_type(letter, type, width), one_for_all(letter) ? 1 : width);
}

std::string block(const Builtin& row, Type type, std::size_t number, std::size_t width_index) {
    const unsigned width = all_widths[width_index];
    const std::string steps = std::to_string(48 / width);
    std::string text = "    for (size_t k = i * " + steps + "; k < (i + 1) * " + steps + "; ++k) {\n";
    for (std::size_t a = 0; a < row.arguments.size(); ++a) {
        const std::string lower(1, static_cast<char>('a' + a));
        text += "        const " + typed(row.arguments[a], type, width) + " " + static_cast<char>('A' + a) +
                " = " + load_of(row.arguments[a], type, width, lower) + ";\n";
    }
    if (row.expression.find('P') != std::string::npos) {
        text += "        " + typed(row.results.back(), type, width) + " P;\n";
    }
    text += "        " + statement(row, type, width) + "\n        ";
    text += store_of("R", row.results[0], type, width, output_offset(number, width_index, 0)) + "\n";
    if (row.results.size() > 1) {
        text += "        " +
                store_of("P", row.results[1], type, width, output_offset(number, width_index, 1)) + "\n";
    }
    return text + "    }\n";
}

} // namespace

Type letter_type(char letter, Type type, unsigned width) {
    switch (letter) {
    case 'i':
    case 'k':
    case 'm':
        return Type::i32;
    case 'u':
        return integer_of(size_of(type), false);
    case 'n':
        return integer_of(size_of(type), true);
    case 'd':
        return integer_of(2 * size_of(type), !is_unsigned(type));
    case 'l':
        return width == 1 ? Type::i32 : integer_of(size_of(type), true);
    default:
        return letter >= '0' && letter <= '9' ? static_cast<Type>(letter - '0') : type;
    }
}

bool every_width() {
    const char* value = std::getenv("FERRY_KERNEL_TESTS");
    return value != nullptr && std::string(value) == "full";
}

std::vector<Group> grouped(const std::vector<Builtin>& rows, bool with_double, std::size_t rows_per_kernel) {
    std::vector<Group> result;
    for (const Type type : all_types) {
        std::map<std::string, std::size_t> open;
        for (const Builtin& row : rows) {
            const bool needs_double = type == Type::f64 || row.results.find('9') != std::string::npos;
            if (std::find(row.types.begin(), row.types.end(), type) == row.types.end() ||
                (needs_double && !with_double)) {
                continue;
            }
            const auto found = open.find(row.arguments);
            if (found == open.end() || result[found->second].rows.size() == rows_per_kernel) {
                open[row.arguments] = result.size();
                result.push_back(
                    {"k" + std::to_string(result.size()) + "_" + name_of(type), type, row.arguments, {}, {}});
            }
            Group& group = result[open[row.arguments]];
            group.rows.push_back(&row);
            group.widths.push_back(
                every_width() ? row.widths
                              : std::vector{row.widths[conformance::random_below(row.widths.size())]});
        }
    }
    return result;
}

std::string statement(const Builtin& row, Type type, unsigned width) {
    std::string text = replaced(row.expression, "$T", name_of(type, width));
    text = replaced(replaced(text, "$N", width_suffix(width)), "$S", name_of(type));
    return "const " + typed(row.results[0], type, width) + " R = " + text + ";";
}

std::string program_text(std::span<const Group> groups) {
    std::string text;
    for (const Group& group : groups) {
        text +=
            "__kernel void " + group.kernel + "(__global const uchar* a_, __global const uchar* b_,\n" +
            "    __global const uchar* c_, __global uchar* out_) {\n    const size_t i = get_global_id(0);\n";
        for (std::size_t r = 0; r < group.rows.size(); ++r) {
            const std::vector<unsigned>& widths = group.widths[r];
            for (std::size_t w = 0; w < std::size(all_widths); ++w) {
                if (std::find(widths.begin(), widths.end(), all_widths[w]) != widths.end()) {
                    text += block(*group.rows[r], group.type, r, w);
                }
            }
        }
        text += "}\n";
    }
    const bool doubles = text.find("double") != std::string::npos;
    return (doubles ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "") + text;
}

} // namespace kernels
