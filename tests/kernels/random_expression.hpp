// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scalar.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kernels {

/// The number of work-items of a random kernel, and of each of its groups.
inline constexpr std::size_t random_items = 32;
inline constexpr std::size_t random_group = 16;

/// Features that random kernels avoid on devices with known faults. The same seed then gives other kernels.
struct RandomLimits {
    bool no_128_bytes = false;            ///< no variable and no member of the struct has 128 bytes
    bool parentheses_in_literals = false; ///< around every part of a vector literal except the first
};

/// The type of an expression: an integer type and a width.
struct Shape {
    Type type = Type::i32;
    unsigned width = 1;
    bool operator==(const Shape&) const = default;
    std::string name() const { return name_of(type, width); }
};

/// A value in every work-item. Component k of item i is number i * width + k.
using Lanes = std::vector<Wide>;

/// The state of the model during a kernel: every variable, and the active work-items.
struct Model {
    std::map<std::string, Lanes> variables;
    std::vector<bool> active = std::vector<bool>(random_items, true);
};

/// An expression of OpenCL C with a function that computes its value.
struct Expression {
    Shape shape;
    std::string text;
    std::function<Lanes(const Model&)> value;
};

struct Variable {
    std::string name;
    Shape shape;
    bool writable = true;
    std::string spelled = {}; ///< the text if it is not the name, for example through a pointer
    const std::string& text() const { return spelled.empty() ? name : spelled; }
};

/// A helper function of the kernel: its result and its parameters.
struct Helper {
    std::string name;
    Shape result;
    std::vector<Variable> parameters;
    Expression body;
};

/// Makes random well-defined expressions over the variables in scope.
class ExpressionMaker {
public:
    std::vector<Variable> scope;
    std::vector<Helper> helpers;
    std::size_t made = 0; ///< number of operations so far
    RandomLimits limits;

    Expression any(Shape shape, unsigned depth);
    Shape random_shape();

private:
    Expression leaf(Shape shape);
    Expression binary(Shape shape, unsigned depth);
    Expression shift(Shape shape, unsigned depth);
    Expression division(Shape shape, unsigned depth);
    Expression function(Shape shape, unsigned depth);
    Expression conversion(Shape shape, unsigned depth);
    Expression comparison(Shape shape, unsigned depth);
    Expression choice(Shape shape, unsigned depth);
    Expression swizzle(Shape shape, unsigned depth);
    Expression literal(Shape shape, unsigned depth);
    Expression call(Shape shape, unsigned depth);
};

} // namespace kernels
