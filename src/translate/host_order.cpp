// SPDX-License-Identifier: Apache-2.0
#include "host_order.hpp"

#include "local_memory.hpp"
#include "operands.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace ferry::translate {
namespace {

// A load, a store or both, in the order of the text.
struct Access {
    std::size_t token = 0;
    std::size_t statement = 0;
    bool load = false;
    bool store = false;
    bool nested = false;   ///< a store that is a part of an expression
    std::string_view base; ///< what is pointed with; empty if that is not clear
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
            return false; // what is behind may come before
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
            loops_.push_back({i, end_of(i, 0)});
        } else if (t.is_identifier() && syntax_[i + 1].is("(")) {
            call(i);
        } else if (t.is("->") || (t.is("[") && i > range_.begin && is_operand(syntax_[i - 1]))) {
            access(i, postfix_begin(syntax_.tokens(), i, range_.begin), behind_postfix(i));
        } else if (t.is("*") && syntax_.is_unary(i)) {
            access(i, i, behind_postfix(behind_operand(i + 1)));
        }
        depth_ += opens_bracket(t) && !t.is("{") ? 1 : 0;
    }

    static bool is_operand(const Token& t) {
        return is_name(t) || t.is("]") || t.is(")") || t.kind == TokenKind::number;
    }

    std::size_t behind_operand(std::size_t i) const {
        while (i < range_.end && (syntax_[i].is("*") || syntax_[i].is("++") || syntax_[i].is("--") ||
                                  (syntax_[i].is("(") && syntax_[syntax_.partner(i) + 1].is_identifier()))) {
            i = syntax_[i].is("(") ? syntax_.partner(i) + 1 : i + 1; // of a cast
        }
        return i < range_.end && syntax_[i].is("(") ? syntax_.partner(i) + 1 : i + 1;
    }

    // From a [ or a member's operator on.
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
        // Of one expression, once.
        if (!accesses_.empty() && store && accesses_.back().store && last_begin_ == begin) {
            return;
        }
        last_begin_ = begin;
        std::size_t name = begin;
        while (name < end && !syntax_[name].is_identifier()) {
            ++name;
        }
        add(i, !store || counts || !syntax_[end].is("="), store, syntax_[name].text);
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
            for (int times = reads ? (writes ? 3 : 1) : 0; times > 0; --times) { // who knows how many stores
                add(i, true, writes, {});
            }
        } else if (name.starts_with("vload")) {
            add(i, true, false, {});
        } else if (name.starts_with("vstore")) {
            add(i, false, true, {});
        } else if (name.starts_with("atom") ||
                   std::find(out_of_order.begin(), out_of_order.end(), name) != out_of_order.end()) {
            add(i, true, true, {});
        }
    }

    // const float* p, and not float* const p; with one * that is there to see.
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

    void add(std::size_t i, bool load, bool store, std::string_view base) {
        accesses_.push_back(
            {i, statement_, load, store, store && depth_ != 0 && !base.empty(), base, names_.space(base)});
    }

    static bool loads_behind_store(const std::vector<Access>& accesses) {
        std::size_t stored = 0; // the first statement with a store, and the stores in it
        std::size_t stores = 0;
        bool loads = false; // in a statement with a store
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

    // Stores to one place by several names, or by one name with several indices, that change places: of two
    // the compilers keep the order, of more not always.
    bool stores_between(const std::vector<Access>& accesses) const {
        std::size_t stores = 0;
        bool in_loop = false;
        for (const Access& a : accesses) {
            stores += a.store ? 1 : 0;
            in_loop =
                in_loop || (a.store && std::any_of(loops_.begin(), loops_.end(), [&](const Range& loop) {
                                return a.token >= loop.begin && a.token < loop.end;
                            }));
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

    // Behind the statement that begins there; all of the range if statements are nested very deep.
    std::size_t end_of(std::size_t i, int depth) const {
        if (depth > 200 || i >= range_.end) {
            return range_.end;
        }
        if (syntax_[i].is("{")) {
            return syntax_.partner(i) + 1;
        }
        if (is_one_of(syntax_[i], {"for", "while", "if", "switch"}) && syntax_[i + 1].is("(")) {
            const std::size_t end = end_of(syntax_.partner(i + 1) + 1, depth + 1);
            return syntax_[i].is("if") && end < range_.end && syntax_[end].is("else")
                       ? end_of(end + 1, depth + 1)
                       : end;
        }
        i = syntax_[i].is("do") ? end_of(i + 1, depth + 1) : i;
        while (i < range_.end && !syntax_[i].is(";")) {
            i = opens_bracket(syntax_[i]) ? syntax_.partner(i) + 1 : i + 1;
        }
        return std::min(i + 1, range_.end);
    }

    const Syntax& syntax_;
    Range range_;
    const MemoryNames& names_;
    std::vector<Access> accesses_;
    std::vector<Range> loops_;
    bool jumps_ = false;    ///< there is a goto
    std::size_t depth_ = 0; ///< of ( and [
    std::size_t statement_ = 0;
    std::size_t last_begin_ = 0;
};

} // namespace

MemoryNames::MemoryNames(const Syntax& syntax, const FunctionSyntax& kernel) {
    for (const std::string_view name : local_names(syntax, kernel, kernel.body.end)) {
        spaces_.emplace(name, Space::local);
    }
    for (const ParameterSyntax& p : kernel.parameters) {
        if (p.name < p.all.end && p.space != Space::none) {
            const auto [at, is_new] = spaces_.emplace(syntax[p.name].text, p.space);
            at->second = is_new || at->second == p.space ? p.space : Space::none;
        }
    }
    // Another variable may have the name.
    for (std::size_t i = kernel.body.begin + 2; i < kernel.body.end; ++i) {
        const auto found = spaces_.find(syntax[i].text);
        if (found == spaces_.end() || !syntax[i - 1].is("*") || !syntax.is_type(syntax[i - 2].text)) {
            continue;
        }
        bool local = false;
        for (std::size_t n = i; n > kernel.body.begin && !is_one_of(syntax[n], {";", "{", "}", "("}); --n) {
            local = local || syntax[n].is("__local");
        }
        found->second = local && found->second == Space::local ? Space::local : Space::none;
    }
}

Space MemoryNames::space(std::string_view name) const {
    const auto found = spaces_.find(name);
    return found == spaces_.end() ? Space::none : found->second;
}

bool may_reorder_memory(const Syntax& syntax, Range range, const MemoryNames& names) {
    return Order(syntax, range, names).is_free();
}

} // namespace ferry::translate
