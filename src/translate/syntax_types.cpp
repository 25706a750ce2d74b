// SPDX-License-Identifier: Apache-2.0
// The types declared in a text.
#include "constant_value.hpp"
#include "operands.hpp"
#include "syntax.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace ferry::translate {

void Syntax::find_types() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
        if (tokens_[i].is("typedef")) {
            std::size_t end = i + 1;
            while (end + 1 < tokens_.size() && !tokens_[end].is(";") && !tokens_[end].is("typedef")) {
                end = tokens_[end].is("{") || tokens_[end].is("(") || tokens_[end].is("[")
                          ? partners_[end] + 1
                          : end + 1;
            }
            add_typedef(i + 1, end);
        }
        const bool composite = tokens_[i].is("struct") || tokens_[i].is("union");
        if (!composite && !tokens_[i].is("enum")) {
            continue;
        }
        std::size_t open = i + 1;
        while (tokens_[open].is_identifier() || tokens_[open].is("(")) { // A tag, attributes.
            open = tokens_[open].is("(") ? partners_[open] + 1 : open + 1;
        }
        if (tokens_[open].is("{")) {
            composite ? read_members(i, open) : read_enumerators(open);
        }
    }
    find_vectors();
}

void Syntax::read_enumerators(std::size_t open) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::optional<std::int64_t> next = 0;
    for (std::size_t i = open + 1; i < partners_[open]; ++i) {
        const std::string_view name = tokens_[i].text;
        std::size_t end = i;
        while (end < partners_[open] && !tokens_[end].is(",")) {
            end = opens_bracket(tokens_[end]) ? partners_[end] + 1 : end + 1;
        }
        if (tokens_[i + 1].is("=")) {
            Diagnostics unheard; // Compilers report the errors.
            next = constant_value(*this, {i + 2, end}, tokens_[i].at, "an enumerator", unheard);
        }
        const auto [found, is_new] = enumerators_.emplace(name, next);
        if (!is_new && found->second != next) {
            found->second = std::nullopt;
        }
        next = next && *next < most ? std::optional(*next + 1) : std::nullopt;
        i = end;
    }
}

std::optional<std::int64_t> Syntax::enumerator(std::string_view name) const noexcept {
    const auto found = enumerators_.find(name);
    return found == enumerators_.end() ? std::nullopt : found->second;
}

void Syntax::read_members(std::size_t keyword, std::size_t open) {
    CompositeSyntax composite;
    composite.is_union = tokens_[keyword].is("union");
    if (tokens_[keyword + 1].is_identifier() && !tokens_[keyword + 1].is("__attribute__")) {
        composite.tag = tokens_[keyword + 1].text;
    }
    const std::size_t close = partners_[open];
    composite.may_overlap = composite.is_union;
    for (std::size_t m = open + 1; m < close; ++m) {
        const CompositeSyntax* const part = this->composite(tokens_[m].text);
        composite.may_overlap = composite.may_overlap || tokens_[m].is("[") || tokens_[m].is("union") ||
                                typedef_dimensions(tokens_[m].text) != 0 ||
                                (part != nullptr && part->may_overlap);
        if (tokens_[m].is("[")) { // An array of its own.
            m = partners_[m];
        } else {
            composite.may_point = composite.may_point || may_point({m, m + 1});
        }
    }
    std::string_view type;
    bool written_out = false;
    for (std::size_t m = open + 1; m < close; ++m) {
        const Token& t = tokens_[m];
        const Token& next = tokens_[m + 1];
        if (t.is("{") || t.is("[") || t.is("(")) {
            written_out = written_out || t.is("{");
            m = partners_[m];
        } else if (t.is(";")) {
            composite.has_unnamed = composite.has_unnamed || tokens_[m - 1].is("}");
            written_out = false;
        } else if (t.is_identifier() && (next.is(";") || next.is(",") || next.is("[") || next.is(":") ||
                                         (next.is("__attribute__") && !is_type(t.text) && !type.empty()))) {
            members_.insert(t.text);
            const std::string_view own = written_out ? t.text : type;
            std::size_t dimensions = typedef_dimensions(type);
            for (std::size_t n = m + 1; tokens_[n].is("["); n = partners_[n] + 1) {
                ++dimensions;
            }
            composite.members.push_back(
                {t.text, tokens_[m - 1].is("*") ? std::string_view() : own, dimensions});
        } else if (t.is_identifier()) {
            type = t.text;
        }
    }
    std::size_t name = close + 1;
    while (tokens_[name].is("__attribute__") && tokens_[name + 1].is("(")) {
        name = partners_[name + 1] + 1;
    }
    composite.name = tokens_[name].is_identifier() ? tokens_[name].text : std::string_view();
    for (const std::string_view word : {composite.tag, composite.name}) {
        if (!word.empty()) {
            composite_names_.emplace(word, composites_.size());
        }
    }
    composites_.push_back(std::move(composite));
}

// float4 a, b[2], *c; and parameters. After the first comma there may be something else.
void Syntax::find_vectors() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
        if (!tokens_[i].is_identifier()) {
            continue;
        }
        const std::string_view word = tokens_[i].text;
        if (is_vector_type(word)) {
            has_vectors_ = true;
            bool value = false;
            for (std::size_t n = i + 1; n < tokens_.size() && !tokens_[n].is(";") && !tokens_[n].is(")");
                 ++n) {
                if (tokens_[n].is("{") && !value) {
                    break; // A function.
                }
                if (tokens_[n].is("(") || tokens_[n].is("[") || tokens_[n].is("{")) {
                    n = partners_[n];
                    continue;
                }
                const Token& after = tokens_[n + 1]; // The next parameter.
                if (tokens_[n].is(",") && (is_type(after.text) || is_qualifier(after.text) ||
                                           after.is("struct") || after.is("union") || after.is("enum"))) {
                    break;
                }
                value = (value || tokens_[n].is("=")) && !tokens_[n].is(",");
                if (tokens_[n].is_identifier() && !value) {
                    vectors_.insert(tokens_[n].text);
                }
            }
        } else if (word.starts_with("vload") || word.starts_with("as_") || word.starts_with("convert_")) {
            has_vectors_ = has_vectors_ || (word.back() >= '0' && word.back() <= '9');
        }
    }
}

void Syntax::add_typedef(std::size_t begin, std::size_t end) {
    std::string_view base;
    std::string_view tag;
    bool pointer = false;
    bool star = false;
    std::size_t dimensions = 0;
    std::size_t name = end;
    std::size_t words = 0;
    for (std::size_t i = begin; i <= end && i < tokens_.size(); ++i) {
        const Token& t = tokens_[i];
        if (i == end || t.is(",")) {
            if (name != end) {
                // "typedef float real;" means a word; with more words or a struct it is a separate type.
                typedefs_[tokens_[name].text] = words == 2 && !pointer ? base : std::string_view();
                if (pointer) {
                    pointer_typedefs_[tokens_[name].text] = dimensions;
                }
                if (!star && (!tag.empty() || (pointer && words == 2))) {
                    tags_[tokens_[name].text] = tag.empty() ? base : tag;
                }
            }
            pointer = false;
            star = false;
            dimensions = 0;
            name = end;
            words = 1;
        } else if (t.is("__attribute__")) {
            i = tokens_[i + 1].is("(") ? partners_[i + 1] : i;
        } else if (t.is("{")) {
            i = partners_[i];
            base = {};
            ++words;
        } else if (t.is("[") || t.is("(")) {
            pointer = true;
            star = star || t.is("(");
            dimensions += t.is("[") ? 1 : 0;
            if (t.is("(") && tokens_[i + 1].is("*") && tokens_[i + 2].is_identifier()) {
                name = i + 2;
            }
            i = partners_[i];
        } else if (t.is("*")) {
            pointer = true;
            star = true;
        } else if (t.is_identifier() && !is_qualifier(t.text)) {
            const bool composite = i > begin && (tokens_[i - 1].is("struct") || tokens_[i - 1].is("union"));
            tag = composite ? t.text : tag;
            ++words;
            base = words == 1 ? t.text : base;
            name = i;
        }
    }
}

} // namespace ferry::translate
