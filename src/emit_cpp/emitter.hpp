// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_c/tree.hpp"
#include "text.hpp"
#include "translate/dialect.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ferry::emit_cpp {

using opencl_c::Conversion;
using opencl_c::Expr;
using opencl_c::ExprId;
using opencl_c::ExprKind;
using opencl_c::Function;
using opencl_c::FunctionId;
using opencl_c::Op;
using opencl_c::Record;
using opencl_c::Space;
using opencl_c::Stmt;
using opencl_c::StmtId;
using opencl_c::StmtKind;
using opencl_c::Swizzle;
using opencl_c::Tree;
using opencl_c::Type;
using opencl_c::TypeKind;
using opencl_c::Types;
using opencl_c::Variable;
using opencl_c::VarId;
using translate::Dialect;

/// Thrown at a construct that has no form in the dialect.
struct Refusal {
    std::uint32_t token = 0;
    std::string message;
};

/// How tightly the outermost operator of an emitted expression binds.
enum class Level : std::uint8_t {
    comma,
    assignment,
    conditional,
    logical_or,
    logical_and,
    bit_or,
    bit_xor,
    bit_and,
    equality,
    relational,
    shift,
    additive,
    multiplicative,
    unary,
    postfix,
};

/// Walks the tree and writes C++ in which every conversion is explicit. Names of the text get a prefix (v_,
/// f_, m_, s_ or l_), so they never clash with those of C++, of the prelude or of a vendor. Records and
/// constants are at file scope, in the order of their dependencies.
class Emitter {
public:
    Emitter(const Tree& tree, Dialect dialect, bool offsets);
    virtual ~Emitter() = default;
    Emitter(const Emitter&) = delete;
    Emitter& operator=(const Emitter&) = delete;

    /// Emits the kernels and everything that they use. Throws Refusal.
    virtual void run();
    /// The C++ that belongs after the prelude.
    Text text() const;
    /// The prelude's names and operators that the C++ uses.
    std::vector<std::string_view> words() const;
    std::vector<translate::TranslatedKernel> kernels() const;
    bool prints() const noexcept { return prints_; }
    bool has_padded_vectors() const noexcept { return padded_vectors_; }

protected:
    using Handler = void (Emitter::*)(const Expr& e);

    /// The names that one scope has given out.
    struct Names {
        std::unordered_set<std::string> used;
        std::string make(std::string_view prefix, std::string_view name);
    };

    [[noreturn]] static void refuse(std::uint32_t token, std::string message);
    const Expr& expr(ExprId id) const { return tree_.expr(id); }
    Type type_of(ExprId id) const { return tree_.expr(id).type; }
    bool is_half(Type t) const { return types_.is(t, TypeKind::half); }
    template <class... Parts>
    void put(const Parts&... parts) {
        (out_->put(parts), ...);
    }
    void line();
    void close(); ///< Ends a block.

    // functions.cpp
    /// Whether a function that is called is written as a function.
    virtual bool is_function(FunctionId) const { return true; }
    void function(FunctionId id);
    void function_head(FunctionId id, bool with_names);
    virtual void kernel(FunctionId id);
    void declare_literals(FunctionId id);
    void body(FunctionId id);
    const std::string& function_name(FunctionId id);
    /// Whether the function, or one that it calls, calls a built-in function of that kind.
    bool calls_builtin(FunctionId id, bool (*is_kind)(std::string_view name)) const;
    /// The first parameter that the function has in C++ only. Its name is fy_. Empty if there is none.
    virtual std::string_view own_parameter(FunctionId id) const;
    virtual std::string_view function_words() const { return "static __device__ inline "; }
    virtual std::string_view constant_words() const { return "__constant__ "; }
    std::string symbol_of(FunctionId id) const;

    // types.cpp
    /// The type without its outermost qualifiers.
    std::string type_name(Type t, std::uint32_t token);
    /// A declaration of `inner` with this type. The outermost const is dropped, because variables are
    /// initialised by assignments in places.
    std::string declared(Type t, std::string inner, std::uint32_t token);
    std::string declared_as(Type t, std::string inner, bool keeps_const, std::uint32_t token);
    std::string base_name(Type t, std::uint32_t token);
    const std::string& record_name(Type t, std::uint32_t token);
    const std::string& member_name(Type record, std::uint32_t index, std::uint32_t token);
    std::uint32_t first_member(Type record) const; ///< In the order of the C++.
    void define_records();
    void define_record(Type t);
    bool contains_vector(Type t) const;

    // objects.cpp
    const std::string& variable_name(VarId id);
    void define_constant(VarId id);
    virtual void declare(VarId id);
    void initialise(ExprId id, Type t);
    void choose_first_members(ExprId id);
    bool is_plain(ExprId id) const;
    void assign_parts(const std::string& to, ExprId id, Type t, std::string_view end);

    // statements.cpp
    virtual void statement(StmtId id);
    void nested(StmtId id);
    virtual void loop(const Stmt& s);
    virtual void switch_statement(const Stmt& s);
    void case_label(const Stmt& s);
    virtual void return_statement(const Stmt& s);
    virtual void jump(const Stmt& s);
    bool ends_with_return(StmtId id) const;
    bool contains(StmtId id, std::initializer_list<StmtKind> kinds) const;
    bool jumps_out(StmtId id, bool in_loop, bool in_switch) const;
    bool is_left(StmtId id) const;
    bool has_label(StmtId id) const;
    bool is_jumped_into(StmtId id) const;
    void block(StmtId id);

    // expressions.cpp
    virtual void value(ExprId id);
    void operand(ExprId id, Level least);
    virtual Level level(ExprId id) const;
    void place(ExprId id);
    virtual void condition(ExprId id);
    void effects(ExprId id);
    void literal(const Expr& e);
    void integer(std::uint64_t bits, TypeKind kind);
    void floating(double value, TypeKind kind);
    void string(std::string_view text);
    void element(const Expr& e);
    void member(const Expr& e);
    void swizzle(Swizzle s, ExprId base, std::uint32_t token, bool lvalue);
    virtual void call(const Expr& e);
    void arguments(const Expr& e, bool first = true);
    void vector(const Expr& e);
    void statements(const Expr& e);
    void compound_literal(const Expr& e);
    void conditional(const Expr& e);
    std::optional<std::uint64_t> constant_of(ExprId id) const;

    // operators.cpp
    void binary(const Expr& e);
    virtual void quotient(const Expr& e); ///< Or a remainder.
    void pointer_binary(const Expr& e);
    void comparison(const Expr& e);
    void shift_count(ExprId count, Type shifted, Level least);
    void unary(const Expr& e);
    void logical(const Expr& e);
    void bare_condition(const Expr& e);
    void assign(const Expr& e);
    void compound(const Expr& e);
    void step(const Expr& e);
    void plain_compound(const Expr& e);
    virtual void compound_quotient(const Expr& e); ///< Or a remainder.
    void general_compound(const Expr& e);
    void general_step(const Expr& e);
    bool needs_general_form(const Expr& e) const;
    void half_as_float(ExprId id);
    static std::string_view spelling(Op op);
    static Level level_of(Op op);
    static bool is_comparison(Op op) { return op >= Op::less && op <= Op::not_equal; }
    static Level after(Level level) { return static_cast<Level>(static_cast<int>(level) + 1); }

    // conversions.cpp
    void conversion(const Expr& e);
    void arithmetic(const Expr& e);
    void load(const Expr& e);

    // builtins.cpp and the files of the families
    void builtin(const Expr& e);
    static Handler handler_of(std::string_view name);
    std::string_view name_of(const Expr& e) const { return tree_.names[e.index]; }
    ExprId argument(const Expr& e, std::size_t index) const { return tree_.items(e.list)[index]; }
    virtual void work_item(const Expr& e);
    void barrier(const Expr& e);
    virtual std::string_view own_argument(std::string_view builtin) const;
    void strided_copy(const Expr& e);
    void print(const Expr& e);
    void conversion_call(const Expr& e);
    void check_builtin(const Expr& e) const;

    const Tree& tree_;
    const Types& types_;
    Dialect dialect_;
    bool offsets_;
    Text* out_;
    Text forward_, records_, constants_, prototypes_, functions_;
    std::size_t indent_ = 0;
    Names global_names_, local_names_;
    std::set<FunctionId> called_;
    /// Answers of calls_builtin(), for each kind and function.
    mutable std::map<bool (*)(std::string_view), std::vector<bool>> builtin_calls_;
    std::vector<std::vector<VarId>> own_variables_; ///< Of each function, in the order of the text.
    std::vector<FunctionId> order_; ///< The functions that are called, in the order of the text.
    std::map<FunctionId, std::string> function_names_;
    std::unordered_map<VarId, std::string> variable_names_;
    struct RecordState {
        std::string name;
        std::vector<std::string> members;
        bool defined = false;
        std::uint32_t token = 0; ///< Of the first use.
        std::uint32_t first = 0; ///< The member with which a union begins in C++.
    };
    std::unordered_map<std::uint32_t, RecordState> record_states_; ///< By Type::index().
    std::vector<Type> pending_records_;
    std::set<std::string, std::less<>> words_;
    bool prints_ = false;
    bool padded_vectors_ = false; ///< Of three elements.
    /// Whether declarations may be jumped over, so that they must not initialise.
    bool splits_ = false;
    std::vector<Type> selectors_; ///< The types of the values of the enclosing switches.
};

} // namespace ferry::emit_cpp
