// SPDX-License-Identifier: Apache-2.0
#include "annotations.hpp"

#include "pack.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_map>
#include <utility>

namespace ferry::translate {
namespace {

using Table = std::unordered_map<std::string_view, const Annotation*>;

Table table_of(std::span<const Annotation> rows) {
    Table table;
    for (const Annotation& row : rows) {
        for (std::string_view names = row.names; !names.empty();) {
            const std::size_t comma = std::min(names.find(", "), names.size());
            table.emplace(names.substr(0, comma), &row);
            names.remove_prefix(std::min(comma + 2, names.size()));
        }
    }
    return table;
}

const Annotation* find(const Table& table, std::string_view name) {
    const auto found = table.find(name);
    return found == table.end() ? nullptr : found->second;
}

bool continues_word(char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// Removes and returns the first word of a pragma's text.
std::string_view first_word(std::string_view& text) {
    const auto end = std::find_if_not(text.begin(), text.end(), continues_word);
    const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(word.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return word;
}

std::string_view plain(std::string_view attribute) {
    const bool underscores = attribute.size() > 4 && attribute.starts_with("__") && attribute.ends_with("__");
    return underscores ? attribute.substr(2, attribute.size() - 4) : attribute;
}

const Annotation* find_attribute(std::string_view name) {
    static const Table table = table_of(known_attributes());
    return find(table, plain(name));
}

std::string refusal(std::string_view kind, std::string_view name, const Annotation* row) {
    return "the " + std::string(kind) + " " + translate::quoted(name.substr(0, 80)) +
           (row == nullptr ? " is not known, so it could change the result; remove it"
                           : " is refused: " + std::string(row->reason));
}

class Reader {
public:
    Reader(std::vector<Token>& tokens, Files& files, Diagnostics& diagnostics)
        : tokens_(tokens), pack_(files, diagnostics), diagnostics_(diagnostics) {}

    void run() {
        std::vector<Token> kept;
        kept.reserve(tokens_.size());
        for (std::size_t i = 0; i < tokens_.size();) {
            if (tokens_[i].kind == TokenKind::pragma) {
                pragma(tokens_[i], kept);
                ++i;
            } else if (tokens_[i].is("__attribute__") || tokens_[i].is("__attribute")) {
                i = attribute(i, kept);
            } else {
                if (tokens_[i].is("[") && tokens_[i + 1].is("[")) {
                    diagnostics_.error(tokens_[i].at,
                                       "OpenCL C has no attributes in [[ ]]; use __attribute__");
                }
                kept.push_back(tokens_[i]);
                ++i;
            }
        }
        tokens_ = pack_.applied(std::move(kept));
    }

private:
    void pragma(const Token& token, std::vector<Token>& kept) {
        if (std::string refusal = refusal_of_pragma(token.text); !refusal.empty()) {
            diagnostics_.error(token.at, std::move(refusal));
        } else if (const Pragma pragma = read_pragma(token.text);
                   pragma.name == "unroll" || pragma.name == "pack") {
            kept.push_back(token);
        }
    }

    /// The bracket that closes the one at `open`, or the end of the tokens.
    std::size_t closing(std::size_t open) const {
        std::size_t depth = 0;
        for (std::size_t i = open; i < tokens_.size(); ++i) {
            depth += tokens_[i].is("(") ? 1 : 0;
            if (tokens_[i].is(")") && --depth == 0) {
                return i;
            }
        }
        return tokens_.size();
    }

    /// Returns the position after the attribute. Tokens that are not a list in (( )) stay, and cause an error
    /// later.
    std::size_t attribute(std::size_t i, std::vector<Token>& kept) {
        Token word = tokens_[i];
        word.text = "__attribute__";
        const std::size_t close = tokens_[i + 1].is("(") ? closing(i + 1) : tokens_.size();
        if (close >= tokens_.size() || !tokens_[i + 2].is("(") || closing(i + 2) + 1 != close) {
            kept.push_back(word);
            return i + 1;
        }
        const std::size_t begun = kept.size();
        kept.insert(kept.end(), {word, tokens_[i + 1], tokens_[i + 2]});
        bool any = false;
        for (std::size_t n = i + 3; n + 1 < close;) {
            std::size_t end = n; // Of this attribute in the list.
            while (end + 1 < close && !tokens_[end].is(",")) {
                end = tokens_[end].is("(") ? closing(end) + 1 : end + 1;
            }
            if (end > n && is_implemented(tokens_[n])) {
                if (any) {
                    kept.push_back(comma(tokens_[n]));
                }
                tokens_[n].space_before = tokens_[n].space_before && any;
                any = true;
                kept.insert(kept.end(), tokens_.begin() + static_cast<std::ptrdiff_t>(n),
                            tokens_.begin() + static_cast<std::ptrdiff_t>(end));
            }
            n = end + 1;
        }
        if (any) {
            kept.insert(kept.end(), {tokens_[close - 1], tokens_[close]});
        } else {
            kept.resize(begun);
            if (tokens_[i].line_start) {
                tokens_[close + 1].line_start = true;
            }
        }
        return close + 1;
    }

    bool is_implemented(Token& name) {
        if (std::string refusal = refusal_of_attribute(name.text); !refusal.empty()) {
            diagnostics_.error(name.at, std::move(refusal));
            return false;
        }
        name.text = plain(name.text);
        return find_attribute(name.text)->treatment == Treatment::implemented;
    }

    static Token comma(const Token& at) {
        Token token = at;
        token.kind = TokenKind::punctuator;
        token.line_start = false;
        token.text = ",";
        return token;
    }

    std::vector<Token>& tokens_;
    Pack pack_;
    Diagnostics& diagnostics_;
};

} // namespace

void read_annotations(std::vector<Token>& tokens, Files& files, Diagnostics& diagnostics) {
    Reader(tokens, files, diagnostics).run();
}

Pragma read_pragma(std::string_view text) {
    static const Table table = table_of(known_pragmas());
    Pragma pragma;
    pragma.rest = text;
    pragma.name = first_word(pragma.rest);
    std::string_view behind = pragma.rest;
    std::string both = pragma.name + " " + std::string(first_word(behind));
    if (const Annotation* const row = find(table, both)) {
        return {std::move(both), behind, row};
    }
    pragma.row = find(table, pragma.name);
    if (pragma.row == nullptr && (pragma.name == "OPENCL" || pragma.name == "STDC" || pragma.name == "GCC" ||
                                  pragma.name == "clang")) {
        pragma.name = std::move(both);
    }
    return pragma;
}

std::string refusal_of_pragma(std::string_view text) {
    const Pragma pragma = read_pragma(text);
    if (text.empty() || (pragma.row == nullptr && pragma.name.starts_with("OPENCL cl_"))) {
        return {}; // "OPENCL cl_khr_fp64 : enable" lacks the word EXTENSION, and has the same effect.
    }
    if (pragma.row == nullptr || pragma.row->treatment == Treatment::refused) {
        return refusal("pragma", pragma.row != nullptr ? pragma.name : text, pragma.row);
    }
    if (pragma.name.ends_with("FP_CONTRACT") && pragma.rest != "ON" && pragma.rest != "OFF" &&
        pragma.rest != "DEFAULT") {
        return "the pragma " + translate::quoted(pragma.name) + " takes ON, OFF or DEFAULT, not " +
               translate::quoted(pragma.rest.substr(0, 80));
    }
    return {};
}

std::string refusal_of_attribute(std::string_view name) {
    const Annotation* const row = find_attribute(name);
    return row == nullptr || row->treatment == Treatment::refused ? refusal("attribute", name, row)
                                                                  : std::string();
}

std::string unknown_before_kernel(std::string_view word, std::string_view kernel) {
    return quoted(word.substr(0, 80)) + " before the kernel " + quoted(kernel) +
           " is neither 'void' nor an attribute; is a macro not defined?";
}

bool forbids_contraction(const Token& token) {
    if (token.kind != TokenKind::pragma) {
        return false;
    }
    const Pragma pragma = read_pragma(token.text);
    return pragma.name.ends_with("FP_CONTRACT") && pragma.rest == "OFF";
}

} // namespace ferry::translate
