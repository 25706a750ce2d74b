// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "host_body.hpp"
#include "host_form.hpp"
#include "host_guard.hpp"
#include "prelude.hpp"
#include "swizzles.hpp"
#include "translate/type_name.hpp"
#include "words.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

namespace ferry::translate {
namespace {

class FileWriter {
public:
    FileWriter(const Rewriter& rewriter, Output& out)
        : rewriter_(rewriter), syntax_(rewriter.syntax()), out_(out) {}

    std::vector<TranslatedKernel> run() {
        if (syntax_.has_vectors()) {
            std::set<std::string_view> members(syntax_.members().begin(), syntax_.members().end());
            const bool ambiguous = std::any_of(members.begin(), members.end(), is_ambiguous_member);
            for (const std::string_view name : members) {
                if (is_ambiguous_member(name) || (ambiguous && is_component(name))) {
                    for (std::string& line : ambiguous_member_functions(name)) {
                        out_.line(std::move(line));
                    }
                }
            }
        }
        std::size_t i = 0;
        for (const FunctionSyntax& f : syntax_.functions()) {
            declarations({i, f.all.begin});
            out_.at(syntax_[f.name].at);
            if (!f.kernel) {
                if (!f.has_barrier) { // The kernels contain the functions with barriers.
                    function(f);
                }
            } else if (f.defined) {
                kernels_.push_back(describe(f));
                kernel(f);
            }
            i = f.all.end;
        }
        declarations({i, syntax_.tokens().size() - 1});
        module();
        return std::move(kernels_);
    }

private:
    // File-scope objects are constants; types and pragmas stay unchanged.
    void declarations(Range range) {
        for (std::size_t begin = range.begin; begin < range.end;) {
            std::size_t end = begin;
            while (end < range.end && !syntax_[end].is(";")) {
                const bool open = syntax_[end].is("(") || syntax_[end].is("[") || syntax_[end].is("{");
                end = open ? syntax_.partner(end) + 1 : end + 1;
            }
            end = std::min(end + 1, range.end);
            declaration({begin, end});
            begin = end;
        }
    }

    /// The first token behind a struct, union or enum with its attributes, tag and members.
    std::size_t behind_composite(std::size_t first) const {
        std::size_t i = first + 1;
        const auto skip_attributes = [&] {
            while (syntax_[i].is("__attribute__") && syntax_[i + 1].is("(")) {
                i = syntax_.partner(i + 1) + 1;
            }
        };
        skip_attributes();
        if (syntax_[i].is_identifier()) {
            ++i;
        }
        if (syntax_[i].is("{")) {
            i = syntax_.partner(i) + 1;
        }
        skip_attributes();
        return i;
    }

    void declaration(Range range) {
        std::size_t first = range.begin;
        while (first < range.end && syntax_[first].kind == TokenKind::pragma) {
            ++first;
        }
        bool type = syntax_[first].is("typedef") || syntax_[first].is(";");
        bool value = false;
        bool constant = false;
        for (std::size_t i = first; i < range.end; ++i) {
            constant = constant || syntax_[i].is("__constant") || (syntax_[i].is("const") && !value);
            value = value || syntax_[i].is("=");
            if (syntax_[i].is("(") || syntax_[i].is("[") || syntax_[i].is("{")) {
                type = type || (syntax_[i].is("{") && syntax_[syntax_.partner(i) + 1].is(";") && !value);
                i = syntax_.partner(i);
            }
        }
        const bool composite =
            syntax_[first].is("struct") || syntax_[first].is("union") || syntax_[first].is("enum");
        const std::size_t behind = composite ? behind_composite(first) : first;
        if (first == range.end || type || (composite && syntax_[behind].is(";"))) {
            rewriter_.rewrite(range, out_);
            return;
        }
        if (!constant) {
            const bool one_word = composite && syntax_[behind - 1].is("}") &&
                                  syntax_[behind].is_identifier() && syntax_[behind + 1].is(";");
            rewriter_.diagnostics().error(
                syntax_[one_word ? behind : first].at,
                "a variable outside of functions must be __constant" +
                    (one_word ? "; if '" + std::string(syntax_[behind].text) +
                                    "' is meant as a macro for an attribute, it is not defined"
                              : std::string()));
            return;
        }
        Rewriter::Replacements words;
        for (std::size_t i = first; i < range.end && !syntax_[i].is("="); ++i) {
            if (syntax_[i].is("__constant") || syntax_[i].is("const") || syntax_[i].is("static")) {
                words[i] = {i + 1, ""};
            }
        }
        out_.at(syntax_[first].at);
        out_.line("FY_CONSTANT");
        rewriter_.rewrite(range, out_, words);
    }

    void function(const FunctionSyntax& f) {
        out_.line("[[maybe_unused]] static inline");
        Rewriter::Replacements words;
        for (std::size_t i = f.head.begin; i < f.head.end; ++i) {
            if (syntax_[i].is("static") || syntax_[i].is("inline") || syntax_[i].is("extern")) {
                words[i] = {i + 1, ""};
            } else if (syntax_[i].is("__attribute__")) {
                words[i] = {syntax_.partner(i + 1) + 1, ""};
            }
        }
        rewriter_.rewrite(f.head, out_, words);
        out_.put(rewriter_.function_name(syntax_[f.name].text));
        out_.put("(");
        bool first = true;
        if (f.uses_items) {
            out_.put(Rewriter::item_parameter);
            first = false;
        }
        for (const ParameterSyntax& p : f.parameters) {
            out_.put(first ? "" : ",");
            first = false;
            rewriter_.rewrite(p.all, out_);
        }
        out_.put(")");
        if (!f.defined) {
            out_.put(";");
            return;
        }
        rewriter_.rewrite({f.body.begin - 1, f.body.end + 1}, out_);
    }

    // A name as the user wrote it.
    static std::string own_name(std::string_view name) {
        constexpr std::string_view renamed = "fy_id_";
        return std::string(name.substr(name.starts_with(renamed) ? renamed.size() : 0));
    }

    // Kernels have C linkage, and so no overloads. C functions for floats end in f.
    bool is_taken(std::string_view name) const {
        const auto known = [&](std::string_view what) {
            return is_declared_outside(what) || prelude_provides(Dialect::host, what);
        };
        return known(name) || (name.ends_with('f') && known(name.substr(0, name.size() - 1)));
    }

    TranslatedKernel describe(const FunctionSyntax& f) const {
        TranslatedKernel k;
        k.symbol = syntax_[f.name].text;
        k.info.name = own_name(k.symbol);
        if (is_taken(k.symbol)) {
            k.symbol = "fy_k_" + k.symbol;
        }
        k.info.parameters_known = true;
        k.info.required_local = f.required_local;
        k.any_order = !calls_what_orders(f);
        for (const ParameterSyntax& p : f.parameters) {
            k.info.parameters.push_back(describe(p));
        }
        return k;
    }

    // Atomic operations, and printf(), which reveals the order.
    bool calls_what_orders(const FunctionSyntax& kernel) const {
        std::vector<const FunctionSyntax*> called{&kernel};
        for (std::size_t at = 0; at < called.size(); ++at) {
            for (std::size_t i = called[at]->body.begin; i < called[at]->body.end; ++i) {
                const std::string_view word = syntax_[i].text;
                if (word.starts_with("atom") || word == "printf") {
                    return true;
                }
                const FunctionSyntax* const f = syntax_.function(word);
                if (f != nullptr && f->defined &&
                    std::find(called.begin(), called.end(), f) == called.end()) {
                    called.push_back(f);
                }
            }
        }
        return false;
    }

    ParameterInfo describe(const ParameterSyntax& p) const {
        ParameterInfo info;
        info.kind = !p.pointer                ? ParameterKind::value
                    : p.space == Space::local ? ParameterKind::local
                                              : ParameterKind::buffer;
        info.space = !p.pointer                   ? AddressSpace::none
                     : p.space == Space::local    ? AddressSpace::local
                     : p.space == Space::constant ? AddressSpace::constant
                                                  : AddressSpace::global;
        info.name = p.name < p.all.end ? own_name(syntax_[p.name].text) : "";
        std::string resolved;
        for (std::size_t i = p.all.begin; i < p.all.end; ++i) {
            const std::string_view word = syntax_[i].text;
            info.read_only |= p.pointer && info.type_name.find('*') == std::string::npos &&
                              (word == "const" || word == "__constant" || word == "constant");
            if (i == p.name || is_qualifier(word)) {
                continue;
            }
            if (word == "*") {
                info.type_name += '*';
                continue;
            }
            info.type_name += info.type_name.empty() ? "" : " ";
            info.type_name += word;
            resolved += resolved.empty() ? "" : " ";
            resolved += syntax_.resolved(word);
        }
        const bool one_pointer = std::count(info.type_name.begin(), info.type_name.end(), '*') <= 1;
        const detail::NamedType type = one_pointer ? detail::parse_type(resolved) : detail::NamedType();
        info.type = type.scalar;
        info.bytes = p.pointer ? sizeof(void*) : type.bytes;
        return info;
    }

    std::string parameter_name(const FunctionSyntax& f, std::size_t n) const {
        const ParameterSyntax& p = f.parameters[n];
        return p.name < p.all.end ? std::string(syntax_[p.name].text) : "fy_p" + std::to_string(n);
    }

    // The declaration of a parameter under another name.
    void parameter(const FunctionSyntax& f, std::size_t n, const std::string& name) {
        const ParameterSyntax& p = f.parameters[n];
        Rewriter::Replacements words;
        for (std::size_t i = p.all.begin; i < p.all.end; ++i) {
            if (syntax_[i].is("__local")) {
                words[i] = {i + 1, ""};
            }
        }
        if (p.name < p.all.end) {
            words[p.name] = {p.name + 1, name};
            rewriter_.rewrite(p.all, out_, words);
        } else {
            rewriter_.rewrite(p.all, out_, words);
            out_.put(name);
        }
    }

    // fy_run_ gets the first of `fy_count` groups that are adjacent in x. If no work-item depends on its
    // group, they run as one wide group.
    void kernel(const FunctionSyntax& f) {
        const std::string name(syntax_[f.name].text);
        const bool whole = needs_group_body(rewriter_, f);
        const bool wide = !whole && groups_may_merge(syntax_, f);
        const std::optional<HostGuard> guard = whole ? std::nullopt : find_guard(syntax_, f);
        if (!whole) {
            item_function(f, "void fy_item_" + name);
            rewriter_.rewrite(f.body, out_);
            out_.line("}");
        }
        if (guard) {
            guarded_functions(f, name, *guard);
        }
        const char* const head = "([[maybe_unused]] const fy_group* fy_g, [[maybe_unused]] void* const* fy_a";
        out_.line((wide ? "static void fy_run_" : "static inline void fy_group_") + name + head +
                  (wide ? ", fy_index fy_count) {" : ") {"));
        for (std::size_t n = 0; n < f.parameters.size(); ++n) {
            const std::string number = std::to_string(n);
            out_.put("typedef");
            parameter(f, n, "fy_a" + number);
            const std::string variable = whole ? parameter_name(f, n) : "fy_v" + number;
            out_.put("; [[maybe_unused]] fy_a" + number + " " + variable + " = *(fy_plain<fy_a" + number +
                     ">*)fy_a[" + number + "];");
        }
        if (!wide) {
            out_.line("[[maybe_unused]] constexpr fy_index fy_count = 1;");
        }
        if (whole) {
            out_.line("const fy_index fy_n = fy_g->local[0] * fy_g->local[1] * fy_g->local[2]; "
                      "static_cast<void>(fy_n);");
            write_host_body(rewriter_, f, out_);
        } else if (guard) {
            guarded_items(f, name, guard->interval);
        } else {
            out_.line(may_vectorise(syntax_, f.body, MemoryNames(syntax_, f)) ? "FY_ITEMS"
                                                                              : "FY_ITEMS_IN_ORDER");
            call(f, "fy_item_" + name);
            out_.line("FY_ITEMS_END");
        }
        out_.line("}");
        if (!wide) {
            out_.line("static void fy_run_" + name + head +
                      ", fy_index fy_count) { fy_group fy_here = *fy_g; for (; fy_count != 0; --fy_count, "
                      "++fy_here.group[0]) fy_group_" +
                      name + "(&fy_here, fy_a); }");
        }
        table(f, name);
    }

    void guarded_functions(const FunctionSyntax& f, const std::string& name, const HostGuard& guard) {
        item_function(f, "bool fy_stays_" + name);
        rewriter_.rewrite(guard.before, out_);
        out_.put(guard.leaves ? "return !(" : "return (bool)(");
        rewriter_.rewrite(guard.condition, out_);
        out_.put("); }");
        item_function(f, "void fy_rest_" + name);
        rewriter_.rewrite(guard.before, out_);
        rewriter_.rewrite(guard.rest, out_);
        out_.line("}");
        row_function(f, (guard.interval ? "inline" : "") + std::string(" bool fy_one_") + name);
        out_.put("FY_ONE(fy_low) return");
        call(f, "fy_stays_" + name);
        out_.put("}");
        some_function(f, "fy_some_" + name, "fy_rest_" + name);
        if (!guard.interval) {
            row_function(f, "__attribute__((noinline)) bool fy_all_" + name);
            out_.put("int fy_left = 0; FY_SOME fy_left += (int)!");
            call(f, "fy_stays_" + name);
            out_.put("FY_SOME_END return fy_left == 0; }");
            some_function(f, "fy_each_" + name, "fy_item_" + name);
        }
    }

    void some_function(const FunctionSyntax& f, const std::string& name, const std::string& of_item) {
        row_function(f, "__attribute__((noinline)) void " + name);
        out_.put(may_vectorise(syntax_, f.body, MemoryNames(syntax_, f)) ? "FY_SOME" : "FY_SOME_IN_ORDER");
        call(f, of_item);
        out_.put("FY_SOME_END }");
    }

    // For a part of a row of work-items.
    void row_function(const FunctionSyntax& f, const std::string& head) {
        out_.line("static " + head +
                  "(const fy_group* fy_g, int fy_i1, int fy_i2, int fy_low, [[maybe_unused]] int fy_high");
        for (std::size_t n = 0; n < f.parameters.size(); ++n) {
            out_.put(",");
            parameter(f, n, "fy_v" + std::to_string(n));
        }
        out_.put(") {");
    }

    void row_call(const FunctionSyntax& f, const std::string& function, const std::string& low,
                  const std::string& high) {
        out_.put(function + "(fy_g, fy_i1, fy_i2, " + low + ", " + high);
        for (std::size_t n = 0; n < f.parameters.size(); ++n) {
            out_.put(", fy_v" + std::to_string(n));
        }
        out_.put(")");
    }

    void guarded_items(const FunctionSyntax& f, const std::string& name, bool interval) {
        out_.line("const int fy_n0 = int(fy_g->local[0] * fy_count);");
        out_.line("FY_UPTO(fy_i2, 0, int(fy_g->local[2])) FY_UPTO(fy_i1, 0, int(fy_g->local[1])) {");
        out_.line("int fy_low = 0, fy_high = fy_n0; while (fy_low < fy_high && !");
        row_call(f, "fy_one_" + name, "fy_low", "0");
        out_.put(") ++fy_low; while (fy_low < fy_high && !");
        row_call(f, "fy_one_" + name, "fy_high - 1", "0");
        out_.put(") --fy_high;");
        if (interval) {
            out_.put("if (fy_low < fy_high)");
        } else {
            out_.put("if (");
            row_call(f, "fy_all_" + name, "fy_low", "fy_high");
            out_.put(")");
        }
        row_call(f, "fy_some_" + name, "fy_low", "fy_high");
        if (!interval) {
            out_.put("; else");
            row_call(f, "fy_each_" + name, "fy_low", "fy_high");
        }
        out_.put("; }");
    }

    void item_function(const FunctionSyntax& f, const std::string& head) {
        out_.line("static inline __attribute__((always_inline)) " + head + "(const fy_item& fy_");
        for (std::size_t n = 0; n < f.parameters.size(); ++n) {
            out_.put(",");
            parameter(f, n, parameter_name(f, n));
        }
        out_.put(") { static_cast<void>(fy_);");
    }

    void call(const FunctionSyntax& f, const std::string& function) {
        out_.put(function + "(fy_");
        for (std::size_t n = 0; n < f.parameters.size(); ++n) {
            out_.put(", fy_v" + std::to_string(n));
        }
        out_.put(");");
    }

    // The data that the host backend reads of a kernel.
    void table(const FunctionSyntax& f, const std::string& name) {
        const KernelInfo& info = kernels_.back().info;
        std::string text = "static const fy_parameter fy_parameters_" + name + "[] = {";
        for (std::size_t n = 0; n < f.parameters.size(); ++n) {
            const ParameterInfo& p = info.parameters[n];
            const int kind = p.kind == ParameterKind::value ? 0 : p.kind == ParameterKind::buffer ? 1 : 2;
            text += "{\"" + p.name + "\", \"" + p.type_name + "\", " + std::to_string(kind) + ", " +
                    std::to_string(static_cast<int>(p.type)) + ", sizeof(";
            out_.line(text);
            text.clear();
            pointee(f.parameters[n]);
            const bool constant = p.space == AddressSpace::constant;
            text += constant ? "), 2}," : p.read_only ? "), 1}," : "), 0},";
        }
        text += f.parameters.empty() ? "{}};" : "};";
        out_.line(text);
        for (std::size_t n = 0; n < f.parameters.size(); ++n) {
            check_size(f.parameters[n], info.parameters[n], info.name);
        }
    }

    // The equivalent of complete() on the host: compares the text's size of a value with the compiler's.
    void check_size(const ParameterSyntax& p, const ParameterInfo& info, const std::string& kernel) {
        if (info.kind != ParameterKind::value || info.bytes == 0) {
            return;
        }
        out_.line("static_assert(sizeof(");
        pointee(p);
        out_.line(") == " + std::to_string(info.bytes) +
                  ", \"the translator and the compiler disagree about kernel '" + kernel +
                  "': its text gives parameter '" + info.name + "' " + std::to_string(info.bytes) +
                  " bytes\");");
    }

    // The type of a value, or of the object that a pointer refers to.
    void pointee(const ParameterSyntax& p) {
        std::size_t last = p.all.end;
        for (std::size_t i = p.all.begin; i < p.all.end; ++i) {
            last = syntax_[i].is("*") ? i : last;
        }
        bool is_void = true;
        for (std::size_t i = p.all.begin; i < last; ++i) {
            if (i != p.name && !is_qualifier(syntax_[i].text)) {
                is_void = is_void && syntax_[i].is("void");
                out_.push(syntax_[i].is("void") && last != p.all.end && last == i + 1 ? char_word()
                                                                                      : syntax_[i]);
            }
        }
    }
    Token char_word() const {
        Token t;
        t.kind = TokenKind::identifier;
        t.space_before = true;
        t.text = "char";
        return t;
    }

    void module() {
        out_.line("static const fy_kernel fy_kernels[] = {");
        std::size_t n = 0;
        for (const FunctionSyntax& f : syntax_.functions()) {
            if (!f.kernel || !f.defined) {
                continue;
            }
            const std::string name(syntax_[f.name].text);
            const auto& r = f.required_local;
            out_.line("{\"" + kernels_[n++].info.name + "\", fy_run_" + name + ", fy_parameters_" + name +
                      ", " + std::to_string(f.parameters.size()) + ", 0, {" + std::to_string(r[0]) + ", " +
                      std::to_string(r[1]) + ", " + std::to_string(r[2]) + "}},");
        }
        out_.put(n == 0 ? "{}};" : "};");
        // host_module.hpp has the versions.
        out_.line("static const fy_module fy_this_module = {FY_ABI(" +
                  std::string(rewriter_.offsets() ? "5" : "4") + "), " + std::to_string(n) +
                  ", fy_kernels};");
        out_.line("extern \"C\" __attribute__((visibility(\"default\"))) const fy_module* FY_MODULE() {"
                  " return &fy_this_module; }");
    }

    const Rewriter& rewriter_;
    const Syntax& syntax_;
    Output& out_;
    std::vector<TranslatedKernel> kernels_;
};

} // namespace

std::vector<TranslatedKernel> write_file(const Rewriter& rewriter, Output& out) {
    return FileWriter(rewriter, out).run();
}

} // namespace ferry::translate
