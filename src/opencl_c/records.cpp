// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <algorithm>

namespace ferry::opencl_c {
namespace {

// Each unnamed record adds the names of its members to the record around it. As many levels as C requires.
constexpr std::uint32_t most_unnamed = 63;

} // namespace

Type Parser::record_specifier() {
    const bool is_union = tree_.tokens[advance()].text == "union";
    Attributes attributes_before;
    attributes(attributes_before);
    std::string_view tag;
    const std::uint32_t token = at();
    if (is_name()) {
        tag = tree_.tokens[advance()].text;
    }
    attributes(attributes_before);
    Tag* const known = tag.empty() ? nullptr : scopes_.find_tag(tag);
    if (!is("{")) {
        if (tag.empty()) {
            fail_here("expected a tag or '{' after '" + std::string(is_union ? "union" : "struct") +
                      "', but here is " + shown(at()));
        }
        const bool declares = is(";") && (known == nullptr || known->depth != scopes_.depth());
        if (known != nullptr && !declares) {
            if (!types_.is_record(known->type) || types_.record(known->type).is_union != is_union) {
                error(token, shown(token) + " is another kind of tag: " + name(known->type));
            }
            return known->type;
        }
        const Type type = types_.new_record({tag, {}, is_union, false, false, 0, 1, {}, tree_.place(token)});
        scopes_.add_tag(tag, type);
        return type;
    }
    Type type;
    if (known != nullptr && known->depth == scopes_.depth() && types_.is_record(known->type)) {
        type = known->type;
        if (types_.record(type).complete) {
            error(token, name(type) + " is defined already");
            type = types_.new_record({tag, {}, is_union, false, false, 0, 1, {}, tree_.place(token)});
        }
    } else {
        type = types_.new_record({tag, {}, is_union, false, false, 0, 1, {}, tree_.place(token)});
        if (!tag.empty()) {
            scopes_.add_tag(tag, type);
        }
    }
    const std::uint64_t pack = pack_;
    record_members(type);
    attributes(attributes_before);
    Record& record = types_.record(type);
    record.packed = attributes_before.packed;
    record.complete = true;
    types_.lay_out(record, attributes_before.aligned, pack);
    return type;
}

void Parser::record_members(Type type) {
    const Nesting nesting(*this);
    expect("{", "before the members");
    std::vector<Member> members;
    std::unordered_map<std::string_view, std::uint32_t> by_name;
    std::uint32_t unnamed_depth = 0;
    const auto add_member = [&](std::string_view member, Type t, std::uint32_t token, std::uint64_t aligned,
                                bool packed) {
        const auto number = static_cast<std::uint32_t>(members.size());
        std::optional<std::string_view> twice;
        if (!member.empty()) {
            if (!by_name.emplace(member, number).second) {
                twice = member;
            }
        } else if (types_.is_record(t)) {
            const Record& unnamed = types_.record(t);
            if (unnamed.unnamed_depth >= most_unnamed) {
                error(token, "unnamed structs and unions are " + std::to_string(most_unnamed + 1) +
                                 " within one another; the limit is " + std::to_string(most_unnamed));
                return;
            }
            unnamed_depth = std::max(unnamed_depth, unnamed.unnamed_depth + 1);
            for (const auto& [one, at] : unnamed.by_name) {
                if (!by_name.emplace(one, number).second) {
                    twice = twice ? std::min(*twice, one) : one;
                }
            }
        }
        if (twice) {
            error(token, "the member " + translate::quoted(*twice) + " is declared twice");
            if (!member.empty()) {
                return;
            }
        }
        members.push_back({member, t, aligned, tree_.place(token), packed});
    };
    while (!is("}")) {
        if (peek().kind == translate::TokenKind::end) {
            fail_here("expected '}' after the members, but here is the end of the text");
        }
        if (accept(";")) {
            continue;
        }
        const Specifiers s = specifiers(true);
        if (s.storage) {
            error(*s.storage, "a member has no storage class");
        }
        if (is(";")) {
            if (types_.is_record(s.type) && types_.record(s.type).tag.empty()) {
                add_member({}, s.type, s.token, s.attributes.aligned, false);
            } else if (!s.made_type) {
                warning(s.token, "the declaration declares no member");
            }
            advance();
            continue;
        }
        do {
            const Declarator d = declarator(s, false);
            if (accept(":")) {
                bool is_signed = false;
                static_cast<void>(constant_expression("the width of a bit-field", is_signed));
                error(d.token, "bit-fields are not in OpenCL C");
                continue;
            }
            if (d.name.empty()) {
                fail_here("expected a name, but here is " + shown(at()));
            }
            Type t = d.type;
            if (t.space() != Space::private_) {
                error(d.token, "a member cannot be in an address space of its own");
                t = t.in(Space::private_);
            }
            if (types_.is(t, TypeKind::function)) {
                error(d.token, "a member cannot be a function");
            } else if (types_.is_opaque(t)) {
                error(d.token, "a member cannot have type " + name(t));
            } else if (!types_.is_error(t) && !types_.is_complete(t)) {
                // The last member may be an array of unknown size, which adds nothing to the size of the
                // struct.
                const bool last = types_.is_array(t) && is(";") && peek(1).is("}");
                if (!last) {
                    error(d.token,
                          "the member " + translate::quoted(d.name) + " has the incomplete type " + name(t));
                    t = Types::basic(TypeKind::error);
                }
            }
            add_member(d.name, t, d.token, std::max(d.attributes.aligned, s.attributes.aligned),
                       d.attributes.packed || s.attributes.packed);
        } while (accept(","));
        expect(";", "after the member");
    }
    expect("}", "after the members");
    Record& record = types_.record(type);
    record.members = std::move(members);
    record.by_name = std::move(by_name);
    record.unnamed_depth = unnamed_depth;
}

Type Parser::enum_specifier() {
    advance();
    Attributes ignored;
    attributes(ignored);
    std::string_view tag;
    const std::uint32_t token = at();
    if (is_name()) {
        tag = tree_.tokens[advance()].text;
    }
    Tag* const known = tag.empty() ? nullptr : scopes_.find_tag(tag);
    if (!is("{")) {
        if (tag.empty()) {
            fail_here("expected a tag or '{' after 'enum', but here is " + shown(at()));
        }
        if (known != nullptr && types_.is(known->type, TypeKind::enumeration)) {
            return known->type;
        }
        const Type type = types_.new_enumeration({tag, false, TypeKind::uint});
        scopes_.add_tag(tag, type);
        return type;
    }
    const bool here = known != nullptr && known->depth == scopes_.depth();
    const bool declared =
        here && types_.is(known->type, TypeKind::enumeration) && !types_.enumeration(known->type).complete;
    if (here && !declared) {
        error(token, "the tag " + translate::quoted(tag) + " is used already");
    }
    const Type type = declared ? known->type : types_.new_enumeration({tag, false, TypeKind::uint});
    if (!tag.empty() && !declared) {
        scopes_.add_tag(tag, type);
    }
    enumerators(type);
    attributes(ignored);
    return type;
}

void Parser::enumerators(Type type) {
    advance();
    std::int64_t next = 0;
    bool negative = false;
    bool wide = false;
    bool is_unsigned = false;
    while (!is("}")) {
        if (!is_name()) {
            fail_here("expected the name of an enumerator, but here is " + shown(at()));
        }
        const std::uint32_t token = advance();
        if (accept("=")) {
            bool is_signed = true;
            next = static_cast<std::int64_t>(constant_expression("the value of an enumerator", is_signed));
            is_unsigned = !is_signed && next < 0; // It exceeds the range of long.
        } else {
            is_unsigned = is_unsigned && next < 0;
        }
        negative = negative || (next < 0 && !is_unsigned);
        wide = wide || is_unsigned || next > 0xffffffff || next < -2147483648LL;
        const std::string_view text = tree_.tokens[token].text;
        if (scopes_.find_here(text) != nullptr) {
            error(token, translate::quoted(text) + " is declared already");
        }
        Symbol symbol;
        symbol.kind = Symbol::Kind::enumerator;
        symbol.type = Types::basic(is_unsigned                                 ? TypeKind::ulong
                                   : next > 0xffffffff || next < -2147483648LL ? TypeKind::long_
                                   : next > 0x7fffffff                         ? TypeKind::uint
                                                                               : TypeKind::int_);
        symbol.value = next;
        symbol.token = token;
        scopes_.add(text, symbol);
        ++next;
        if (!accept(",")) {
            break;
        }
    }
    expect("}", "after the enumerators");
    types_.enumeration(type).complete = true;
    types_.enumeration(type).underlying =
        wide ? (negative ? TypeKind::long_ : TypeKind::ulong) : (negative ? TypeKind::int_ : TypeKind::uint);
}

} // namespace ferry::opencl_c
