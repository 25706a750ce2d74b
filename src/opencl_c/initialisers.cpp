// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <algorithm>
#include <memory>

// Initializers (C99 6.7.8): designators, and nested initializers without braces.
namespace ferry::opencl_c {

struct Parser::Item {
    struct Designator {
        std::string_view member; ///< Empty: an array element.
        std::int64_t first = 0, last = 0;
        std::uint32_t token = 0;
    };
    std::vector<Designator> designators;
    ExprId expr = 0;
    bool in_braces = false;
    std::vector<Item> items;
    std::uint32_t token = 0;
};

struct Parser::Object {
    Type type;
    ExprId value = 0;
    std::vector<std::unique_ptr<Object>> parts;
    std::uint32_t member = 0; ///< The initialized member of a union.
};

Parser::Item Parser::braces() {
    const Nesting nesting(*this);
    Item all;
    all.in_braces = true;
    all.token = advance();
    while (!is("}")) {
        all.items.push_back(item());
        if (!accept(",")) {
            break;
        }
    }
    expect("}", "after the initializers");
    return all;
}

Parser::Item Parser::item() {
    std::vector<Item::Designator> designators;
    while (is("[") || is(".")) {
        Item::Designator d;
        d.token = at();
        if (accept(".")) {
            if (!is_word()) {
                fail_here("expected a member's name, but here is " + shown(at()));
            }
            d.member = tree_.tokens[advance()].text;
        } else {
            advance();
            bool is_signed = false;
            d.first = static_cast<std::int64_t>(constant_expression("a designator", is_signed));
            d.last = d.first;
            if (accept("...")) {
                d.last = static_cast<std::int64_t>(constant_expression("a designator", is_signed));
            }
            expect("]", "after the designator");
        }
        designators.push_back(d);
    }
    if (!designators.empty()) {
        expect("=", "after the designator");
    }
    Item made;
    if (is("{")) {
        made = braces();
    } else {
        made.token = at();
        made.expr = assignment();
    }
    made.designators = std::move(designators);
    return made;
}

Parser::Object* Parser::part_of(Object& object, std::uint64_t place, std::uint32_t token) {
    Type type;
    std::uint64_t most = 0;
    if (types_.is_array(object.type)) {
        type = types_.element(object.type);
        most = types_.count(object.type);
    } else {
        const Record& record = types_.record(object.type);
        most = record.members.size();
        type = place < most ? record.members[place].type : type;
    }
    constexpr std::uint64_t most_parts = 1U << 24;
    if (place >= most || place >= most_parts) {
        if (place >= most_parts && place < most) {
            error(token, "an initializer has at most " + std::to_string(most_parts) + " elements");
        }
        return nullptr;
    }
    if (types_.is_record(object.type) && types_.record(object.type).is_union) {
        object.parts.clear();
        object.parts.push_back(std::make_unique<Object>());
        object.parts[0]->type = type;
        object.member = static_cast<std::uint32_t>(place);
        return object.parts[0].get();
    }
    if (object.parts.size() <= place) {
        object.parts.resize(place + 1);
    }
    if (object.parts[place] == nullptr) {
        object.parts[place] = std::make_unique<Object>();
        object.parts[place]->type = type;
    }
    object.value = 0;
    return object.parts[place].get();
}

bool Parser::fill_string(Object& object, ExprId string) {
    if (expr(string).kind != ExprKind::string || !types_.is_array(object.type)) {
        return false;
    }
    const TypeKind kind = types_.kind(types_.element(object.type));
    if (kind != TypeKind::char_ && kind != TypeKind::uchar) {
        return false;
    }
    const std::uint64_t length = types_.count(type_of(string));
    if (types_.count(object.type) == unknown_size) {
        object.type = types_.array(types_.element(object.type), length);
    } else if (length > types_.count(object.type) + 1) {
        warning(token_of(string), "the string is longer than the array of " +
                                      std::to_string(types_.count(object.type)) + " characters");
    }
    object.value = string;
    return true;
}

void Parser::fill_vector(Object& object, std::vector<Item>& items, std::uint32_t token) {
    std::vector<ExprId> values;
    for (const Item& one : items) {
        if (one.in_braces || !one.designators.empty()) {
            error(one.token, "the components of a vector are given without braces and designators");
            return;
        }
        values.push_back(one.expr);
    }
    unsigned count = 0;
    bool failed = false;
    for (ExprId& v : values) {
        v = value(v);
        failed = failed || is_bad(v);
        count += types_.lanes(type_of(v));
    }
    if (!failed && count != types_.lanes(object.type)) {
        error(token, "a " + name(object.type.plain()) + " needs " +
                         std::to_string(types_.lanes(object.type)) + " components; here are " +
                         std::to_string(count));
        return;
    }
    object.value = failed ? bad(token) : vector_literal(object.type.plain(), std::move(values), token);
}

/// Initializes one part of an object, from the next item. If the part has no braces of its own, it uses
/// further items.
void Parser::fill_part(Object& part, std::vector<Item>& items, std::size_t& next, std::size_t designator) {
    const Nesting nesting(*this);
    Item& one = items[next];
    if (designator < one.designators.size()) {
        const Item::Designator& d = one.designators[designator];
        std::uint64_t first = static_cast<std::uint64_t>(d.first);
        if (d.member.empty() ? !types_.is_array(part.type) : !types_.is_record(part.type)) {
            error(d.token, "the designator does not fit the type " + name(part.type.plain()));
            ++next;
            return;
        }
        if (!d.member.empty()) {
            const auto path = types_.find_member(part.type, d.member);
            if (!path) {
                error(d.token, name(part.type.plain()) + " has no member " + translate::quoted(d.member));
                ++next;
                return;
            }
            Object* inner = &part;
            for (const std::uint32_t place : *path) {
                inner = part_of(*inner, place, d.token);
            }
            fill_part(*inner, items, next, designator + 1);
            return;
        }
        if (Object* const inner = part_of(part, first, d.token)) {
            fill_part(*inner, items, next, designator + 1);
        } else {
            error(d.token, "the designator " + std::to_string(d.first) + " is outside of the type " +
                               name(part.type.plain()));
            ++next;
        }
        return;
    }
    if (one.in_braces) {
        ++next;
        if (types_.is_vector(part.type)) {
            fill_vector(part, one.items, one.token);
        } else if (types_.is_array(part.type) || types_.is_record(part.type)) {
            part.parts.clear();
            if (one.items.size() == 1 && !one.items[0].in_braces && fill_string(part, one.items[0].expr)) {
                return;
            }
            std::size_t inner = 0;
            fill(part, one.items, inner, true);
        } else if (one.items.empty()) {
            error(one.token, "a scalar cannot be initialized by empty braces");
        } else {
            std::size_t inner = 0;
            fill_part(part, one.items, inner, 0);
            if (inner < one.items.size()) {
                warning(one.items[inner].token, "more initializers than a scalar needs");
            }
        }
        return;
    }
    const ExprId e = one.expr;
    if (types_.is_array(part.type) || types_.is_record(part.type)) {
        if (fill_string(part, e)) {
            ++next;
            return;
        }
        const bool whole = types_.is_record(part.type) && type_of(e).plain() == part.type.plain();
        if (!whole && !is_bad(e)) {
            fill(part, items, next, false);
            return;
        }
    }
    ++next;
    part.parts.clear();
    part.value = convert(e, part.type, Use::initialise, one.token);
}

void Parser::fill(Object& object, std::vector<Item>& items, std::size_t& next, bool braced) {
    std::uint64_t place = 0;
    std::uint64_t end = 0;
    const bool open = types_.is_array(object.type) && types_.count(object.type) == unknown_size;
    const std::size_t begin = next;
    while (next < items.size()) {
        Item& one = items[next];
        // The designators of the first item led here, if there are no braces.
        const bool is_led = !braced && next == begin;
        if (!one.designators.empty() && !is_led) {
            if (!braced) {
                return; // The designator applies to the enclosing object.
            }
            const Item::Designator d = one.designators[0];
            if (d.member.empty() && types_.is_array(object.type)) {
                if (d.first < 0 || d.last < d.first) {
                    error(d.token, "the designator " + std::to_string(d.first) + " is outside of the array");
                    ++next;
                    continue;
                }
                const std::size_t again = next;
                for (auto at = static_cast<std::uint64_t>(d.first); at <= static_cast<std::uint64_t>(d.last);
                     ++at) {
                    next = again;
                    Object* const part = part_of(object, at, d.token);
                    if (part == nullptr) {
                        error(d.token, "the designator " + std::to_string(at) + " is outside of the type " +
                                           name(object.type.plain()));
                        ++next;
                        break;
                    }
                    fill_part(*part, items, next, 1);
                }
                place = static_cast<std::uint64_t>(d.last) + 1;
                end = std::max(end, place);
                continue;
            }
            fill_part(object, items, next, 0);
            if (types_.is_record(object.type)) {
                const auto path = types_.find_member(object.type, d.member);
                place = path ? (*path)[0] + 1U : place;
            }
            continue;
        }
        if (types_.is_record(object.type) && types_.record(object.type).is_union && place > 0) {
            place = types_.record(object.type).members.size();
        }
        Object* const part = part_of(object, place, one.token);
        if (part == nullptr) {
            break;
        }
        const std::size_t before = next;
        fill_part(*part, items, next, is_led ? one.designators.size() : 0);
        if (next == before) {
            error(one.token,
                  "an object of type " + name(part->type.plain()) + " has no parts, so it needs {}");
            ++next;
        }
        ++place;
        end = std::max(end, place);
        if (!braced && !open && types_.is_array(object.type) && place == types_.count(object.type)) {
            break;
        }
        if (!braced && types_.is_record(object.type) &&
            (types_.record(object.type).is_union || place == types_.record(object.type).members.size())) {
            break;
        }
    }
    if (braced && next < items.size()) {
        warning(items[next].token,
                "more initializers than the type " + name(object.type.plain()) + " has parts");
        next = items.size();
    }
    if (open) {
        object.type = types_.array(types_.element(object.type), end);
    }
}

ExprId Parser::finished(const Object& object, std::uint32_t token) {
    if (object.value != 0 || (!types_.is_array(object.type) && !types_.is_record(object.type))) {
        return object.value;
    }
    std::vector<ExprId> values;
    for (const auto& part : object.parts) {
        values.push_back(part != nullptr ? finished(*part, token) : 0);
    }
    Expr made;
    made.kind = ExprKind::initialiser;
    made.type = object.type.plain();
    made.token = token;
    made.index = object.member;
    made.list = list_of(values);
    return add(made);
}

ExprId Parser::initialiser(Type& type, bool) {
    if (!is("{")) {
        const std::uint32_t token = at();
        const ExprId e = assignment();
        Object whole;
        whole.type = type;
        if (fill_string(whole, e)) {
            type = whole.type;
            return e;
        }
        if (types_.is_array(type)) {
            if (!is_bad(e)) {
                error(token, "an array is initialized by a list in braces, or by a string if it is of char");
            }
            return bad(token);
        }
        return convert(e, type, Use::initialise, token);
    }
    std::vector<Item> one;
    one.push_back(braces());
    const std::uint32_t token = one[0].token;
    if (types_.is_error(type)) {
        return bad(token);
    }
    Object whole;
    whole.type = type;
    std::size_t next = 0;
    fill_part(whole, one, next, 0);
    type = whole.type;
    const ExprId made = finished(whole, token);
    return made != 0 ? made : bad(token);
}

} // namespace ferry::opencl_c
