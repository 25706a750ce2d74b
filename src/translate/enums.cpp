// SPDX-License-Identifier: Apache-2.0
#include "enums.hpp"

#include "constant_value.hpp"
#include "operands.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <unordered_map>

namespace ferry::translate {
namespace {

class Plainer {
public:
    Plainer(const Syntax& syntax, Files& files, Diagnostics& diagnostics)
        : syntax_(syntax), files_(files), diagnostics_(diagnostics) {}

    std::optional<std::vector<Token>> run() {
        const std::vector<Token>& tokens = syntax_.tokens();
        if (std::none_of(tokens.begin(), tokens.end(), [](const Token& t) { return t.is("enum"); })) {
            return std::nullopt;
        }
        for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
            if (tokens[i].is("enum") && tokens[i + 1].is_identifier() && tokens[i + 2].is("{")) {
                all_lists_[tokens[i + 1].text].push_back(i + 2);
            }
        }
        for (std::size_t i = 0; i < tokens.size();) {
            i = tokens[i].is("enum") ? enumeration(i) : token(i);
        }
        return std::move(out_);
    }

private:
    using Values = std::unordered_map<std::string_view, std::optional<std::int64_t>>;
    struct List {
        Values values;
        std::int64_t least = 0;
        std::int64_t most = 0;
        std::size_t unclear = 0; ///< An enumerator that may be negative.
    };
    struct Scope {
        std::size_t end = 0; ///< Its closing brace.
        Values values;
        std::unordered_map<std::string_view, std::size_t> lists; ///< By tag: the opening brace.
    };

    // Returns the position after it.
    std::size_t token(std::size_t i) {
        out_.push_back(syntax_[i]);
        const Token& t = syntax_[i];
        if (t.is("{") && is_block(i)) {
            scopes_.push_back({syntax_.partner(i), {}, {}});
        } else if (scopes_.size() > 1 && i == scopes_.back().end) {
            scopes_.pop_back();
        }
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

    // A block of statements, not of members or values.
    bool is_block(std::size_t open) const {
        if (open == 0) {
            return true;
        }
        const Token& before = syntax_[open - 1];
        if (before.is("=") || before.is(",") || before.is("struct") || before.is("union")) {
            return false;
        }
        if (before.is(")")) { // Of a function's head, an if or similar, a literal or an attribute.
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
            const std::string_view type = tagged ? type_of(tag, open) : std::string_view();
            if (type.empty()) { // It does not exist, or has attributes.
                return token(i);
            }
            word(i, type);
            return open;
        }
        const std::size_t close = syntax_.partner(open);
        const bool alone = start_ == out_.size() && syntax_[close + 1].is(";");
        for (const auto& [name, value] : read(open).values) {
            scopes_.back().values[name] = value;
        }
        if (tagged) {
            scopes_.back().lists[tag] = open;
        }
        if (alone) {
            list(out_, i, open, close);
            return close + 1;
        }
        std::vector<Token> first;
        list(first, i, open, close);
        first.push_back(syntax_[close]);
        first.back().text = ";";
        out_.insert(out_.begin() + static_cast<std::ptrdiff_t>(start_), first.begin(), first.end());
        start_ += first.size();
        word(i, type_of_list(open));
        return close + 1;
    }

    // The type of an enum that is named before or after its list.
    std::string_view type_of(std::string_view tag, std::size_t from) {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
            if (const auto known = scope->lists.find(tag); known != scope->lists.end()) {
                return type_of_list(known->second);
            }
        }
        const std::vector<std::size_t>& lists = all_lists_[tag];
        const auto next = std::lower_bound(lists.begin(), lists.end(), from);
        return next == lists.end() ? std::string_view() : type_of_list(*next);
    }

    // The narrowest of int, uint, long and ulong, unsigned if possible.
    std::string_view type_of_list(std::size_t open) {
        const List& list = read(open);
        if (list.unclear != 0) {
            const Token& name = syntax_[list.unclear];
            diagnostics_.error(name.at,
                               "whether " + quoted(name.text.substr(0, 80)) +
                                   " is negative, which makes its enum an int and not a uint, is not "
                                   "clear; write its value as a number");
        }
        using Int = std::numeric_limits<std::int32_t>;
        if (list.least < 0) {
            return list.least >= Int::min() && list.most <= Int::max() ? "int" : "long";
        }
        return list.most <= std::numeric_limits<std::uint32_t>::max() ? "uint" : "ulong";
    }

    // As seen from the first read.
    const List& read(std::size_t open) {
        const auto [at, is_new] = lists_.try_emplace(open);
        List& list = at->second;
        if (!is_new) {
            return list;
        }
        constexpr std::int64_t most_long = std::numeric_limits<std::int64_t>::max();
        const std::size_t close = syntax_.partner(open);
        std::optional<std::int64_t> value = -1;
        for (std::size_t i = open + 1; i < close; ++i) {
            std::size_t end = i;
            while (end < close && !syntax_[end].is(",")) {
                end = opens_bracket(syntax_[end]) ? syntax_.partner(end) + 1 : end + 1;
            }
            if (syntax_[i + 1].is("=")) {
                Diagnostics unheard;
                value = constant_value(syntax_, {i + 2, end}, syntax_[i].at, "an enumerator", unheard,
                                       [&](std::string_view name) { return value_of(name, list); });
                list.unclear = !value && may_be_negative({i + 2, end}) ? i : list.unclear;
            } else {
                value = value && *value < most_long ? std::optional(*value + 1) : std::nullopt;
            }
            list.values[syntax_[i].text] = value;
            list.least = std::min(list.least, value.value_or(0));
            list.most = std::max(list.most, value.value_or(0));
            i = end;
        }
        return list;
    }

    std::optional<std::int64_t> value_of(std::string_view name, const List& list) const {
        if (const auto own = list.values.find(name); own != list.values.end()) {
            return own->second;
        }
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
            if (const auto found = scope->values.find(name); found != scope->values.end()) {
                return found->second;
            }
        }
        return std::nullopt;
    }

    bool may_be_negative(Range value) const {
        for (std::size_t i = value.begin; i < value.end; ++i) {
            if (is_one_of(syntax_[i], {"-", "~", "<<"}) || syntax_.is_ambiguous_enumerator(syntax_[i].text)) {
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
    Diagnostics& diagnostics_;
    std::vector<Scope> scopes_{1};                                             ///< Of the file, and of
                                                                               ///< blocks.
    std::unordered_map<std::string_view, std::vector<std::size_t>> all_lists_; ///< By tag.
    std::unordered_map<std::size_t, List> lists_;                              ///< By the opening brace.
    std::vector<Token> out_;
    std::size_t start_ = 0; ///< In out_: the statement that is being read.
    std::size_t held_ = 0;  ///< Up to here no statement begins.
};

} // namespace

std::optional<std::vector<Token>> plain_enums(const Syntax& syntax, Files& files, Diagnostics& diagnostics) {
    return Plainer(syntax, files, diagnostics).run();
}

} // namespace ferry::translate
