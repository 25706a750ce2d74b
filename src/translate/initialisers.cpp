// SPDX-License-Identifier: Apache-2.0
#include "condition.hpp"
#include "rewrite.hpp"

#include <algorithm>
#include <map>

// {.b = 1, .a = 2} and {[2] = 5}: C++ has the first in the order of the members only, CUDA's not at all, and
// the second nowhere. Both become lists without names, {} for what is left out.
namespace ferry::translate {
namespace {

constexpr std::int64_t most_elements = 65536;

struct Element {
    Range designator; ///< empty if it has none; without the =
    Range value;
};

std::vector<Element> elements_of(const Syntax& syntax, std::size_t open) {
    std::vector<Element> elements;
    const std::size_t close = syntax.partner(open);
    for (std::size_t i = open + 1; i < close;) {
        Element e;
        e.value.begin = i;
        if (syntax[i].is(".") || syntax[i].is("[")) {
            e.designator.begin = i;
            while (i < close && !syntax[i].is("=") && !syntax[i].is(",")) {
                i = syntax[i].is("[") ? syntax.partner(i) + 1 : i + 1;
            }
            e.designator.end = i;
            i += syntax[i].is("=") ? 1 : 0;
            e.value.begin = i;
        }
        while (i < close && !syntax[i].is(",")) {
            const bool bracket = syntax[i].is("(") || syntax[i].is("[") || syntax[i].is("{");
            i = bracket ? syntax.partner(i) + 1 : i + 1;
        }
        e.value.end = i;
        elements.push_back(e);
        i += i < close ? 1 : 0;
    }
    return elements;
}

// The type's name that stands before the list: record r = {...} or (record){...}.
bool is_named(const CompositeSyntax& composite, const Syntax& syntax, std::size_t open) {
    const std::size_t low = open > 8 ? open - 8 : 0;
    for (std::size_t i = open; i > low && !syntax[i - 1].is(";") && !syntax[i - 1].is("{"); --i) {
        const std::string_view word = syntax[i - 1].text;
        if (syntax[i - 1].is_identifier() && (word == composite.name || word == composite.tag)) {
            return true;
        }
    }
    return false;
}

const CompositeSyntax* composite_of(const Syntax& syntax, std::size_t open,
                                    const std::vector<Element>& elements) {
    const CompositeSyntax* found = nullptr;
    for (const CompositeSyntax& c : syntax.composites()) {
        const bool all = std::all_of(elements.begin(), elements.end(), [&](const Element& e) {
            return e.designator.empty() || std::find(c.members.begin(), c.members.end(),
                                                     syntax[e.designator.begin + 1].text) != c.members.end();
        });
        if (all && is_named(c, syntax, open)) {
            return &c;
        }
        if (all && found != nullptr && found->members != c.members) {
            return nullptr;
        }
        found = all ? &c : found;
    }
    return found;
}

} // namespace

bool Rewriter::initialiser(std::size_t& i, std::size_t first, Output& out,
                           const Replacements* replacements) const {
    if (!syntax_[i + 1].is(".") && !syntax_[i + 1].is("[")) {
        bool designated = false;
        for (std::size_t n = i + 1; n < syntax_.partner(i) && !designated && !syntax_[n].is(";"); ++n) {
            const bool bracket = syntax_[n].is("(") || syntax_[n].is("[") || syntax_[n].is("{");
            n = bracket ? syntax_.partner(n) : n;
            designated = syntax_[n].is(",") && (syntax_[n + 1].is(".") || syntax_[n + 1].is("["));
        }
        if (!designated) {
            return false;
        }
    }
    const std::vector<Element> elements = elements_of(syntax_, i);
    const auto designated = std::find_if(elements.begin(), elements.end(),
                                         [](const Element& e) { return !e.designator.empty(); });
    if (designated == elements.end()) {
        return false;
    }
    const Token& at = syntax_[designated->designator.begin];
    const bool array = at.is("[");
    const CompositeSyntax* const composite = array ? nullptr : composite_of(syntax_, i, elements);
    if (!array && composite == nullptr) {
        diagnostics_.error(at.at, "the type that this designator belongs to is not clear; write the values "
                                  "in the order of the members");
        i = syntax_.partner(i) + 1;
        return true;
    }
    std::map<std::int64_t, const Element*> places;
    std::int64_t place = 0;
    for (const Element& e : elements) {
        if (!e.designator.empty()) {
            const std::size_t begin = e.designator.begin;
            const std::size_t behind = array ? syntax_.partner(begin) + 1 : begin + 2;
            if (syntax_[begin].is("[") != array || behind != e.designator.end) {
                diagnostics_.error(syntax_[begin].at,
                                   "a designator names one element or one member; write nested braces");
                break;
            }
            if (array) {
                const auto value = evaluate_integer({&syntax_[begin + 1], behind - begin - 2},
                                                    syntax_[begin].at, "a designator", diagnostics_);
                if (!value || *value < 0 || *value >= most_elements) {
                    diagnostics_.error(syntax_[begin].at, "a designator must be a constant from 0 to " +
                                                              std::to_string(most_elements - 1));
                    break;
                }
                place = *value;
            } else {
                const auto& members = composite->members;
                place = std::find(members.begin(), members.end(), syntax_[begin + 1].text) - members.begin();
            }
        }
        places[place++] = &e;
    }
    if (composite != nullptr && composite->is_union && places.count(0) == 0) {
        return false; // left to the compiler
    }
    out.push(syntax_[i]);
    std::int64_t next = 0;
    for (const auto& [where, element] : places) {
        for (; next < where; ++next) {
            out.put("{},");
        }
        tokens(element->value, first, out, replacements);
        out.put(",");
        ++next;
    }
    i = syntax_.partner(i);
    out.at(syntax_[i].at);
    out.push(syntax_[i]);
    ++i;
    return true;
}

} // namespace ferry::translate
