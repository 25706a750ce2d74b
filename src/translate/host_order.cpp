// SPDX-License-Identifier: Apache-2.0
#include "host_order.hpp"

#include "operands.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ferry::translate {
namespace {

// A load, a store or both, in the order of the text.
struct Access {
    std::size_t token = 0;
    std::size_t statement = 0;
    bool load = false;
    bool store = false;
    bool nested = false;   ///< A store that is a part of an expression.
    bool repeated = false; ///< A store in a loop; its iterations may store in any order of addresses.
    Space space = Space::none;
};

class Order {
public:
    Order(const Syntax& syntax, Range range, const MemoryNames& names)
        : syntax_(syntax), range_(range), names_(names) {}

    bool is_free() {
        for (std::size_t i = range_.begin; i < range_.end; ++i) {
            token(i);
        }
        const auto is_free_in = [&](Space space) {
            std::vector<Access> accesses;
            for (const Access& a : accesses_) {
                if (a.space == space || a.space == Space::none) {
                    accesses.push_back(a);
                }
            }
            return !loads_behind_store(accesses) && !stores_between(accesses) && !mixes_in_loops(accesses);
        };
        if (jumps_ &&
            std::any_of(accesses_.begin(), accesses_.end(), [](const Access& a) { return a.store; })) {
            return false; // Later accesses may be moved before it.
        }
        return is_free_in(Space::local) && is_free_in(Space::global);
    }

private:
    void token(std::size_t i) {
        const Token& t = syntax_[i];
        depth_ -= closes_bracket(t) && !t.is("}") ? 1 : 0;
        if (t.is("{") || t.is("}") || (depth_ == 0 && (t.is(";") || t.is(",")))) {
            ++statement_;
        } else if (t.is("goto")) {
            jumps_ = true;
        } else if (is_one_of(t, {"for", "while", "do"})) {
            loops_.push_back({i, behind_statement(syntax_, {i, range_.end})});
        } else if (t.is_identifier() && syntax_[i + 1].is("(")) {
            call(i);
        } else if (t.is("->") || (t.is("[") && i > range_.begin && is_operand(syntax_[i - 1]))) {
            access(i, postfix_begin(syntax_.tokens(), i, range_.begin), behind_postfix(i));
        } else if (t.is("*") && syntax_.is_unary(i)) {
            access(i, i, behind_operand(i + 1));
        } else if (names_.is_object(t.text) && is_use(i)) {
            access(i, i, behind_postfix(i + 1));
        }
        depth_ += opens_bracket(t) && !t.is("{") ? 1 : 0;
    }

    static bool is_operand(const Token& t) {
        return is_name(t) || t.is("]") || t.is(")") || t.kind == TokenKind::number;
    }

    // A use of an object itself: not a member with that name, nor its address or an element of it.
    bool is_use(std::size_t i) const {
        const bool member = i > range_.begin && (syntax_[i - 1].is(".") || syntax_[i - 1].is("->"));
        const bool address = i > range_.begin && syntax_[i - 1].is("&") && syntax_.is_unary(i - 1);
        return !member && !address && !syntax_[i + 1].is("[") && !syntax_[i + 1].is("->");
    }

    bool begins_type(const Token& t) const {
        return is_one_of(t, {"struct", "union", "enum"}) ||
               (t.is_identifier() && (is_qualifier(t.text) || syntax_.is_type(t.text)));
    }

    // The end of the operand of a prefix operator: casts and operators, and then a postfix expression.
    std::size_t behind_operand(std::size_t i) const {
        while (i < range_.end) {
            if (syntax_[i].is("(") && begins_type(syntax_[i + 1])) {
                i = syntax_.partner(i) + 1;
            } else if (is_one_of(syntax_[i], {"*", "&", "+", "-", "!", "~", "++", "--", "sizeof"})) {
                ++i;
            } else {
                break;
            }
        }
        i = i < range_.end && opens_bracket(syntax_[i]) ? syntax_.partner(i) + 1 : i + 1;
        while (i < range_.end) {
            if (syntax_[i].is("[") || syntax_[i].is("(")) {
                i = syntax_.partner(i) + 1;
            } else if (syntax_[i].is(".") || syntax_[i].is("->")) {
                i += 2;
            } else if (syntax_[i].is("++") || syntax_[i].is("--")) {
                ++i;
            } else {
                break;
            }
        }
        return i;
    }

    // From a [ or a member operator on.
    std::size_t behind_postfix(std::size_t i) const {
        while (i < range_.end) {
            if (syntax_[i].is("[")) {
                i = syntax_.partner(i) + 1;
            } else if (syntax_[i].is(".") || syntax_[i].is("->")) {
                i += 2;
            } else {
                break;
            }
        }
        return i;
    }

    void access(std::size_t i, std::size_t begin, std::size_t end) {
        for (std::size_t before = begin; before > range_.begin; before = begin) {
            const Token& t = syntax_[begin - 1];
            if (t.is("(") && syntax_.partner(begin - 1) == end &&
                !(begin - 1 > range_.begin && is_name(syntax_[begin - 2]))) {
                --begin;
                end = behind_postfix(end + 1);
            } else if (t.is("*") && syntax_.is_unary(begin - 1)) {
                --begin;
            }
            if (begin == before) {
                break;
            }
        }
        const bool counts = is_one_of(syntax_[end], {"++", "--"}) ||
                            (begin > range_.begin && is_one_of(syntax_[begin - 1], {"++", "--"}));
        const bool store = counts || is_assignment(syntax_[end]);
        // Count each expression once.
        if (!accesses_.empty() && store && accesses_.back().store && last_begin_ == begin) {
            return;
        }
        last_begin_ = begin;
        const bool load = !store || counts || !syntax_[end].is("=");
        accesses_.push_back({i, statement_, load, store, store && depth_ != 0,
                             store && !steps_evenly({begin, end}), space_of({begin, end})});
    }

    // The memory accessed by name[index], name[index].member, name->member, *name or *(name + index). An
    // element or a member may itself be a pointer to other memory.
    Space space_of(Range place) const {
        std::size_t i = place.begin;
        if (syntax_[i].is("*")) {
            const bool sum = syntax_[i + 1].is("(") && syntax_.partner(i + 1) + 1 == place.end;
            const std::size_t name = sum ? i + 2 : i + 1;
            if (names_.dimensions(syntax_[name].text) != 1 || (!sum && name + 1 != place.end)) {
                return Space::none;
            }
            for (std::size_t n = name + 1; n + 1 < place.end; ++n) {
                if (!is_plain(n) || (n == name + 1 && !is_one_of(syntax_[n], {"+", "-"}))) {
                    return Space::none;
                }
            }
            return names_.space(syntax_[name].text);
        }
        const std::string_view name = syntax_[i++].text;
        std::size_t dimensions = names_.dimensions(name);
        if (dimensions == 1 && syntax_[i].is("->")) {
            dimensions = 0;
            i += 2;
        }
        for (; i < place.end && syntax_[i].is("[") && dimensions > 0; --dimensions) {
            i = syntax_.partner(i) + 1;
        }
        while (i < place.end && syntax_[i].is(".")) {
            i += 2;
        }
        return i == place.end && dimensions == 0 ? names_.space(name) : Space::none;
    }

    // A number, an operator or a variable that is not in memory.
    bool is_plain(std::size_t i) const {
        const Token& t = syntax_[i];
        if (t.is_identifier()) {
            return names_.space(t.text) == Space::none && !syntax_[i + 1].is("(") && !syntax_[i + 1].is("[");
        }
        return t.kind == TokenKind::number || is_one_of(t, {"+", "-", "*", "(", ")"});
    }

    // Whether the enclosing loops advance by the same distance each time, or not at all: a variable of a head
    // occurs in it once, and nothing else that changes there.
    bool steps_evenly(Range place) {
        std::size_t stepped = 0;
        for (const Range& loop : loops_) {
            if (place.begin < loop.begin || place.begin >= loop.end) {
                continue;
            }
            const Changes& changes = changes_of(loop);
            for (std::size_t i = place.begin; i < place.end; ++i) {
                const Token& t = syntax_[i];
                const bool member = i > place.begin && is_one_of(syntax_[i - 1], {".", "->"});
                if (!t.is_identifier() || member) {
                    if (!member && t.kind != TokenKind::number &&
                        !is_one_of(t, {"+", "-", "*", "(", ")", "[", "]", ".", "->"})) {
                        return false;
                    }
                    continue;
                }
                if (syntax_[i + 1].is("(") || changes.otherwise.count(t.text) != 0) {
                    return false;
                }
                stepped += changes.in_head.count(t.text);
            }
        }
        return stepped <= 1;
    }

    // Variables that are assigned, counted, declared or pointed to in a loop.
    struct Changes {
        std::unordered_set<std::string_view> in_head; ///< And nowhere else, in the step by ++, --, += and -=.
        std::unordered_set<std::string_view> otherwise;
    };
    const Changes& changes_of(const Range& loop) {
        const auto [at, is_new] = changes_.try_emplace(loop.begin);
        if (!is_new) {
            return at->second;
        }
        const std::size_t head = syntax_[loop.begin].is("for") ? syntax_.partner(loop.begin + 1) : loop.begin;
        std::size_t parts = 0;
        for (std::size_t i = loop.begin + 1; i < loop.end; ++i) {
            parts += syntax_[i].is(";") && i < head ? 1 : 0;
            const bool assigned = is_assignment(syntax_[i + 1]);
            const bool counted =
                is_one_of(syntax_[i + 1], {"++", "--"}) || is_one_of(syntax_[i - 1], {"++", "--", "&"});
            if (!syntax_[i].is_identifier() || !(assigned || counted)) {
                continue;
            }
            const bool even = !assigned || parts == 0 || is_one_of(syntax_[i + 1], {"+=", "-="});
            (i < head && even ? at->second.in_head : at->second.otherwise).insert(syntax_[i].text);
        }
        return at->second;
    }

    void call(std::size_t i) {
        static constexpr std::array<std::string_view, 6> out_of_order{"fract", "modf",   "sincos",
                                                                      "frexp", "remquo", "lgamma_r"};
        const std::string_view name = syntax_[i].text;
        if (const FunctionSyntax* const f = syntax_.function(name)) {
            bool reads = false;
            bool writes = false;
            for (const ParameterSyntax& p : f->parameters) {
                reads = reads || syntax_.may_point(p.all);
                writes = writes || (syntax_.may_point(p.all) && !points_to_const(p));
            }
            if (std::unordered_set<std::string_view> seen; makes_pointers(*f, seen)) {
                reads = writes = true;
            }
            for (int times = reads ? (writes ? 3 : 1) : 0; times > 0; --times) { // The number of stores is
                                                                                 // unknown.
                add(i, true, writes);
            }
        } else if (name.starts_with("vload")) {
            add(i, true, false);
        } else if (name.starts_with("vstore")) {
            add(i, false, true);
        } else if (name.starts_with("atom") ||
                   std::find(out_of_order.begin(), out_of_order.end(), name) != out_of_order.end()) {
            add(i, true, true);
        }
    }

    // Whether it, or a callee, contains a cast to a pointer.
    bool makes_pointers(const FunctionSyntax& f, std::unordered_set<std::string_view>& seen) const {
        for (std::size_t i = f.body.begin; i + 1 < f.body.end; ++i) {
            if (syntax_[i].is("*") && syntax_[i + 1].is(")")) {
                return true;
            }
        }
        return std::any_of(f.calls.begin(), f.calls.end(), [&](std::string_view name) {
            const FunctionSyntax* const called = seen.insert(name).second ? syntax_.function(name) : nullptr;
            return called != nullptr && makes_pointers(*called, seen);
        });
    }

    // const float* p, but not float* const p; with a single visible *.
    bool points_to_const(const ParameterSyntax& p) const {
        bool is_const = false;
        std::size_t stars = 0;
        for (std::size_t i = p.all.begin; i < p.all.end; ++i) {
            const Token& t = syntax_[i];
            is_const = is_const || (stars == 0 && (t.is("const") || t.is("__constant")));
            stars += t.is("*") ? 1 : 0;
            if (syntax_.is_pointer_typedef(t.text) || syntax_.composite(t.text) != nullptr) {
                return false;
            }
        }
        return is_const && stars == 1;
    }

    void add(std::size_t i, bool load, bool store) {
        accesses_.push_back({i, statement_, load, store, false, store, Space::none});
    }

    static bool loads_behind_store(const std::vector<Access>& accesses) {
        std::size_t stored = 0; // The first statement with a store, and its stores.
        std::size_t stores = 0;
        bool loads = false; // In a statement with a store.
        bool nested = false;
        for (const Access& a : accesses) {
            if (stores != 0 && a.statement != stored && a.load) {
                return true;
            }
            if (a.store && stores == 0) {
                stored = a.statement;
            }
            stores += a.store && a.statement == stored ? 1 : 0;
        }
        for (const Access& a : accesses) {
            loads = loads || (a.load && stores != 0 && a.statement == stored);
            nested = nested || a.nested;
        }
        return (stores > 1 && loads) || (nested && accesses.size() > 1);
    }

    // Stores to one place through several names, or through one name with several indices. Compilers keep the
    // order of two such stores, but not always of more.
    bool stores_between(const std::vector<Access>& accesses) const {
        std::size_t stores = 0;
        bool in_loop = false;
        for (const Access& a : accesses) {
            const bool looped = a.store && std::any_of(loops_.begin(), loops_.end(), [&](const Range& loop) {
                                    return a.token >= loop.begin && a.token < loop.end;
                                });
            stores += !a.store ? 0 : looped && a.repeated ? 3 : 1;
            in_loop = in_loop || looped;
        }
        return stores > 2 || (stores > 1 && in_loop);
    }

    bool mixes_in_loops(const std::vector<Access>& accesses) const {
        return std::any_of(loops_.begin(), loops_.end(), [&](const Range& loop) {
            bool load = false;
            bool store = false;
            for (const Access& a : accesses) {
                const bool inside = a.token >= loop.begin && a.token < loop.end;
                load = load || (inside && a.load);
                store = store || (inside && a.store);
            }
            return load && store;
        });
    }

    const Syntax& syntax_;
    Range range_;
    const MemoryNames& names_;
    std::vector<Access> accesses_;
    std::vector<Range> loops_;
    std::unordered_map<std::size_t, Changes> changes_; ///< By the position of the loop.
    bool jumps_ = false;                               ///< There is a goto.
    std::size_t depth_ = 0;                            ///< Of ( and [.
    std::size_t statement_ = 0;
    std::size_t last_begin_ = 0;
};

} // namespace

MemoryNames::MemoryNames(const Syntax& syntax, const FunctionSyntax& kernel) {
    for (const ParameterSyntax& p : kernel.parameters) {
        if (p.name >= p.all.end) {
            continue;
        }
        std::size_t stars = 0;
        bool hidden = false;
        for (std::size_t i = p.all.begin; i < p.name; ++i) {
            stars += syntax[i].is("*") ? 1 : 0;
            hidden = hidden || syntax.is_pointer_typedef(syntax[i].text);
        }
        const bool clear = stars == 1 && !hidden;
        add(syntax[p.name].text, {clear ? p.space : Space::none, 1, false});
    }
    for (std::size_t i = kernel.body.begin; i < kernel.body.end; ++i) {
        const bool begins = is_one_of(syntax[i - 1], {"{", "}", ";", ":", "(", ")", "else", "do"});
        Declaration d;
        if (!begins || !syntax[i].is_identifier()) {
            continue;
        }
        std::size_t end = i;
        while (end < kernel.body.end && !syntax[end].is(";") && !closes_bracket(syntax[end])) {
            end = opens_bracket(syntax[end]) ? syntax.partner(end) + 1 : end + 1;
        }
        if (end < kernel.body.end && syntax[end].is(";") && read_declaration(syntax, {i, end + 1}, d)) {
            for (const Declarator& one : d.declarators) {
                declare(syntax, d, one);
            }
        }
    }
}

void MemoryNames::declare(const Syntax& syntax, const Declaration& d, const Declarator& one) {
    bool local = false;
    bool pointer = one.pointer;
    for (std::size_t i = d.specifiers.begin; i < d.specifiers.end; ++i) {
        const std::string_view word = syntax[i].text;
        local = local || syntax[i].is("__local");
        pointer = pointer || (syntax.is_pointer_typedef(word) && syntax.typedef_dimensions(word) == 0);
    }
    add(syntax[one.name].text,
        {local && !pointer ? Space::local : Space::none, one.dimensions, local && one.dimensions == 0});
}

// Names declared twice are treated as unknown.
void MemoryNames::add(std::string_view name, Object object) {
    const auto [at, is_new] = objects_.emplace(name, object);
    if (!is_new) {
        at->second = {Space::none, 0, at->second.plain || object.plain};
    }
}

void MemoryNames::add_object(std::string_view name) {
    objects_[name] = {Space::none, 0, true};
}

const MemoryNames::Object* MemoryNames::find(std::string_view name) const {
    const auto found = objects_.find(name);
    return found == objects_.end() ? nullptr : &found->second;
}

Space MemoryNames::space(std::string_view name) const {
    const Object* const object = find(name);
    return object == nullptr ? Space::none : object->space;
}

std::size_t MemoryNames::dimensions(std::string_view name) const {
    const Object* const object = find(name);
    return object == nullptr ? 0 : object->dimensions;
}

bool MemoryNames::is_object(std::string_view name) const {
    const Object* const object = find(name);
    return object != nullptr && object->plain;
}

bool may_reorder_memory(const Syntax& syntax, Range range, const MemoryNames& names) {
    return Order(syntax, range, names).is_free();
}

} // namespace ferry::translate
