// SPDX-License-Identifier: Apache-2.0
#include "prelude_names.hpp"

#include <iterator>

namespace ferry::translate {
namespace {

constexpr std::string_view scalars[] = {"char", "uchar", "short", "ushort", "int", "uint",
                                        "long", "ulong", "float", "double", "half"};
constexpr std::string_view widths[] = {"16", "2", "3", "4", "8"};
constexpr std::string_view roundings[] = {"_rte", "_rtz", "_rtp", "_rtn"};

bool take(std::string_view& rest, std::string_view front) {
    if (rest.substr(0, front.size()) != front) {
        return false;
    }
    rest.remove_prefix(front.size());
    return true;
}

template <std::size_t N>
std::string_view take_one(std::string_view& rest, const std::string_view (&list)[N]) {
    for (const std::string_view candidate : list) {
        if (take(rest, candidate)) {
            return candidate;
        }
    }
    return {};
}

std::string join(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const std::string_view part : parts) {
        text += part;
    }
    return text;
}

/// "_rtp" as the prelude's number of the mode; `otherwise` if there is none.
std::string_view mode_number(std::string_view rounding, std::string_view otherwise) {
    static constexpr std::string_view numbers[] = {"0", "1", "2", "3"};
    for (std::size_t i = 0; i < std::size(roundings); ++i) {
        if (rounding == roundings[i]) {
            return numbers[i];
        }
    }
    return otherwise;
}

std::string vector_type(std::string_view name) {
    std::string_view rest = name;
    const std::string_view scalar = take_one(rest, scalars);
    const std::string_view width = take_one(rest, widths);
    if (scalar.empty() || width.empty() || !rest.empty()) {
        return {};
    }
    return join({"using ", name, " = fy_vec", width, "<", scalar, ">;\n"});
}

/// convert_uchar4_sat_rte.
std::string conversion(std::string_view name) {
    std::string_view rest = name;
    if (!take(rest, "convert_")) {
        return {};
    }
    const std::string_view to = take_one(rest, scalars);
    const std::string_view width = take_one(rest, widths);
    const bool saturates = take(rest, "_sat");
    const std::string_view rounding = take_one(rest, roundings);
    const bool to_half = to == "half";
    const bool to_float = to_half || to == "float" || to == "double";
    if (to.empty() || !rest.empty() || (saturates && to_float)) {
        return {};
    }
    std::string one = join({"fy_narrowed<", to, ">(x)"}); // The plain form is equal to C's conversion.
    if (to_half) {
        one = join({"fy_halved<", mode_number(rounding, "0"), ">(x)"});
    } else if (saturates || !rounding.empty()) {
        one = join({"fy_convert<", to, ", ", saturates ? "true" : "false", ", ",
                    mode_number(rounding, to_float ? "0" : "1"), ">(x)"});
    }
    if (width.empty()) {
        return join({"template <class T> FY_FN ", to, " ", name, "(T x) { return ", one, "; }\n"});
    }
    return join({"template <class T> FY_FN fy_vec", width, "<", to, "> ", name, "(fy_vec", width,
                 "<T> a) { return fy_map([](T x) { return ", one, "; }, a); }\n"});
}

std::string reinterpretation(std::string_view name) {
    std::string_view rest = name;
    if (!take(rest, "as_")) {
        return {};
    }
    const std::string_view to = take_one(rest, scalars);
    const std::string_view width = take_one(rest, widths);
    if (to.empty() || !rest.empty()) {
        return {};
    }
    const std::string type = width.empty() ? std::string(to) : join({"fy_vec", width, "<", to, ">"});
    return join({"template <class T> FY_FN ", type, " ", name, "(T x) { return fy_bits<", type, ">(x); }\n"});
}

int number(std::string_view width) {
    return width == "16" ? 16 : width[0] - '0';
}

/// "f(0), f(1), f(2)" for a width; f is given by the text before and after the number.
std::string repeated(std::string_view width, std::string_view before, std::string_view behind,
                     std::string_view separator) {
    std::string text;
    for (int i = 0; i < number(width); ++i) {
        text += join({i > 0 ? separator : "", before, std::to_string(i), behind});
    }
    return text;
}

/// "p[0] = f(v.x); p[1] = f(v.y); ..."
std::string stores(std::string_view width, std::string_view target, std::string_view function) {
    static constexpr std::string_view members[] = {"x",  "y",  "z",  "w",  "s4", "s5", "s6", "s7",
                                                   "s8", "s9", "sa", "sb", "sc", "sd", "se", "sf"};
    std::string text;
    for (int i = 0; i < number(width); ++i) {
        text += join({"p[", std::to_string(i), "]", target, " = ", function, "(v.", members[i], "); "});
    }
    return text;
}

/// vload4, vstore4.
std::string plain_access(std::string_view name) {
    std::string_view rest = name;
    const bool load = take(rest, "vload");
    if (!load && !take(rest, "vstore")) {
        return {};
    }
    const std::string_view width = take_one(rest, widths);
    if (width.empty() || !rest.empty()) {
        return {};
    }
    if (load) {
        return join({"template <class T> FY_FN fy_vec", width, "<T> ", name,
                     "(size_t i, const T* p) { p += i * ", width, "; return fy_vec", width, "<T>(",
                     repeated(width, "p[", "]", ", "), "); }\n"});
    }
    return join({"template <class T> FY_FN void ", name, "(fy_vec", width,
                 "<T> v, size_t i, fy_same<T>* p) { p += i * ", width, "; ", stores(width, "", ""), "}\n"});
}

/// vload_half4, vloada_half4, vstore_half4_rtp, vstorea_half4_rtp; the aligned form of three has the stride
/// of four.
std::string half_access(std::string_view name) {
    std::string_view rest = name;
    const bool load = take(rest, "vload");
    if (!load && !take(rest, "vstore")) {
        return {};
    }
    const bool aligned = take(rest, "a");
    if (!take(rest, "_half")) {
        return {};
    }
    const std::string_view width = take_one(rest, widths);
    const std::string_view rounding = load ? std::string_view() : take_one(rest, roundings);
    if (!rest.empty()) {
        return {};
    }
    const std::string_view stride = width.empty() ? "1" : aligned && width == "3" ? "4" : width;
    const std::string_view mode = mode_number(rounding, "0");
    if (load && width.empty()) {
        return join(
            {"FY_FN float ", name, "(size_t i, const half* p) { return fy_from_half(p[i].fy_stored); }\n"});
    }
    if (load) {
        return join({"FY_FN fy_vec", width, "<float> ", name, "(size_t i, const half* p) { p += i * ", stride,
                     "; return fy_vec", width, "<float>(",
                     repeated(width, "fy_from_half(p[", "].fy_stored)", ", "), "); }\n"});
    }
    if (width.empty()) {
        return join({"template <class T> FY_FN void ", name,
                     "(T v, size_t i, half* p) { p[i].fy_stored = fy_to_half<", mode, ">(v); }\n"});
    }
    return join({"template <class T> FY_FN void ", name, "(fy_vec", width,
                 "<T> v, size_t i, half* p) { p += i * ", stride, "; ",
                 stores(width, ".fy_stored", join({"fy_to_half<", mode, ">"})), "}\n"});
}

} // namespace

std::string generated_declaration(std::string_view name) {
    for (const auto family : {vector_type, conversion, reinterpretation, plain_access, half_access}) {
        std::string text = family(name);
        if (!text.empty()) {
            return text;
        }
    }
    return {};
}

} // namespace ferry::translate
