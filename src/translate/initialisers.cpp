// SPDX-License-Identifier: Apache-2.0
#include "constant_value.hpp"
#include "operands.hpp"
#include "rewrite.hpp"

#include <algorithm>
#include <map>

// {.b = 1, .a = 2}, {[2] = 5} and {.a.b[1] = 7}: C++ accepts the first form only in the order of the members,
// NVRTC's C++ does not accept it, and no C++ accepts the others. All become lists without names, with {} for
// omitted members, and braces around the value of an aggregate, because otherwise C++ would use later values
// for the aggregate as well.
namespace ferry::translate {
namespace {

constexpr std::int64_t most_elements = 65536;

std::vector<InitialiserElement> elements_of(const Syntax& syntax, std::size_t open) {
    std::vector<InitialiserElement> elements;
    const std::size_t close = syntax.partner(open);
    for (std::size_t i = open + 1; i < close;) {
        InitialiserElement e;
        if (syntax[i].is(".") || syntax[i].is("[")) {
            e.designator.begin = i;
            while (i < close && !syntax[i].is("=") && !syntax[i].is(",")) {
                i = syntax[i].is("[") ? syntax.partner(i) + 1 : i + 1;
            }
            e.designator.end = i;
            i += syntax[i].is("=") ? 1 : 0;
        }
        e.value.begin = i;
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

bool has_all(const CompositeSyntax& composite, const Syntax& syntax,
             const std::vector<InitialiserElement>& elements) {
    return std::all_of(elements.begin(), elements.end(), [&](const InitialiserElement& e) {
        return e.designator.empty() || !syntax[e.designator.begin].is(".") ||
               composite.place(syntax[e.designator.begin + 1].text) != composite.members.size();
    });
}

bool same_members(const CompositeSyntax& a, const CompositeSyntax& b) {
    return std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                      [](const MemberSyntax& x, const MemberSyntax& y) { return x.name == y.name; });
}

// The only composite that has all the named members. Null if there are several.
const CompositeSyntax* composite_with(const Syntax& syntax, const std::vector<InitialiserElement>& elements) {
    const CompositeSyntax* found = nullptr;
    for (const CompositeSyntax& c : syntax.composites()) {
        if (has_all(c, syntax, elements)) {
            if (found != nullptr && !same_members(*found, c)) {
                return nullptr;
            }
            found = &c;
        }
    }
    return found;
}

// The type of record r[2] = {...} and of (record){...}: the type name nearest to the list.
InitialiserType type_before(const Syntax& syntax, std::size_t open) {
    InitialiserType type;
    const bool literal = syntax[open - 1].is(")");
    std::size_t i = literal ? open - 1 : open;
    bool declarator = true;
    for (std::size_t steps = 0; i > 0 && steps < 64 && type.composite == nullptr; ++steps) {
        const Token& t = syntax[--i];
        if (t.is(";") || t.is("{") || t.is("(")) {
            break;
        }
        declarator = declarator && !t.is(",");
        if (t.is("]") || t.is("}") || t.is(")")) {
            type.dimensions += declarator && t.is("]") ? 1 : 0;
            i = syntax.partner(i);
        } else if (t.is_identifier()) {
            type.composite = syntax.composite(t.text);
            type.dimensions += syntax.typedef_dimensions(t.text);
        }
    }
    return type;
}

bool is_list(const Syntax& syntax, Range value) {
    return syntax[value.begin].is("{") && syntax.partner(value.begin) + 1 == value.end;
}

} // namespace

bool Rewriter::initialiser(std::size_t& i, std::size_t first, Output& out,
                           const Replacements* replacements) const {
    const std::size_t before = i > 1 && syntax_[i - 1].is(")") ? syntax_.partner(i - 1) : 0;
    const bool literal = before > 0 && !is_name(syntax_[before - 1]) && is_cast(before);
    if (i == 0 || !(literal || syntax_[i - 1].is("="))) {
        return false;
    }
    const std::size_t close = syntax_.partner(i);
    bool designated = false;
    for (std::size_t n = i; n < close && !designated; ++n) {
        designated =
            (syntax_[n].is("{") || syntax_[n].is(",")) && (syntax_[n + 1].is(".") || syntax_[n + 1].is("["));
    }
    if (!designated) {
        return false;
    }
    list(i, type_before(syntax_, i), first, out, replacements);
    i = close + 1;
    return true;
}

void Rewriter::list(std::size_t open, InitialiserType type, std::size_t first, Output& out,
                    const Replacements* replacements) const {
    const std::vector<InitialiserElement> elements = elements_of(syntax_, open);
    out.at(syntax_[open].at);
    out.push(syntax_[open]);
    if (std::any_of(elements.begin(), elements.end(),
                    [](const InitialiserElement& e) { return !e.designator.empty(); })) {
        initialise(elements, type, first, out, replacements);
    } else {
        std::int64_t place = 0;
        for (const InitialiserElement& e : elements) {
            const bool array = type.dimensions > 0;
            const InitialiserType part = part_of(type, array, place++);
            if (is_list(syntax_, e.value)) {
                list(e.value.begin, part, first, out, replacements);
            } else {
                tokens(e.value, first, out, replacements);
                type = part.is_aggregate() ? InitialiserType() : type; // The number of values that it takes
                                                                       // is unknown.
            }
            insert_raw(out.tokens(), out.tokens().size(), {","});
        }
    }
    out.at(syntax_[syntax_.partner(open)].at);
    out.push(syntax_[syntax_.partner(open)]);
}

// The values of each place of an aggregate: one value, or several of its parts.
std::map<std::int64_t, std::vector<InitialiserElement>>
Rewriter::places_of(const std::vector<InitialiserElement>& elements, bool array, InitialiserType type) const {
    std::map<std::int64_t, std::vector<InitialiserElement>> places;
    std::int64_t place = 0;
    bool open_ended = false; // The place of a value without a designator is unknown.
    for (InitialiserElement e : elements) {
        const Token& at = syntax_[e.designator.empty() ? e.value.begin : e.designator.begin];
        if (e.designator.empty() && open_ended) {
            diagnostics_.error(at.at,
                               "which part of what is initialised gets this value is not clear; write braces "
                               "around the values of the array or struct before it");
            break;
        }
        if (!e.designator.empty()) {
            const std::size_t begin = e.designator.begin;
            if (at.is("[") != array || !(at.is("[") || (at.is(".") && syntax_[begin + 1].is_identifier()))) {
                diagnostics_.error(at.at, array ? "an element's number is expected: [n] = value"
                                                : "a member is expected: .name = value");
                break;
            }
            const std::size_t behind = array ? syntax_.partner(begin) + 1 : begin + 2;
            if (array) {
                const auto value = constant_value(syntax_, {begin + 1, behind - 1}, syntax_[begin].at,
                                                  "a designator", diagnostics_);
                if (!value || *value < 0 || *value >= most_elements) {
                    diagnostics_.error(at.at, "a designator must be a constant from 0 to " +
                                                  std::to_string(most_elements - 1));
                    break;
                }
                place = *value;
            } else {
                place = static_cast<std::int64_t>(type.composite->place(syntax_[begin + 1].text));
            }
            e.designator.begin = std::min(behind, e.designator.end);
        }
        std::vector<InitialiserElement>& there = places[place];
        if (e.designator.empty()) {
            there.clear(); // The last one counts.
        } else if (!there.empty() && there.back().designator.empty()) {
            diagnostics_.error(at.at, "this part has got its value with the whole before; write one list");
            break;
        }
        there.push_back(e);
        const bool braces = syntax_[e.value.begin].is("{");
        open_ended = !e.designator.empty() || (!braces && part_of(type, array, place).is_aggregate());
        ++place;
    }
    return places;
}

InitialiserType Rewriter::part_of(InitialiserType type, bool array, std::int64_t place) const {
    if (array) {
        type.dimensions -= type.dimensions > 0 ? 1 : 0;
        return type;
    }
    const auto at = static_cast<std::size_t>(place);
    if (type.dimensions > 0 || type.composite == nullptr || at >= type.composite->members.size()) {
        return {};
    }
    const MemberSyntax& member = type.composite->members[at];
    return {syntax_.composite(member.type), member.dimensions};
}

void Rewriter::initialise(const std::vector<InitialiserElement>& elements, InitialiserType type,
                          std::size_t first, Output& out, const Replacements* replacements) const {
    const auto designated = std::find_if(elements.begin(), elements.end(),
                                         [](const InitialiserElement& e) { return !e.designator.empty(); });
    const Token& at = syntax_[designated->designator.begin];
    const bool array = at.is("[");
    if (!array && (type.composite == nullptr || !has_all(*type.composite, syntax_, elements))) {
        type.composite = composite_with(syntax_, elements);
        if (type.composite == nullptr) {
            diagnostics_.error(at.at,
                               "the type that this designator belongs to is not clear; write the values "
                               "in the order of the members");
            return;
        }
    }
    const auto places = places_of(elements, array, type);
    const bool is_union = !array && type.composite->is_union;
    const auto raw = [&](std::initializer_list<std::string_view> texts) {
        insert_raw(out.tokens(), out.tokens().size(), texts);
    };
    std::int64_t next = 0;
    for (const auto& [where, parts] : places) {
        const InitialiserType part = part_of(type, array, where);
        for (; next < where && !is_union; ++next) {
            raw({"{", "}", ","});
        }
        const bool by_name = is_union && where != 0;
        if (by_name && where >= static_cast<std::int64_t>(type.composite->members.size())) {
            diagnostics_.error(at.at, "a union gets one value; this list has more");
            return;
        }
        if (by_name) {
            const std::string_view name = type.composite->members[static_cast<std::size_t>(where)].name;
            raw({".", name, "="});
        }
        if (parts.back().designator.empty() && is_list(syntax_, parts.back().value)) {
            list(parts.back().value.begin, part, first, out, replacements);
        } else {
            const bool whole = parts.back().designator.empty();
            const bool braces = !whole || part.is_aggregate();
            if (braces) {
                raw({"{"});
            }
            if (whole) {
                tokens(parts.back().value, first, out, replacements);
            } else {
                initialise(parts, part, first, out, replacements);
            }
            if (braces) {
                raw({"}"});
            }
        }
        raw({","});
        ++next;
    }
}

} // namespace ferry::translate
