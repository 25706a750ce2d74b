// SPDX-License-Identifier: Apache-2.0
#include "swizzles.hpp"

namespace ferry::translate {
namespace {

constexpr std::string_view component_names = "xyzw";
constexpr std::string_view digits = "0123456789abcdef";

} // namespace

std::vector<int> components_of(std::string_view name) {
    std::vector<int> components;
    if (name.size() >= 2 && name.size() <= 17 && (name[0] == 's' || name[0] == 'S')) {
        for (const char c : name.substr(1)) {
            const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
            const std::size_t at = digits.find(lower);
            if (at == std::string_view::npos) {
                return {};
            }
            components.push_back(static_cast<int>(at));
        }
        return components;
    }
    if (name.size() > 4 && name.size() != 8 && name.size() != 16) {
        return {};
    }
    for (const char c : name) {
        const std::size_t at = component_names.find(c);
        if (at == std::string_view::npos) {
            return {};
        }
        components.push_back(static_cast<int>(at));
    }
    return components;
}

bool is_half_name(std::string_view name) noexcept {
    return name == "lo" || name == "hi" || name == "even" || name == "odd";
}

std::string component_member(int component) {
    return component < 4 ? std::string(1, component_names[static_cast<std::size_t>(component)])
                         : std::string("s") + digits[static_cast<std::size_t>(component)];
}

std::string swizzle_call(const std::vector<int>& components, bool assigned) {
    std::string text = assigned ? "fy_ref<" : "fy_get<";
    for (std::size_t c = 0; c < components.size(); ++c) {
        text += (c == 0 ? "" : ",") + std::to_string(components[c]);
    }
    return text + ">()";
}

bool is_ambiguous_member(std::string_view name) {
    return is_half_name(name) || (!components_of(name).empty() && !is_component(name));
}

bool is_component(std::string_view name) noexcept {
    return name.size() == 1 && component_names.find(name) != std::string_view::npos;
}

std::vector<std::string> ambiguous_member_functions(std::string_view name) {
    const std::vector<int> components = components_of(name);
    std::vector<std::string> functions;
    for (const std::string_view prefix : {"fy_m_", "fy_mr_"}) {
        const auto add = [&](std::string_view parameters, std::string_view member) {
            functions.push_back("template <" + std::string(parameters.substr(0, parameters.find('|'))) +
                                "> FY_FN decltype(auto) " + std::string(prefix) + std::string(name) + "(" +
                                std::string(parameters.substr(parameters.find('|') + 1)) + " o) { return " +
                                std::string(member) + "; }");
        };
        add("class T|T&&", "(o." + std::string(name) + ")");
        const bool assigned = prefix == "fy_mr_";
        if (components.size() == 1) {
            const std::string number = std::to_string(components[0]);
            const std::string member = "o." + component_member(components[0]);
            if (assigned) {
                add("class V, class P, int... I|fy_proxy<V, P, I...>",
                    "(o.template fy_cell<" + number + ">())");
            }
            add("class T, int N|fy_vec<T, N>&", "(" + member + ")");
            add("class T, int N|const fy_vec<T, N>&", member);
            add("class T, int N|fy_vec<T, N>&&", member);
        } else {
            const std::string call = is_half_name(name)
                                         ? (assigned ? "fy_ref_" : "fy_") + std::string(name) + "()"
                                         : "template " + swizzle_call(components, assigned);
            add(assigned ? "class T, int N|fy_vec<T, N>&" : "class T, int N|fy_vec<T, N>", "o." + call);
            if (assigned) {
                add("class V, class P, int... I|fy_proxy<V, P, I...>", "o." + call);
            }
        }
    }
    return functions;
}

} // namespace ferry::translate
