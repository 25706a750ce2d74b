// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "translate/token.hpp"
#include "types.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The typed tree of one text. Nodes are small records in vectors and refer to each other by index; 0 is
// "none". Every conversion is a separate node, so code that reads the tree need not know the rules of C. The
// tree does not change after the check.
namespace ferry::opencl_c {

using ExprId = std::uint32_t;
using StmtId = std::uint32_t;
using VarId = std::uint32_t;
using FunctionId = std::uint32_t;

/// Indices first .. first + count - 1 of Tree::lists.
struct List {
    std::uint32_t first = 0, count = 0;
};

enum class ExprKind : std::uint8_t {
    error,
    integer,     ///< `constant`: the value, in the representation of its type
    floating,    ///< `constant`: the bits of a double
    string,      ///< `index`: of Tree::strings
    variable,    ///< lvalue; `index`: VarId
    element,     ///< lvalue; a[b], where a is a pointer or else a vector
    member,      ///< a.member; `index`: of the member in the record; lvalue if a is one
    swizzle,     ///< components of the vector a; `index`: of Tree::swizzles; lvalue if a is one
    dereference, ///< lvalue; *a
    address,     ///< &a
    unary,       ///< op a: minus, complement, logical_not
    step,        ///< op a: the four forms of ++ and --
    binary,      ///< a op b; both have one type, except for shifts and for a pointer with an integer
    logical,     ///< a && b, a || b; each an int or a vector
    assign,      ///< a = b
    compound,    ///< a op= b; computed in `index` (Type bits), then converted to the type of a
    conditional, ///< a ? b : c; component by component if a is a vector
    comma,       ///< a, b
    call,        ///< A call of a function in the text; `index`: FunctionId; `list`: arguments
    builtin,     ///< A call of a built-in function; `index`: of Tree::names; `list`: arguments
    vector,      ///< (T)(a, b, ...); `list`: scalars and vectors with the components of the type
    initialiser, ///< {...}; `list`: values of the first elements or members; 0 and missing ones are zero.
                 ///< For a union, `index` is the member that the one value initializes.
    compound_literal, ///< lvalue; `index`: VarId of an unnamed variable
    statements,       ///< ({ ... }); `index`: StmtId; a: the value in it, 0 if it is void
    convert,          ///< a, converted to the type by `conversion`
};

enum class Op : std::uint8_t {
    none,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    shift_left,
    shift_right,
    bit_and,
    bit_or,
    bit_xor,
    less,
    greater,
    less_equal,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    minus,
    complement,
    logical_not,
    pre_increment,
    pre_decrement,
    post_increment,
    post_decrement,
};

enum class Conversion : std::uint8_t {
    none,
    load,        ///< the value of an lvalue
    decay,       ///< an array or a string to a pointer to its first element
    arithmetic,  ///< Between integers, floating types and bool. Between vectors only for masks
                 ///< with the same number of lanes.
    splat,       ///< a scalar of the element type to all components of a vector
    pointer,     ///< pointer to pointer; the address space stays
    from_null,   ///< the constant 0 to a pointer
    to_pointer,  ///< an integer to a pointer
    to_integer,  ///< a pointer to an integer
    to_bool,     ///< a pointer to 0 or 1
    reinterpret, ///< the bits of a value of equal size: as_T(), vectors of equal size
    drop,        ///< to void
};

struct Expr {
    ExprKind kind = ExprKind::error;
    Op op = Op::none;
    Conversion conversion = Conversion::none;
    bool lvalue = false;
    bool explicit_cast = false; ///< The text contains the conversion.
    std::uint16_t depth = 1;    ///< The depth of the tree below this node.
    Type type;
    std::uint32_t token = 0; ///< The position for messages.
    ExprId a = 0, b = 0, c = 0;
    std::uint32_t index = 0;
    List list;
    std::uint64_t constant = 0;
};

enum class StmtKind : std::uint8_t {
    empty,
    block,       ///< `list`: StmtIds
    declaration, ///< `list`: VarIds
    expression,
    if_,      ///< expr, body, otherwise
    while_,   ///< expr, body
    do_,      ///< body, expr
    for_,     ///< initial (StmtId), expr, step, body
    switch_,  ///< expr, body
    case_,    ///< `constant`, body; for a GNU range, the values up to `last`
    default_, ///< body
    break_,
    continue_,
    return_, ///< expr, or 0 without a value
    goto_,   ///< `label`
    label,   ///< `label`, body
};

struct Stmt {
    StmtKind kind = StmtKind::empty;
    std::uint8_t unroll_hint = 0; ///< For loops. 1: unroll.
    std::uint16_t depth = 1;
    std::uint32_t token = 0;
    ExprId expr = 0, step = 0;
    StmtId initial = 0, body = 0, otherwise = 0;
    List list;
    std::uint64_t constant = 0, last = 0;
    std::uint32_t unroll = 0; ///< The count of a hint. 0: no hint.
    std::string_view label;
};

struct Variable {
    std::string_view name;
    Type type; ///< Its address space is that of the variable.
    std::uint32_t token = 0;
    ExprId initial = 0;
    FunctionId function = 0; ///< 0: at file scope.
    bool parameter = false;
    bool is_static = false;
    bool is_extern = false;
    bool address_taken = false;
    bool used = false;
    bool written = false;    ///< Whether it is assigned after its declaration.
    std::uint64_t align = 0; ///< Bytes, from an `aligned` attribute. 0: no attribute.
};

struct Function {
    std::string_view name;
    Type type;
    std::uint32_t token = 0;
    std::vector<VarId> parameters;
    std::vector<std::string> parameter_types; ///< As written in the text.
    StmtId body = 0;                          ///< 0: only declared.
    bool kernel = false;
    bool overloadable = false;
    bool is_static = false;
    bool is_inline = false;
    std::array<std::uint32_t, 3> required_local{};
    std::vector<FunctionId> calls; ///< Each function once.
    std::vector<std::string_view> builtins;
};

/// The components of a swizzle, as indices into the vector.
struct Swizzle {
    std::uint8_t count = 0;
    std::array<std::uint8_t, 16> components{};
};

struct Tree {
    std::shared_ptr<translate::Files> files;
    std::vector<translate::Token> tokens;
    Types types;
    std::vector<Expr> exprs{1};
    std::vector<Stmt> stmts{1};
    std::vector<Variable> variables{1};
    std::deque<Function> functions{1};
    std::vector<std::uint32_t> lists;
    std::vector<Swizzle> swizzles;
    std::vector<std::string> strings;
    std::vector<std::string_view> names; ///< Names of the built-in functions that are called.
    std::vector<VarId> globals;          ///< In the order of the text.
    FunctionId recursive = 0;            ///< A function that calls itself. 0: none.
    bool contracts = true;               ///< False: FP_CONTRACT OFF.
    bool checked = false;                ///< True: there was no error.

    const Expr& expr(ExprId id) const noexcept { return exprs[id]; }
    const Stmt& stmt(StmtId id) const noexcept { return stmts[id]; }
    std::span<const std::uint32_t> items(List list) const noexcept {
        return {lists.data() + list.first, list.count};
    }
    translate::Position place(std::uint32_t token) const noexcept { return tokens[token].at; }
};

} // namespace ferry::opencl_c
