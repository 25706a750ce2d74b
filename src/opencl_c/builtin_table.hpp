// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

// One row for each family of built-in functions with the same parameters.
namespace ferry::opencl_c {

/// The types that replace a generic T of a row.
enum class Set : unsigned char {
    none,             ///< The row has no T.
    floats,           ///< half, float, double, of each width
    single,           ///< float, of each width
    geometric,        ///< half, float, double, of widths 1 to 4
    geometric_single, ///< float, of widths 1 to 4
    three_or_four,    ///< half, float, double, of widths 3 and 4
    integers,         ///< the eight integer types, of each width
    signed_integers,
    narrow,   ///< the integer types below 64 bits, of each width
    words,    ///< int and uint, of each width
    word,     ///< int, uint
    atomic64, ///< long, ulong
    all,      ///< integers and floats
    reduced,  ///< int, uint, long, ulong, half, float, double; scalars
};

/// Syntax of `signature`: the result and the parameters, separated by blanks.
///   T  the generic type            E  its element           i  int of its width
///   U  its unsigned counterpart    K  signed integer of its element's size, of its width
///   J  the same, unsigned          R  int, or K for vectors W  the integer twice as wide
/// Other words are types of the language. A prefix makes a pointer, and each address space is an overload:
/// - *X: a pointer to X in the global, local or private space;
/// - @X: a pointer to volatile X in the global or local space;
/// - g*X, l*X, c*X: a pointer to X in that space;
/// - a leading !: makes the pointee const, and adds the constant space to *.
struct Row {
    std::string_view names;
    Set set;
    std::string_view signature;
};

std::span<const Row> builtin_rows() noexcept;

} // namespace ferry::opencl_c
