// SPDX-License-Identifier: Apache-2.0
#include "rewrite.hpp"

#include <algorithm>
#include <cctype>

namespace ferry_double {

namespace {

struct Token {
    std::size_t begin, end;
    bool word;
};

std::size_t skip_quoted(std::string_view text, std::size_t at) {
    const char quote = text[at++];
    while (at < text.size() && text[at] != quote && text[at] != '\n') {
        at += text[at] == '\\' ? 2 : 1;
    }
    return std::min(at + 1, text.size());
}

std::vector<Token> tokens_of(std::string_view text) {
    std::vector<Token> tokens;
    const auto letter = [&](std::size_t at) {
        return at < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
    };
    bool line_start = true;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '\n') {
            line_start = true;
            ++at;
        } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            ++at;
        } else if (text.substr(at, 2) == "//") {
            at = std::min(text.find('\n', at), text.size());
        } else if (text.substr(at, 2) == "/*") {
            const std::size_t end = text.find("*/", at);
            at = end != std::string_view::npos ? end + 2 : text.size();
        } else if (c == '#' && line_start) { // a line marker or a pragma
            at = std::min(text.find('\n', at), text.size());
        } else {
            line_start = false;
            std::size_t end = at + 1;
            const bool word = letter(at);
            if (word) {
                while (letter(end) ||
                       (text[at] <= '9' && end < text.size() && (text[end] == '\'' || text[end] == '.'))) {
                    ++end;
                }
            } else if (c == '"' || c == '\'') {
                end = skip_quoted(text, at);
            }
            tokens.push_back({at, end, word});
            at = end;
        }
    }
    return tokens;
}

class Rewriter {
public:
    explicit Rewriter(std::string_view text) : text_(text), tokens_(tokens_of(text)) {}

    Rewritten run() {
        for (at_ = 0; at_ != tokens_.size(); ++at_) {
            const std::string_view token = word(at_);
            if (token == "{") {
                open();
            } else if (token == "}") {
                template_ = false;
                if (!scopes_.empty()) {
                    scopes_.pop_back();
                }
            } else if (token == ";") {
                template_ = false;
            } else if (token == "template") {
                template_ = true;
            } else if (token == "__global__") {
                kernel();
            } else if (token == "extern") {
                dynamic_shared();
            } else if (token == "asm") {
                ptx();
            } else {
                result_.barriers = result_.barriers || waits(token);
            }
        }
        result_.text.append(text_.substr(copied_));
        return std::move(result_);
    }

private:
    struct Scope {
        bool names; // a namespace or extern "C"; otherwise a function, a class or similar
        std::string name;
    };

    std::string_view word(std::size_t i) const {
        return i < tokens_.size() ? text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin)
                                  : std::string_view{};
    }

    static bool waits(std::string_view name) {
        constexpr std::string_view some[] = {"__syncthreads", "__syncwarp", "__shfl",
                                             "__ballot",      "__any",      "__all"};
        return std::any_of(std::begin(some), std::end(some),
                           [&](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; });
    }

    void open() {
        Scope scope{false, {}};
        if (at_ >= 2 && word(at_ - 2) == "extern") {
            scope.names = true;
        } else if (at_ >= 1 && word(at_ - 1) == "namespace") {
            scope.names = true;
        } else if (at_ >= 2 && word(at_ - 2) == "namespace") {
            scope = {true, std::string(word(at_ - 1)) + "::"};
        }
        scopes_.push_back(std::move(scope));
    }

    /// The token after the parenthesis that closes the one at `i`.
    std::size_t after_parentheses(std::size_t i) const {
        int depth = 0;
        for (; i < tokens_.size(); ++i) {
            depth += word(i) == "(" ? 1 : word(i) == ")" ? -1 : 0;
            if (depth == 0) {
                return i + 1;
            }
        }
        return i;
    }

    /// The kinds of parameters in the list that opens at token `i`.
    std::vector<bool> parameters(std::size_t i) const {
        std::vector<bool> pointers;
        const std::size_t end = after_parentheses(i) - 1;
        int depth = 0;
        bool empty = true;
        for (++i; i < end; ++i) {
            if (empty) {
                pointers.push_back(false);
                empty = false;
            }
            depth += word(i) == "(" || word(i) == "<" ? 1 : word(i) == ")" || word(i) == ">" ? -1 : 0;
            if (word(i) == "*" || word(i) == "[") {
                pointers.back() = true;
            } else if (word(i) == "," && depth == 0) {
                pointers.push_back(false);
            }
        }
        return pointers;
    }

    static bool attribute(std::string_view token) {
        return token == "__launch_bounds__" || token == "__attribute__" || token == "__align__" ||
               token == "alignas" || token == "__declspec";
    }

    void kernel() {
        for (std::size_t i = at_ + 1; i < tokens_.size() && word(i) != ";" && word(i) != "{";) {
            if (word(i + 1) == "(" && tokens_[i].word) {
                if (!attribute(word(i))) {
                    std::string name;
                    for (const Scope& scope : scopes_) {
                        name += scope.name;
                    }
                    name += word(i);
                    const bool known =
                        std::any_of(result_.kernels.begin(), result_.kernels.end(),
                                    [&](const FoundKernel& kernel) { return kernel.name == name; });
                    if (!template_ && !known) {
                        result_.kernels.push_back({name, parameters(i + 1)});
                    }
                    return;
                }
                i = after_parentheses(i + 1);
            } else {
                ++i;
            }
        }
    }

    /// Replaces asm("cvt.f32.f16 %0, %1;" : "=f"(to) : "h"(from)) by a call of a prelude function.
    void ptx() {
        const std::string_view text = word(at_ + 2);
        const bool instruction =
            text.size() > 3 && text[0] == '"' && text.find(' ') != std::string_view::npos;
        if (word(at_ + 1) != "(" || !instruction) {
            return;
        }
        std::string name(text.substr(1, text.find(' ') - 1));
        std::replace(name.begin(), name.end(), '.', '_');
        std::string arguments;
        const std::size_t end = after_parentheses(at_ + 1);
        for (std::size_t i = at_ + 3; i + 1 < end; ++i) {
            if (word(i).substr(0, 1) == "\"" && word(i + 1) == "(") {
                const Token& close = tokens_[after_parentheses(i + 1) - 1];
                arguments += arguments.empty() ? "" : ", ";
                arguments += text_.substr(tokens_[i + 1].end, close.begin - tokens_[i + 1].end);
            }
        }
        result_.text.append(text_.substr(copied_, tokens_[at_].begin - copied_));
        result_.text += "ferry_double::ptx_" + name + "(" + arguments + ")";
        at_ = end - 1;
        copied_ = tokens_[at_].end;
    }

    void dynamic_shared() {
        std::string type;
        std::size_t i = at_ + 1;
        bool shared = false;
        for (; i < tokens_.size() && word(i + 1) != "[" && word(i) != ";" && word(i) != "{"; ++i) {
            if (word(i) == "__shared__") {
                shared = true;
            } else if (attribute(word(i))) {
                i = after_parentheses(i + 1) - 1;
            } else {
                type += std::string(word(i)) + " ";
            }
        }
        if (!shared || word(i + 1) != "[" || word(i + 2) != "]" || word(i + 3) != ";") {
            return;
        }
        const bool inside =
            std::any_of(scopes_.begin(), scopes_.end(), [](const Scope& s) { return !s.names; });
        const std::string proxy = "ferry_double::DynamicShared<" + type + ">";
        const std::string name(word(i));
        result_.text.append(text_.substr(copied_, tokens_[at_].begin - copied_));
        result_.text += inside ? type + "* const " + name + " = " + proxy + "();"
                               : "static const " + proxy + " " + name + "{};";
        copied_ = tokens_[i + 3].end;
        const std::string_view gone = text_.substr(tokens_[at_].begin, copied_ - tokens_[at_].begin);
        result_.text.append(static_cast<std::size_t>(std::count(gone.begin(), gone.end(), '\n')), '\n');
        at_ = i + 3;
        template_ = false;
    }

    std::string_view text_;
    std::vector<Token> tokens_;
    std::vector<Scope> scopes_;
    Rewritten result_;
    std::size_t at_ = 0;
    std::size_t copied_ = 0;
    bool template_ = false;
};

} // namespace

Rewritten rewrite(std::string_view text) {
    return Rewriter(text).run();
}

} // namespace ferry_double
