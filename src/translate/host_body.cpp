// SPDX-License-Identifier: Apache-2.0
#include "host_body.hpp"

#include "element_count.hpp"
#include "host_form.hpp"
#include "host_jumps.hpp"
#include "host_variables.hpp"
#include "operands.hpp"
#include "statements.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace ferry::translate {
namespace {

using Kind = Statement::Kind;

// Walks over the statements twice, in the same order. The first pass (writing_ is false) numbers the regions
// between barriers and finds the variables used in several of them; the second generates the code.
class HostBody {
public:
    HostBody(const Rewriter& rewriter, const FunctionSyntax& kernel, Output& out)
        : rewriter_(rewriter),
          syntax_(rewriter.syntax()),
          kernel_(kernel),
          out_(out),
          variables_(syntax_),
          memory_(syntax_, kernel),
          aligns_(std::any_of(syntax_.tokens().begin(), syntax_.tokens().end(), [](const Token& t) {
              return is_one_of(t, {"aligned", "__aligned__"});
          })) {}

    void run() {
        statements_ = read_statements(syntax_, kernel_.body, rewriter_.diagnostics());
        if (rewriter_.diagnostics().failed()) {
            return;
        }
        jumps_.read(statements_);
        walk();
        variables_.decide();
        for (const std::string_view name : variables_.names_in_memory(kernel_.body)) {
            memory_.add_object(name);
        }
        writing_ = true;
        last_region_ = regions_;
        regions_ = 0;
        out_.line("fy_arena_mark fy_mark; [[maybe_unused]] const fy_item fy_ = fy_first_item(fy_g);");
        line(jumps_.at_start());
        walk();
    }

private:
    static constexpr std::size_t outside = static_cast<std::size_t>(-1); ///< Outside of all regions.

    void walk() {
        variables_.restart();
        variables_.open_scope();
        for (const ParameterSyntax& p : kernel_.parameters) {
            Variable& v = variables_.declare(syntax_[p.name].text, 0, nullptr);
            v.overlaps = overlaps(p.all);
            if (writing_ && v.kept) {
                const std::string n = std::to_string(v.number);
                const std::string name(v.name);
                out_.line("using fy_t" + n + " = fy_plain<decltype(" + name + ")>; fy_t" + n +
                          "* const fy_c" + n + " = fy_take<fy_t" + n + ">(fy_n); FY_TAKEN(fy_c" + n +
                          ", fy_t" + n + ") fy_fill(fy_c" + n + ", fy_n, " + name + ");");
            }
        }
        variables_.open_scope();
        list(statements_.list);
        variables_.close_scope();
        variables_.close_scope();
    }

    void list(const std::vector<Statement>& statements) {
        std::vector<const Statement*> run;
        for (const Statement& s : statements) {
            if (s.kind == Kind::simple && !is_groups(s)) {
                run.push_back(&s);
                continue;
            }
            region_of(run);
            structured(s);
        }
        region_of(run);
    }

    // Types and objects in local memory belong to the group.
    bool is_groups(const Statement& s) const {
        Declaration d;
        return read_declaration(syntax_, s.all, d) && (d.is_typedef || is_local_object(s));
    }
    bool is_local_object(const Statement& s) const {
        for (std::size_t i = s.all.begin; i < s.all.end && !syntax_[i].is("="); ++i) {
            if (syntax_[i].is("__local") && rewriter_.declares_local_object(i)) {
                return true;
            }
        }
        return false;
    }

    void structured(const Statement& s) {
        if (s.kind == Kind::block) {
            line("{");
            nested(s);
            line("}");
        } else if (s.kind == Kind::branch) {
            line("if (" + condition(s.condition) + ") {");
            nested(s.children[0]);
            line("}");
            if (s.children.size() > 1) {
                line("else {");
                nested(s.children[1]);
                line("}");
            }
        } else if (s.kind == Kind::simple) {
            groups_declaration(s);
        } else if (s.kind == Kind::barrier) {
            line(jumps_.at_barrier(place(s.all.begin)));
        } else {
            loop(s);
        }
    }

    void nested(const Statement& s) {
        variables_.open_scope();
        if (s.kind == Kind::block) {
            list(s.children);
        } else {
            list({s});
        }
        variables_.close_scope();
    }

    void loop(const Statement& s) {
        const std::string number = std::to_string(s.loop);
        jumps_.enter(s);
        if (jumps_.is_too_deep() && writing_) {
            rewriter_.diagnostics().error(syntax_[s.all.begin].at,
                                          "loops with barriers are nested deeper than " +
                                              std::to_string(HostJumps::deepest) +
                                              " levels in a kernel with jumps");
        }
        const std::size_t began = variables_.now();
        line("{" + jumps_.before_loop());
        variables_.open_scope();
        if (s.kind == Kind::for_loop && s.init.end - s.init.begin > 1) {
            Statement init;
            init.all = s.init;
            list({init});
        }
        line("for (;;) { fy_arena_mark fy_mark" + number + ";");
        const bool asked_first = s.kind != Kind::do_loop && !s.condition.empty();
        if (asked_first) {
            line("if (!" + condition(s.condition) + ") break;");
        }
        line("{");
        nested(s.children[0]);
        line("}");
        line(jumps_.behind_turn());
        if (!s.step.empty()) {
            step(s.step, jumps_.breaks() ? began : 0);
        }
        if (s.kind == Kind::do_loop) {
            line("if (!" + condition(s.condition) + ") break;");
        }
        line("}");
        variables_.close_scope();
        line(jumps_.behind_loop() + "}");
        jumps_.leave();
    }

    // Returns the C++ condition for continuing; before barriers it must be the same for all work-items.
    std::string condition(Range range) {
        const std::size_t region = ++regions_;
        if (!writing_) {
            variables_.use(range, region);
            return {};
        }
        std::string name = "fy_u" + std::to_string(region);
        if (variables_.is_uniform(range)) {
            line("const bool " + name + " = (bool)(");
            rewriter_.rewrite(range, out_);
            out_.put(");");
            return name;
        }
        const std::string no = "fy_no" + std::to_string(region);
        line("fy_index " + name + " = 0; fy_index " + no + " = 0;");
        begin_items(range, region);
        out_.put("if (");
        rewriter_.rewrite(range, out_);
        out_.put(") ++" + name + "; else ++" + no + ";");
        end_items(region);
        line("FY_AGREE(" + name + ", " + no + ", " + place(range.begin) + ")");
        return name;
    }

    // `since`: the position of the loop's beginning, if some work-items may leave it while others continue;
    // otherwise 0.
    void step(Range range, std::size_t since) {
        const std::size_t region = ++regions_;
        if (!writing_) {
            variables_.use_step(range, region, since);
            return;
        }
        const bool uniform = variables_.writes_uniforms(range);
        if (uniform) {
            line("");
        } else {
            begin_items(range, region);
        }
        rewriter_.rewrite(range, out_);
        out_.put(";");
        if (!uniform) {
            end_items(region);
        }
    }

    void groups_declaration(const Statement& s) {
        Declaration d;
        read_declaration(syntax_, s.all, d);
        Rewriter::Replacements words;
        if (is_local_object(s)) {
            for (const Declarator& declarator : d.declarators) {
                variables_.declare(syntax_[declarator.name].text, 0, nullptr).local = true;
                if (!declarator.initialiser.empty() && writing_) {
                    rewriter_.diagnostics().error(syntax_[declarator.initialiser.begin - 1].at,
                                                  "a __local variable cannot be initialised");
                }
            }
            for (std::size_t i = d.specifiers.begin; i < d.specifiers.end; ++i) {
                if (syntax_[i].is("__local")) {
                    words[i] = {i + 1, "alignas(64)"};
                } else if (is_qualifier(syntax_[i].text)) {
                    words[i] = {i + 1, ""};
                }
            }
            // alignas comes first.
            if (words.count(d.specifiers.begin) == 0) {
                for (auto& [at, word] : words) {
                    static_cast<void>(at);
                    word.text.clear();
                }
            }
            for (std::size_t i = d.specifiers.end; i < s.all.end;
                 ++i) { // Of pointers that are in local memory.
                if (syntax_[i].is("__local")) {
                    words[i] = {i + 1, ""};
                }
            }
        }
        use_sizes(s.all);
        if (writing_) {
            line("");
            words.merge(sizes(s.all));
            rewriter_.rewrite(s.all, out_, words);
            for (const Declarator& declarator : d.declarators) {
                if (is_local_object(s)) {
                    out_.put("FY_LOCAL(" + std::string(syntax_[declarator.name].text) + ")");
                }
            }
        }
    }

    void region_of(std::vector<const Statement*>& run) {
        if (run.empty()) {
            return;
        }
        const std::size_t region = ++regions_;
        std::unordered_map<const Statement*, Declaration> declarations;
        std::unordered_map<std::size_t, Variable*> declared;
        bool may_leave = false;
        for (const Statement* s : run) {
            Declaration d;
            const bool declares = read_declaration(syntax_, s->all, d) && !d.is_typedef;
            if (!declares) {
                use(s->all, region);
                may_leave = may_leave || leaves_in(s->all);
                continue;
            }
            for (const Declarator& one : d.declarators) {
                const Range shape{one.name + 1,
                                  one.initialiser.empty() ? one.all.end : one.initialiser.begin};
                use({one.all.begin, one.name}, region);
                use(shape, region);
                use_sizes(shape);
                Variable& v = variables_.declare(syntax_[one.name].text, region, &one);
                use(one.initialiser, region); // It may use its own address, and objects declared before it.
                v.overlaps = overlaps(d.specifiers);
                v.guarded = may_leave && may_trap(syntax_, one.initialiser);
                declared[one.name] = &v;
                made_[&v] = one.all;
            }
            declarations.emplace(s, std::move(d));
        }
        if (writing_) {
            refuse_far_jumps(syntax_, {run.front()->all.begin, run.back()->all.end}, rewriter_.diagnostics());
            for (const Statement* s : run) {
                if (const auto d = declarations.find(s); d != declarations.end()) {
                    before_region(d->second, declared);
                }
            }
            write_region(run, declarations, declared, region);
        }
        run.clear();
    }

    bool overlaps(Range type) const {
        return std::any_of(syntax_.tokens().begin() + static_cast<std::ptrdiff_t>(type.begin),
                           syntax_.tokens().begin() + static_cast<std::ptrdiff_t>(type.end),
                           [&](const Token& t) {
                               const CompositeSyntax* const c = syntax_.composite(t.text);
                               return t.is("union") || (c != nullptr && c->may_overlap);
                           });
    }

    bool leaves_in(Range range) const { return !jumps_.replaced(range, 0).empty(); }

    void use(Range range, std::size_t region) {
        if (!writing_) {
            variables_.use(range, region);
        }
    }

    void before_region(const Declaration& d, const std::unordered_map<std::size_t, Variable*>& declared) {
        for (const Declarator& declarator : d.declarators) {
            const Variable& v = *declared.at(declarator.name);
            if (v.uniform) {
                line("");
                rewriter_.rewrite(d.specifiers, out_, unqualified(syntax_, d.specifiers));
                rewriter_.rewrite(declarator.all, out_);
                out_.put(";");
            } else if (v.kept) {
                keep(v, d, declarator);
            } else if (v.cheap) { // Where it is computed again, the type's name may have another meaning.
                line("[[maybe_unused]] typedef");
                rewriter_.rewrite(d.specifiers, out_, unqualified(syntax_, d.specifiers));
                out_.put("fy_t" + std::to_string(v.number) + ";");
            }
        }
    }

    // The type of one element, and the array.
    void keep(const Variable& v, const Declaration& d, const Declarator& declarator) {
        const std::string n = std::to_string(v.number);
        Rewriter::Replacements words;
        for (std::size_t i = d.specifiers.begin; i < d.specifiers.end; ++i) {
            const bool of_target =
                declarator.pointer && is_one_of(syntax_[i], {"const", "__constant", "volatile"});
            if (is_qualifier(syntax_[i].text) && !of_target) {
                words[i] = {i + 1, ""};
            }
        }
        line("typedef");
        rewriter_.rewrite(d.specifiers, out_, words);
        const Range shape{declarator.all.begin, declarator.initialiser.empty()
                                                    ? declarator.all.end
                                                    : declarator.initialiser.begin - 1};
        Rewriter::Replacements name;
        name[declarator.name] = {declarator.name + 1, "fy_t" + n};
        // Qualifiers before the last * belong to the pointed-to type.
        for (std::size_t after = declarator.name; after > shape.begin; --after) {
            const Token& t = syntax_[after - 1];
            if (t.is("*")) {
                break;
            }
            if (t.is_identifier() && is_qualifier(t.text)) {
                name[after - 1] = {after, ""};
            }
        }
        if (syntax_[declarator.name + 1].is("[") && syntax_[declarator.name + 2].is("]")) {
            name[declarator.name + 1] = {declarator.name + 3, "[" + elements(d, declarator) + "]"};
        }
        name.merge(sizes(shape));
        rewriter_.rewrite(shape, out_, name);
        // An alignment may be larger than the type.
        const std::string box = aligns_ ? "fy_b" + n : "fy_t" + n;
        out_.put(aligns_ ? "; struct " + box + " { fy_t" + n + " fy_; };" : ";");
        out_.put(box + "* const fy_c" + n + " = fy_take<" + box + ">(fy_n); FY_TAKEN(fy_c" + n + ", " + box +
                 ")");
    }

    // Declared objects have a value for each work-item; outside of the loops over work-items, these
    // replacements give their types.
    Rewriter::Replacements sizes(Range declaration) const {
        Rewriter::Replacements words;
        for (std::size_t i = declaration.begin; i < declaration.end; ++i) {
            const std::size_t end = syntax_[i].is("sizeof") ? behind_sizeof(syntax_, i) : i;
            for (; i < end; ++i) {
                const Variable* const v = variables_.named(i);
                if (v != nullptr && v->kept) {
                    words[i] = {i + 1, "(" + element(*v, "0") + ")"};
                } else if (v != nullptr && v->cheap) {
                    words[i] = {i + 1, "(*(fy_t" + std::to_string(v->number) + "*)0)"};
                }
            }
        }
        return words;
    }

    // Of a kept variable.
    std::string element(const Variable& v, const char* index) const {
        const std::string n = std::to_string(v.number);
        return "fy_c" + n + "[" + index + "]" + (aligns_ && v.region != 0 ? ".fy_" : "");
    }

    void use_sizes(Range declaration) {
        for (std::size_t i = declaration.begin; i < declaration.end; ++i) {
            if (syntax_[i].is("sizeof")) {
                use({i, behind_sizeof(syntax_, i)}, outside);
            }
        }
    }

    // The number of elements of an array that has its size only from its values.
    std::string elements(const Declaration& d, const Declarator& declarator) const {
        std::string count = element_count(syntax_, d, declarator);
        if (count.empty() && writing_) {
            rewriter_.diagnostics().error(syntax_[declarator.name].at,
                                          "the host backend does not see how many elements '" +
                                              std::string(syntax_[declarator.name].text) +
                                              "' has, which lives across a barrier; write the number "
                                              "between its brackets");
        }
        return count;
    }

    void write_region(const std::vector<const Statement*>& run,
                      const std::unordered_map<const Statement*, Declaration>& declarations,
                      const std::unordered_map<std::size_t, Variable*>& declared, std::size_t region) {
        bool anything = false;
        for (const Statement* s : run) {
            const auto d = declarations.find(s);
            anything = anything || d == declarations.end() ||
                       std::any_of(d->second.declarators.begin(), d->second.declarators.end(),
                                   [&](const Declarator& n) { return !declared.at(n.name)->uniform; });
        }
        if (!anything) {
            return;
        }
        begin_items({run.front()->all.begin, run.back()->all.end}, region);
        for (const Statement* s : run) {
            if (const auto d = declarations.find(s); d != declarations.end()) {
                write_declaration(d->second, declared);
            } else {
                rewriter_.rewrite(s->all, out_, jumps_.replaced(s->all, region));
            }
        }
        end_items(region);
    }

    void write_declaration(const Declaration& d, const std::unordered_map<std::size_t, Variable*>& declared) {
        for (const Declarator& declarator : d.declarators) {
            const Variable& v = *declared.at(declarator.name);
            if (v.uniform) {
                continue;
            }
            if (!v.kept) {
                rewriter_.rewrite(d.specifiers, out_);
                rewriter_.rewrite(declarator.all, out_);
                out_.put(";");
                continue;
            }
            const std::string n = std::to_string(v.number);
            const std::string name(v.name);
            out_.put("fy_t" + n + "& " + name + " = " + element(v, "fy_i") + ";");
            if (declarator.initialiser.empty()) {
                continue;
            }
            const bool whole = declarator.array || syntax_[declarator.initialiser.begin].is("{");
            out_.put(whole ? "{ fy_t" + n + " fy_init =" : name + " =");
            rewriter_.rewrite(declarator.initialiser, out_);
            out_.put(whole ? "; fy_assign(" + name + ", fy_init); }" : ";");
        }
    }

    void begin_items(Range range, std::size_t region) {
        const std::string r = std::to_string(region);
        leaves_ = leaves_in(range);
        may_return_ = jumps_.may_return(range);
        if (leaves_) {
            line("int fy_exit" + r + " = 0;");
        }
        line(may_vectorise(syntax_, range, memory_) && !jumps_.may_skip() && !leaves_ ? "FY_ITEMS"
                                                                                      : "FY_ITEMS_IN_ORDER");
        if (jumps_.may_skip()) {
            out_.put("if (fy_gone[fy_i]) continue;");
        }
        // Kept variables are accessed by their own names; variables declared in this region come with their
        // declarations.
        std::map<std::size_t, const Variable*> used;
        std::map<std::size_t, const Variable*> cheap;
        for (std::size_t i = range.begin; i < range.end; ++i) {
            const Variable* const v = variables_.named(i);
            if (v != nullptr && v->kept && v->region != region) {
                used[v->number] = v;
            } else if (v != nullptr && v->cheap && v->region != region) {
                add_cheap(*v, cheap, region);
            }
        }
        for (const auto& [number, v] : cheap) {
            out_.put("const fy_t" + std::to_string(number));
            rewriter_.rewrite(made_.at(v), out_);
            out_.put(";");
        }
        for (const auto& [number, v] : used) {
            const std::string n = std::to_string(number);
            out_.put("fy_t" + n + "& fy_r" + n + " = " + element(*v, "fy_i") + ";");
        }
        out_.put("{");
        for (const auto& [number, v] : used) {
            const std::string n = std::to_string(number);
            out_.put("fy_t" + n + "& " + std::string(v->name) + " = fy_r" + n + ";");
        }
    }

    // Including those that its value reads.
    void add_cheap(const Variable& v, std::map<std::size_t, const Variable*>& cheap, std::size_t region) {
        if (!cheap.emplace(v.number, &v).second) {
            return;
        }
        const Range value = v.values.front();
        for (std::size_t i = value.begin; i < value.end; ++i) {
            const Variable* const read = variables_.named(i);
            if (read != nullptr && read->cheap && read->region != region) {
                add_cheap(*read, cheap, region);
            }
        }
    }

    void end_items(std::size_t region) {
        const std::string r = std::to_string(region);
        out_.put("}");
        if (leaves_) {
            line("fy_end" + r + ":;");
        }
        line("FY_ITEMS_END");
        // Possibly no work-item is left to end a loop, or to compute a uniform value.
        if (may_return_ && (jumps_.in_loop() || region != last_region_)) {
            line("if (fy_all_gone(fy_gone, fy_n)) return;");
        }
        if (leaves_) {
            line(jumps_.behind_region(region));
        }
    }

    std::string place(std::size_t token) const { return place_text(rewriter_.files(), syntax_[token].at); }

    void line(std::string text) {
        if (writing_) {
            out_.line(std::move(text));
        }
    }

    const Rewriter& rewriter_;
    const Syntax& syntax_;
    const FunctionSyntax& kernel_;
    Output& out_;
    Statements statements_;
    HostVariables variables_;
    HostJumps jumps_;
    MemoryNames memory_;
    bool aligns_;                                     ///< Types may be aligned to more than their size.
    std::unordered_map<const Variable*, Range> made_; ///< The declarators.
    std::size_t regions_ = 0;
    std::size_t last_region_ = 0; ///< Known in the second pass.
    bool writing_ = false;
    bool leaves_ = false;     ///< The region that is being written contains jumps out of it.
    bool may_return_ = false; ///< Including returns.
};

} // namespace

void write_host_body(const Rewriter& rewriter, const FunctionSyntax& kernel, Output& out) {
    HostBody(rewriter, kernel, out).run();
}

} // namespace ferry::translate
