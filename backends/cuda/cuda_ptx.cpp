// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_ptx.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace ferry::cuda {

namespace {

constexpr bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '.' || c == '%';
}

std::size_t number(std::string_view text) {
    std::size_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Words and single characters, without comments.
class Tokens {
public:
    explicit Tokens(std::string_view text) : text_(text) {}

    /// Empty at the end.
    std::string_view next() {
        skip();
        if (text_.empty()) {
            return {};
        }
        std::size_t length = 1;
        if (is_word(text_[0])) {
            while (length < text_.size() && is_word(text_[length])) {
                ++length;
            }
        }
        const std::string_view token = text_.substr(0, length);
        text_.remove_prefix(length);
        return token;
    }

private:
    void skip() {
        while (!text_.empty()) {
            if (text_.starts_with("//")) {
                drop_to("\n", 1);
            } else if (text_.starts_with("/*")) {
                drop_to("*/", 2);
            } else if (text_[0] == ' ' || text_[0] == '\t' || text_[0] == '\n' || text_[0] == '\r') {
                text_.remove_prefix(1);
            } else {
                return;
            }
        }
    }
    void drop_to(std::string_view end, std::size_t length) {
        const std::size_t at = text_.find(end, length);
        text_.remove_prefix(at == std::string_view::npos ? text_.size() : at + length);
    }

    std::string_view text_;
};

struct Type {
    std::string_view name;
    std::size_t bytes;
    ScalarType scalar;
};
constexpr std::array types{
    Type{".b8", 1, ScalarType::other},  Type{".u8", 1, ScalarType::other},
    Type{".s8", 1, ScalarType::other},  Type{".b16", 2, ScalarType::other},
    Type{".u16", 2, ScalarType::other}, Type{".s16", 2, ScalarType::other},
    Type{".f16", 2, ScalarType::f16},   Type{".b32", 4, ScalarType::other},
    Type{".u32", 4, ScalarType::other}, Type{".s32", 4, ScalarType::other},
    Type{".f32", 4, ScalarType::f32},   Type{".b64", 8, ScalarType::other},
    Type{".u64", 8, ScalarType::other}, Type{".s64", 8, ScalarType::other},
    Type{".f64", 8, ScalarType::f64},
};

// Reads one parameter, from after ".param" to the "," or ")" that ends it. Returns this token.
std::string_view read_parameter(Tokens& tokens, ParameterInfo& parameter) {
    std::string_view token = tokens.next();
    for (; !token.empty() && token != "," && token != ")"; token = tokens.next()) {
        if (token == ".align") {
            tokens.next();
        } else if (token == ".ptr") {
            parameter.kind = ParameterKind::buffer;
        } else if (token == "[") {
            parameter.kind = ParameterKind::value;
            parameter.bytes *= number(tokens.next());
        }
        for (const Type& type : types) {
            if (token == type.name) {
                parameter.bytes = type.bytes;
                parameter.type = type.scalar;
                // An integer may be an address, or the offset of a local array.
                if (type.scalar != ScalarType::other) {
                    parameter.kind = ParameterKind::value;
                }
            }
        }
    }
    return token;
}

KernelInfo read_entry(Tokens& tokens) {
    KernelInfo kernel;
    kernel.name = tokens.next();
    std::string_view token = tokens.next();
    if (token == "(") {
        for (token = tokens.next(); token == ".param";) {
            ParameterInfo parameter;
            token = read_parameter(tokens, parameter);
            kernel.parameters.push_back(parameter);
            if (token == ",") {
                token = tokens.next();
            }
        }
    }
    kernel.parameters_known = token == ")" || token == "{" || token.starts_with(".");
    for (; !token.empty() && token != "{" && token != ";"; token = tokens.next()) {
        if (token == ".reqntid") {
            kernel.required_local = {1, 1, 1};
            for (std::size_t& size : kernel.required_local) {
                size = number(tokens.next());
                token = tokens.next();
                if (token != ",") {
                    break;
                }
            }
            if (token == "{") {
                break;
            }
        }
    }
    return kernel;
}

} // namespace

bool is_ptx(std::string_view image) {
    // Machine code contains zero bytes; PTX text does not, except perhaps one at its end.
    image = image.substr(0, image.find_last_not_of('\0') + 1);
    return image.find(".version") != std::string_view::npos && image.find('\0') == std::string_view::npos;
}

// From NVIDIA's PTX ISA, its release notes.
std::string_view first_cuda_for(int ptx_version) noexcept {
    struct Row {
        int ptx;
        std::string_view cuda;
    };
    static constexpr std::array rows{Row{71, "11.1"}, Row{72, "11.2"}, Row{73, "11.3"}, Row{74, "11.4"},
                                     Row{75, "11.5"}, Row{76, "11.6"}, Row{77, "11.7"}, Row{78, "11.8"},
                                     Row{80, "12.0"}, Row{81, "12.1"}, Row{82, "12.2"}, Row{83, "12.3"},
                                     Row{84, "12.4"}, Row{85, "12.5"}, Row{86, "12.7"}, Row{87, "12.8"},
                                     Row{88, "12.9"}, Row{90, "13.0"}, Row{91, "13.1"}};
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.ptx == ptx_version; });
    return found == rows.end() ? std::string_view() : found->cuda;
}

std::string ptx_too_new(const Ptx& ptx, std::string_view driver) {
    const auto comparable = [](std::string_view version) {
        const std::size_t dot = std::min(version.find('.'), version.size());
        return number(version) * 100 + number(version.substr(std::min(dot + 1, version.size())));
    };
    const std::string_view needed = first_cuda_for(ptx.version);
    if (needed.empty() || comparable(driver) == 0 || comparable(needed) <= comparable(driver)) {
        return {};
    }
    return "PTX " + std::to_string(ptx.version / 10) + "." + std::to_string(ptx.version % 10) +
           ", which drivers for CUDA " + std::string(needed) + " and later take; this driver is for CUDA " +
           std::string(driver);
}

Ptx parse_ptx(std::string_view text) {
    Ptx ptx;
    Tokens tokens(text);
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
        if (token == ".version") {
            const std::string_view version = tokens.next(); // "8.5" is one word.
            ptx.version =
                static_cast<int>(number(version) * 10 +
                                 number(version.substr(std::min(version.find('.') + 1, version.size()))));
        } else if (token == ".target") {
            const std::string_view name = tokens.next();
            ptx.target = name.starts_with("sm_") ? static_cast<int>(number(name.substr(3))) : 0;
        } else if (token == ".entry") {
            ptx.kernels.push_back(read_entry(tokens));
        }
    }
    return ptx;
}

} // namespace ferry::cuda
