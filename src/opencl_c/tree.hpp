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

// The typed tree of one text. Nodes are small records in vectors and name one another by index; 0 is "none".
// Every conversion is a node of its own, so a reader of the tree needs no rules of C. The tree does not
// change after it was checked.
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
    integer,     ///< `constant`: the value, as its type holds it
    floating,    ///< `constant`: the bits of a double
    string,      ///< `index`: of Tree::strings
    variable,    ///< lvalue; `index`: VarId
    element,     ///< lvalue; a[b]: of the pointer a, or of the vector a if that is no pointer
    member,      ///< a.member; `index`: its place in the record; lvalue if a is one
    swizzle,     ///< components of the vector a; `index`: of Tree::swizzles; lvalue if a is one
    dereference, ///< lvalue; *a
    address,     ///< &a
    unary,       ///< op a: minus, complement, logical_not
    step,        ///< op a: the four forms of ++ and --
    binary,      ///< a op b; both have one type, but for shifts and for a pointer with an integer
    logical,     ///< a && b, a || b; each an int or a vector
    assign,      ///< a = b
    compound,    ///< a op= b; computed in `index` (Type bits), then converted to the type of a
    conditional, ///< a ? b : c; where a is a vector, component by component
    comma,       ///< a, b
    call,        ///< of a function of the text; `index`: FunctionId; `list`: arguments
    builtin,     ///< of a built-in function; `index`: of Tree::names; `list`: arguments
    vector,      ///< (T)(a, b, ...); `list`: scalars and vectors whose components are those of the type
    initialiser, ///< {...}; `list`: values of the first elements or members, 0: zero; the others are zero. Of
                 ///< a union `index` is the member that the one value is for
    compound_literal, ///< lvalue; `index`: VarId of an unnamed variable
    statements,       ///< ({ ... }); `index`: StmtId
    convert,          ///< a as the type, by `conversion`
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
    arithmetic,  ///< between integers, floating types and bool; of vectors to equally many lanes: only of
                 ///< masks
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
    bool explicit_cast = false; ///< the conversion is written in the text
    std::uint16_t depth = 1;    ///< of the tree below
    Type type;
    std::uint32_t token = 0; ///< where messages point
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
    case_,    ///< `constant`, body; a range of GNU's: up to `last`
    default_, ///< body
    break_,
    continue_,
    return_, ///< expr, which may be 0
    goto_,   ///< `label`
    label,   ///< `label`, body
};

struct Stmt {
    StmtKind kind = StmtKind::empty;
    std::uint8_t unroll_hint = 0; ///< 1: unroll; of loops
    std::uint16_t depth = 1;
    std::uint32_t token = 0;
    ExprId expr = 0, step = 0;
    StmtId initial = 0, body = 0, otherwise = 0;
    List list;
    std::uint64_t constant = 0, last = 0;
    std::uint32_t unroll = 0; ///< the count of a hint; 0: none is given
    std::string_view label;
};

struct Variable {
    std::string_view name;
    Type type; ///< its space is where the variable lives
    std::uint32_t token = 0;
    ExprId initial = 0;
    FunctionId function = 0; ///< 0: at file scope
    bool parameter = false;
    bool is_static = false;
    bool is_extern = false;
    bool address_taken = false;
    bool used = false;
    bool written = false;    ///< after its declaration
    std::uint64_t align = 0; ///< of an `aligned` attribute, bytes; 0: none
};

struct Function {
    std::string_view name;
    Type type;
    std::uint32_t token = 0;
    std::vector<VarId> parameters;
    std::vector<std::string> parameter_types; ///< as the text writes them
    StmtId body = 0;                          ///< 0: only declared
    bool kernel = false;
    bool overloadable = false;
    bool is_static = false;
    bool is_inline = false;
    bool uses_image = false;
    std::array<std::uint32_t, 3> required_local{};
    std::vector<FunctionId> calls; ///< each once
    std::vector<std::string_view> builtins;
};

/// Components of a swizzle, of the vector that it is taken of.
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
    std::vector<std::string_view> names; ///< of built-in functions that are called
    std::vector<VarId> globals;          ///< in order of the text
    bool contracts = true;               ///< false: FP_CONTRACT OFF
    bool checked = false;                ///< without an error

    const Expr& expr(ExprId id) const noexcept { return exprs[id]; }
    const Stmt& stmt(StmtId id) const noexcept { return stmts[id]; }
    std::span<const std::uint32_t> items(List list) const noexcept {
        return {lists.data() + list.first, list.count};
    }
    translate::Position place(std::uint32_t token) const noexcept { return tokens[token].at; }
};

} // namespace ferry::opencl_c
