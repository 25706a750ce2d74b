// SPDX-License-Identifier: Apache-2.0
#include "builtins.hpp"
#include "parser.hpp"

#include <algorithm>

// Declarations at file scope and in functions, with the rules of OpenCL C 6.5 to 6.9.
namespace ferry::opencl_c {

std::string recursion_message(std::string_view function) {
    return "the function " + translate::quoted(function) +
           " calls itself, directly or through others: the language has no recursion";
}

void Parser::external_declaration() {
    if (accept(";")) {
        return;
    }
    if (is("extern") && peek(1).kind == translate::TokenKind::string) {
        fail_here("the language is C, so there is no 'extern \"C\"'");
    }
    Specifiers s = specifiers();
    if (is(";")) {
        if (!s.made_type) {
            warning(s.token, "the declaration declares nothing");
        }
        advance();
        return;
    }
    Declarator d = declarator(s, false);
    attributes(s.attributes);
    if (d.is_function && is("{")) {
        function_definition(s, d);
        return;
    }
    for (;;) {
        if (d.name.empty()) {
            fail_here("expected a name, but here is " + shown(at()));
        }
        if (s.is_typedef) {
            declare_typedef(s, d);
        } else if (types_.is(d.type, TypeKind::function)) {
            declare_function(s, d, false);
        } else {
            tree_.globals.push_back(declare_variable(s, d));
        }
        if (!accept(",")) {
            break;
        }
        d = declarator(s, false);
        attributes(s.attributes);
    }
    expect(";", "after the declaration");
}

void Parser::declare_typedef(const Specifiers& s, const Declarator& d) {
    refuse_kernel_attributes(s.attributes);
    refuse_kernel_attributes(d.attributes);
    if (const Symbol* const known = scopes_.find_here(d.name)) {
        if (known->kind != Symbol::Kind::type || known->type != d.type) {
            error(d.token, translate::quoted(d.name) + " is declared already, with another meaning");
            note(known->token, "the first declaration is here");
            return;
        }
    }
    Symbol symbol;
    symbol.kind = Symbol::Kind::type;
    symbol.type = d.type;
    symbol.token = d.token;
    if (types_.is_record(d.type) && types_.record(d.type).typedef_name.empty()) {
        types_.record(d.type).typedef_name = d.name;
    }
    const std::uint64_t aligned = std::max(s.attributes.aligned, d.attributes.aligned);
    if (types_.is_record(d.type) && s.made_type && types_.record(d.type).complete && aligned != 0) {
        Record& record = types_.record(d.type);
        record.align = std::max(record.align, aligned);
        record.size = (record.size + record.align - 1) / record.align * record.align;
    }
    scopes_.add(d.name, symbol);
}

/// A function, or a variable outside of functions, cannot have the name of a built-in type.
void Parser::refuse_type_name(const Declarator& d) {
    if (builtin_type(d.name, types_)) {
        error(d.token, translate::quoted(d.name) + " is declared already, as a built-in type");
    }
}

FunctionId Parser::declare_function(const Specifiers& s, const Declarator& d, bool defines) {
    Function made;
    made.name = d.name;
    made.type = d.type;
    made.token = d.token;
    made.parameters = d.parameters;
    made.parameter_types = d.parameter_types;
    made.kernel = s.kernel;
    if (!s.kernel) {
        refuse_kernel_attributes(s.attributes);
        refuse_kernel_attributes(d.attributes);
    }
    made.overloadable = s.attributes.overloadable || d.attributes.overloadable;
    made.is_static = s.is_static;
    made.is_inline = s.is_inline;
    made.required_local =
        s.attributes.required_local[0] != 0 ? s.attributes.required_local : d.attributes.required_local;
    const Symbol* const known = scopes_.find(d.name);
    refuse_type_name(d);
    if (known != nullptr && known->kind != Symbol::Kind::function) {
        error(d.token, translate::quoted(d.name) + " is declared already, with another meaning");
        note(known->token, "the first declaration is here");
    }
    if (known != nullptr && known->kind == Symbol::Kind::function) {
        auto& all = overloads_[known->index];
        for (const FunctionId id : all) {
            Function& other = tree_.functions[id];
            if (other.type == made.type) {
                if (defines && other.body != 0) {
                    error(d.token, "the function " + translate::quoted(d.name) + " is defined twice");
                    note(other.token, "the first definition is here");
                }
                other.kernel = other.kernel || made.kernel;
                if (made.required_local[0] != 0) {
                    other.required_local = made.required_local;
                }
                if (defines) {
                    other.parameters = made.parameters;
                    other.parameter_types = made.parameter_types;
                    other.token = made.token;
                }
                return id;
            }
        }
        const Function& first = tree_.functions[all.front()];
        if (!(first.overloadable || made.overloadable)) {
            error(d.token, "the function " + translate::quoted(d.name) + " is declared as " +
                               name(made.type) + ", but before as " + name(first.type));
            note(first.token, "the first declaration is here");
        }
        tree_.functions.push_back(made);
        all.push_back(static_cast<FunctionId>(tree_.functions.size() - 1));
        return all.back();
    }
    tree_.functions.push_back(made);
    const auto id = static_cast<FunctionId>(tree_.functions.size() - 1);
    Symbol symbol;
    symbol.kind = Symbol::Kind::function;
    symbol.index = static_cast<std::uint32_t>(overloads_.size());
    symbol.type = d.type;
    symbol.token = d.token;
    overloads_.push_back({id});
    // A function declared within another one is visible in the whole text, like its definition.
    scopes_.add(d.name, symbol);
    return id;
}

void Parser::function_definition(const Specifiers& s, Declarator& d) {
    if (s.is_typedef) {
        error(d.token, "a function cannot be defined in a typedef");
    }
    const FunctionId id = declare_function(s, d, true);
    function_ = id;
    result_ = types_.function(d.type).result;
    called_.clear();
    labels_.clear();
    gotos_.clear();
    other_labels_.clear();
    scopes_.open();
    for (const VarId parameter : d.parameters) {
        Variable& v = tree_.variables[parameter];
        v.function = id;
        if (v.name.empty()) {
            continue;
        }
        if (!types_.is_error(v.type) && !types_.is_complete(v.type)) {
            error(v.token,
                  "the parameter " + translate::quoted(v.name) + " has the incomplete type " + name(v.type));
        }
        if (scopes_.find_here(v.name) != nullptr) {
            error(v.token, "the parameter " + translate::quoted(v.name) + " is declared twice");
        }
        Symbol symbol;
        symbol.index = parameter;
        symbol.token = v.token;
        scopes_.add(v.name, symbol);
    }
    if (tree_.functions[id].kernel) {
        check_kernel(tree_.functions[id]);
    }
    const std::size_t before = tree_.stmts.size();
    const StmtId body = compound(false);
    tree_.functions[id].body = body;
    scopes_.close();
    unite_labels(before);
    for (const auto& [label, token] : gotos_) {
        if (!labels_.contains(label)) {
            error(token, "no label " + translate::quoted(label) + " is in the function");
        }
    }
    if (!types_.is_void(result_) && falls_through(body)) {
        warning(d.token, "the function " + translate::quoted(d.name) + " may end without returning a value");
    }
    function_ = 0;
}

/// If a statement has several labels, gotos lead to its first one.
void Parser::unite_labels(std::size_t first_statement) {
    for (std::size_t i = first_statement; i < tree_.stmts.size() && !diagnostics_.failed(); ++i) {
        std::string_view& label = tree_.stmts[i].label;
        for (auto other = other_labels_.find(label);
             tree_.stmts[i].kind == StmtKind::goto_ && other != other_labels_.end();
             other = other_labels_.find(label)) {
            label = other->second;
        }
    }
}

void Parser::check_kernel(const Function& function) {
    if (!types_.is_void(types_.function(function.type).result)) {
        error(function.token, "a kernel returns nothing: its result type must be void, but it is " +
                                  name(types_.function(function.type).result));
    }
    const bool is_reinterpretation =
        function.name.starts_with("as_") && builtin_type(function.name.substr(3), types_).has_value();
    if (function.name == "main" || function.name == "printf" || is_reinterpretation) {
        error(function.token,
              "a kernel cannot be called " + translate::quoted(function.name) + " in OpenCL C");
    }
    for (const VarId id : function.parameters) {
        check_kernel_parameter(tree_.variables[id]);
    }
}

void Parser::check_kernel_parameter(const Variable& parameter) {
    const Type type = parameter.type;
    const std::string which =
        parameter.name.empty() ? "the parameter" : "the parameter " + translate::quoted(parameter.name);
    if (types_.is_pointer(type)) {
        const Type pointee = types_.element(type);
        if (pointee.space() == Space::private_) {
            error(parameter.token,
                  which + " of the kernel is a pointer to private memory; it must point to global, "
                          "constant or local memory");
        } else if (types_.is_pointer(pointee)) {
            error(parameter.token,
                  which + " of the kernel is a pointer to pointers, which is not in OpenCL C 1.2");
        }
        return;
    }
    if (types_.is(type, TypeKind::bool_) || types_.is(type, TypeKind::event)) {
        error(parameter.token, which + " of the kernel cannot have type " + name(type) +
                                   (types_.is(type, TypeKind::bool_) ? "; use int" : ""));
    } else if (types_.is_record(type) && types_.contains_pointer(type)) {
        error(parameter.token,
              which + " of the kernel is a struct or union with a pointer, which is not in OpenCL C 1.2");
    }
}

VarId Parser::declare_variable(const Specifiers& s, const Declarator& d) {
    Variable v;
    v.name = d.name;
    refuse_kernel_attributes(s.attributes);
    refuse_kernel_attributes(d.attributes);
    if (function_ == 0) {
        refuse_type_name(d);
    }
    v.token = d.token;
    v.function = function_;
    v.is_static = s.is_static;
    v.is_extern = s.is_extern;
    v.align = std::max(s.attributes.aligned, d.attributes.aligned);
    v.type = d.type;
    const auto id = static_cast<VarId>(tree_.variables.size());
    tree_.variables.push_back(v);
    Symbol symbol;
    symbol.index = id;
    symbol.token = d.token;
    if (const Symbol* const known = scopes_.find_here(d.name)) {
        const bool again = function_ == 0 && known->kind == Symbol::Kind::variable &&
                           tree_.variables[known->index].is_extern;
        if (!again) {
            error(d.token, translate::quoted(d.name) + " is declared twice");
            note(known->token, "the first declaration is here");
        }
    }
    // The name is in scope from here, including its own initializer.
    scopes_.add(d.name, symbol);
    if (accept("=")) {
        Type type = v.type;
        const bool constant = function_ == 0 || v.type.space() == Space::constant;
        const ExprId initial = initialiser(type, constant);
        tree_.variables[id].type = type;
        tree_.variables[id].initial = initial;
        if (v.type.space() == Space::local) {
            error(d.token, "the variable " + translate::quoted(d.name) +
                               " is in local memory, so it cannot be initialized");
        } else if (constant && !is_bad(initial) && !is_constant(initial)) {
            error(token_of(initial),
                  "the initializer of " + translate::quoted(d.name) + " must be a constant");
        }
    }
    check_variable(s, tree_.variables[id]);
    return id;
}

void Parser::check_variable(const Specifiers& s, const Variable& v) {
    const Type type = v.type;
    const std::string which = translate::quoted(v.name);
    if (types_.is_error(type)) {
        return;
    }
    if (s.kernel) {
        error(s.token, "only a function can be a kernel");
    }
    if (types_.is_void(type)) {
        error(v.token, "the variable " + which + " cannot be void");
        return;
    }
    if (types_.is(type, TypeKind::image)) {
        error(v.token, "an image can only be a parameter, but " + which + " is a variable");
        return;
    }
    if (!types_.is_complete(type) && !v.is_extern) {
        error(v.token, "the variable " + which + " has the incomplete type " + name(type));
        return;
    }
    const bool sampler = types_.is(type, TypeKind::sampler);
    if (sampler && (type.space() == Space::local || type.space() == Space::global)) {
        error(v.token, "a sampler cannot be in local or global memory, but " + which + " is");
        return;
    }
    if (v.function == 0) {
        if (types_.is(type, TypeKind::event)) {
            error(v.token, "a variable outside of functions cannot have the type " + name(type));
        } else if (sampler && type.space() != Space::constant && !type.is_const()) {
            error(v.token,
                  "the sampler " + which +
                      " is declared outside of functions, so it must be const or in constant memory");
        } else if (type.space() != Space::constant && !sampler) {
            error(v.token, "the variable " + which +
                               " is declared outside of functions, so it must be in constant memory: "
                               "write 'constant' before its type");
        } else if (v.initial == 0 && !v.is_extern) {
            error(v.token, "the variable " + which + " is in constant memory, so it must be initialized");
        }
        return;
    }
    if (v.is_static) {
        error(v.token, "a variable in a function cannot be static, but " + which + " is");
    }
    if (type.space() == Space::global) {
        error(v.token, "a variable in a function cannot be in global memory, but " + which + " is");
    }
    const bool in_kernel = tree_.functions[v.function].kernel;
    if (type.space() == Space::local || type.space() == Space::constant) {
        if (!in_kernel) {
            error(v.token,
                  "a variable in " + std::string(type.space() == Space::local ? "local" : "constant") +
                      " memory can only be declared in a kernel, but " + which + " is in another function");
        } else if (scopes_.depth() > 1) {
            error(v.token, "a variable in " +
                               std::string(type.space() == Space::local ? "local" : "constant") +
                               " memory must be declared in the outermost block of the kernel, but " + which +
                               " is in an inner one");
        }
        if (type.space() == Space::constant && v.initial == 0 && !v.is_extern) {
            error(v.token, "the variable " + which + " is in constant memory, so it must be initialized");
        }
    }
}

List Parser::declaration(Specifiers s) {
    std::vector<std::uint32_t> all;
    if (is(";")) {
        if (!s.made_type) {
            warning(s.token, "the declaration declares nothing");
        }
        advance();
        return {};
    }
    do {
        Declarator d = declarator(s, false);
        attributes(d.attributes);
        if (d.name.empty()) {
            fail_here("expected a name, but here is " + shown(at()));
        }
        if (s.is_typedef) {
            declare_typedef(s, d);
        } else if (types_.is(d.type, TypeKind::function)) {
            declare_function(s, d, false);
        } else {
            all.push_back(declare_variable(s, d));
        }
    } while (accept(","));
    expect(";", "after the declaration");
    return list_of(all);
}

/// Diagnoses recursion, and calls of functions that are declared but not defined.
void Parser::check_calls() {
    const std::size_t count = tree_.functions.size();
    enum class State : std::uint8_t { fresh, open, done };
    std::vector<State> states(count, State::fresh);
    std::vector<bool> reported(count, false);
    struct Step {
        FunctionId id;
        std::size_t next;
    };
    for (FunctionId root = 1; root < count; ++root) {
        if (states[root] != State::fresh) {
            continue;
        }
        std::vector<Step> path{{root, 0}};
        states[root] = State::open;
        while (!path.empty()) {
            Step& step = path.back();
            const Function& f = tree_.functions[step.id];
            if (step.next == f.calls.size()) {
                states[step.id] = State::done;
                path.pop_back();
                continue;
            }
            const FunctionId called = f.calls[step.next++];
            const Function& other = tree_.functions[called];
            if (other.body == 0 && !reported[called]) {
                reported[called] = true;
                error(other.token,
                      "the function " + translate::quoted(other.name) + " is called, but not defined");
            } else if (states[called] == State::open) {
                error(other.token, recursion_message(other.name));
                tree_.recursive = called;
                states[called] = State::done;
            } else if (states[called] == State::fresh) {
                states[called] = State::open;
                path.push_back({called, 0});
            }
        }
    }
}

} // namespace ferry::opencl_c
