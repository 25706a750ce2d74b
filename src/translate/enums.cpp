// SPDX-License-Identifier: Apache-2.0
#include "enums.hpp"

#include "operands.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace ferry::translate {
namespace {

class Plainer {
public:
    Plainer(const Syntax& syntax, Files& files) : syntax_(syntax), files_(files) {}

    std::optional<std::vector<Token>> run() {
        const std::vector<Token>& tokens = syntax_.tokens();
        if (std::none_of(tokens.begin(), tokens.end(), [](const Token& t) { return t.is("enum"); })) {
            return std::nullopt;
        }
        for (std::size_t i = 0; i < tokens.size();) {
            i = tokens[i].is("enum") ? enumeration(i) : token(i);
        }
        return std::move(out_);
    }

private:
    // Gives the place behind it.
    std::size_t token(std::size_t i) {
        out_.push_back(syntax_[i]);
        const Token& t = syntax_[i];
        if (i >= held_ && (t.is(";") || t.is("{") || t.is("}"))) {
            if (t.is("{") && !is_block(i)) {
                held_ = syntax_.partner(i);
            } else {
                start_ = out_.size();
            }
        } else if (i >= held_ && (t.is("(") || t.is("["))) {
            held_ = syntax_.partner(i);
        }
        return i + 1;
    }

    // Of statements: not of members or of values.
    bool is_block(std::size_t open) const {
        if (open == 0) {
            return true;
        }
        const Token& before = syntax_[open - 1];
        if (before.is("=") || before.is(",") || before.is("struct") || before.is("union")) {
            return false;
        }
        if (before.is(")")) { // of a function's head, an if and its like, a literal or an attribute
            const std::size_t head = syntax_.partner(open - 1);
            return head > 0 && syntax_[head - 1].is_identifier() && !syntax_[head - 1].is("__attribute__");
        }
        return !(before.is_identifier() && open > 1 &&
                 (syntax_[open - 2].is("struct") || syntax_[open - 2].is("union")));
    }

    std::size_t enumeration(std::size_t i) {
        const std::size_t named = i + 1;
        const bool tagged = syntax_[named].is_identifier() && !syntax_[named].is("__attribute__");
        const std::size_t open = tagged ? named + 1 : named;
        const std::string_view tag = tagged ? syntax_[named].text : std::string_view();
        if (!syntax_[open].is("{")) {
            const auto known = types_.find(tag);
            if (known == types_.end()) { // it is to come, or has attributes
                return token(i);
            }
            word(i, known->second);
            return open;
        }
        const std::size_t close = syntax_.partner(open);
        const std::string_view type = has_negative(open) ? "int" : "uint";
        if (tagged) {
            types_[tag] = type;
        }
        if (start_ == out_.size() && syntax_[close + 1].is(";")) {
            list(out_, i, open, close);
            return close + 1;
        }
        std::vector<Token> first;
        list(first, i, open, close);
        first.push_back(syntax_[close]);
        first.back().text = ";";
        out_.insert(out_.begin() + static_cast<std::ptrdiff_t>(start_), first.begin(), first.end());
        start_ += first.size();
        word(i, type);
        return close + 1;
    }

    bool has_negative(std::size_t open) const {
        for (std::size_t i = open + 1; i < syntax_.partner(open); ++i) {
            const auto value = syntax_.enumerator(syntax_[i].text);
            if (value ? *value < 0 : syntax_[i].is("-") || syntax_[i].is("~")) {
                return true;
            }
        }
        return false;
    }

    void list(std::vector<Token>& to, std::size_t keyword, std::size_t open, std::size_t close) const {
        to.push_back(syntax_[keyword]);
        to.insert(to.end(), syntax_.tokens().begin() + static_cast<std::ptrdiff_t>(open),
                  syntax_.tokens().begin() + static_cast<std::ptrdiff_t>(close + 1));
    }

    void word(std::size_t i, std::string_view text) {
        out_.push_back(syntax_[i]);
        out_.back().text = files_.keep(std::string(text));
    }

    const Syntax& syntax_;
    Files& files_;
    std::unordered_map<std::string_view, std::string_view> types_; ///< by tag
    std::vector<Token> out_;
    std::size_t start_ = 0; ///< in out_: the statement that is being read
    std::size_t held_ = 0;  ///< up to here no statement begins
};

} // namespace

std::optional<std::vector<Token>> plain_enums(const Syntax& syntax, Files& files) {
    return Plainer(syntax, files).run();
}

} // namespace ferry::translate
