// SPDX-License-Identifier: Apache-2.0
#include "random_program.hpp"

#include "../conformance/random.hpp"

#include <algorithm>
#include <utility>

namespace kernels {
namespace {

using conformance::random_below;

constexpr unsigned depth_of_expressions = 3;

/// Writes `value` to the components `picked` of a variable, in the active work-items.
void assign(Model& model, const Variable& to, const std::vector<unsigned>& picked, const Lanes& value) {
    Lanes& lanes = model.variables[to.name];
    for (std::size_t i = 0; i < random_items; ++i) {
        for (std::size_t k = 0; model.active[i] && k < picked.size(); ++k) {
            lanes[i * to.shape.width + picked[k]] = value[i * picked.size() + k];
        }
    }
}

std::vector<unsigned> first_components(unsigned count) {
    std::vector<unsigned> result(count);
    for (unsigned k = 0; k < count; ++k) {
        result[k] = k;
    }
    return result;
}

/// A chain of swizzles that can be assigned to, with the components that it selects: ".hi.s20".
std::pair<std::string, std::vector<unsigned>> assigned_swizzle(unsigned width) {
    static constexpr const char* halves[] = {".lo", ".hi", ".even", ".odd"};
    std::string text;
    std::vector<unsigned> picked = first_components(width);
    do {
        const auto size = static_cast<unsigned>(picked.size());
        std::vector<unsigned> order = first_components(size);
        if (size != 3 && random_below(2) == 0) { // clang 14 crashes on .hi of a swizzle of three components
            const auto kind = static_cast<unsigned>(random_below(4));
            order.resize(size / 2);
            for (unsigned k = 0; k < size / 2; ++k) {
                order[k] = kind < 2 ? kind * (size / 2) + k : 2 * k + (kind - 2);
            }
            text += halves[kind];
        } else {
            std::shuffle(order.begin(), order.end(), conformance::random_engine());
            order.resize(size >= 4 && random_below(2) == 0 ? 2 : 1);
            text += ".s";
            for (const unsigned k : order) {
                text += "0123456789abcdef"[k];
            }
        }
        for (unsigned& k : order) {
            k = picked[k];
        }
        picked = order;
    } while (picked.size() > 1 && random_below(2) == 0);
    return {text, picked};
}

std::string maybe_in_parentheses(const std::string& text) {
    return random_below(4) == 0 ? "(" + text + ")" : text;
}

class ProgramMaker {
public:
    explicit ProgramMaker(const RandomLimits& limits) { maker_.limits = limits; }
    RandomProgram make();

private:
    void add_variable(const std::string& name, Shape shape);
    void add_helpers();
    void add_struct();
    Variable writable();
    Statement statement(unsigned depth);
    Statement block(unsigned depth);
    Statement assignment();
    Statement conditional(unsigned depth);
    Statement loop(unsigned depth);
    Statement selection(unsigned depth);
    Statement exchange();
    Statement uniform_loop();
    std::string counting_head(const std::string& i, int rounds);
    Statement kept();
    Statement pass(const Variable& one);
    Statement declare(const std::string& n, Shape shape);
    Statement declare_array(const std::string& n, Shape shape);
    Statement point_to_struct(const std::string& n);
    Statement choose_pointer(const std::string& n, Shape shape);
    Statement write_component(const Variable& to);
    Shape shape_of_variable();
    Expression expression(Shape shape) { return maker_.any(shape, depth_of_expressions); }

    RandomProgram program_;
    ExpressionMaker maker_;
    int numbers_ = 0;
};

Shape ProgramMaker::shape_of_variable() {
    Shape shape = maker_.random_shape();
    if (maker_.limits.no_128_bytes && shape.width * size_of(shape.type) == 128) {
        shape.width = 8;
    }
    return shape;
}

void ProgramMaker::add_variable(const std::string& name, Shape shape) {
    program_.variables.push_back({name, shape});
    maker_.scope.push_back({name, shape});
}

void ProgramMaker::add_helpers() {
    for (int h = 0; h < 3; ++h) {
        ExpressionMaker inside;
        inside.helpers = maker_.helpers;
        inside.limits = maker_.limits;
        Helper helper{"helper" + std::to_string(h), maker_.random_shape(), {}, {}};
        std::string parameters;
        for (int p = 0; p < 2; ++p) {
            helper.parameters.push_back(
                {"p" + std::to_string(p), p == 0 ? helper.result : maker_.random_shape()});
            parameters +=
                (p == 0 ? "" : ", ") + helper.parameters.back().shape.name() + " p" + std::to_string(p);
        }
        inside.scope = helper.parameters;
        helper.body = inside.any(helper.result, depth_of_expressions);
        program_.before += helper.result.name() + " " + helper.name + "(" + parameters + ") {\n    return " +
                           helper.body.text + ";\n}\n";
        program_.expressions += inside.made;
        maker_.helpers.push_back(helper);
    }
}

void ProgramMaker::add_struct() {
    std::string members;
    for (int m = 0; m < 3; ++m) {
        const Shape shape = shape_of_variable();
        members += "    " + shape.name() + " m" + std::to_string(m) + ";\n";
        add_variable("s.m" + std::to_string(m), shape);
    }
    program_.before += "typedef struct {\n" + members + "} record;\n";
}

Variable ProgramMaker::writable() {
    for (;;) {
        const Variable& v = maker_.scope[random_below(maker_.scope.size())];
        if (v.writable) {
            return v;
        }
    }
}

Statement ProgramMaker::assignment() {
    const Variable to = writable();
    if (to.shape.width > 1 && random_below(3) == 0) {
        const auto swizzle = assigned_swizzle(to.shape.width);
        const Expression value = expression({to.shape.type, static_cast<unsigned>(swizzle.second.size())});
        return {maybe_in_parentheses(to.text() + swizzle.first) + " = " + value.text + ";\n",
                [=](Model& model) { assign(model, to, swizzle.second, value.value(model)); }};
    }
    const Expression value = expression(to.shape);
    const auto all = first_components(to.shape.width);
    if (random_below(4) == 0) {
        return {maybe_in_parentheses(to.text()) + " ^= " + value.text + ";\n", [=](Model& model) {
                    Lanes lanes = value.value(model);
                    const Lanes& old = model.variables[to.name];
                    for (std::size_t i = 0; i < lanes.size(); ++i) {
                        lanes[i] = wrap(to.shape.type, lanes[i] ^ old[i]);
                    }
                    assign(model, to, all, lanes);
                }};
    }
    return {maybe_in_parentheses(to.text()) + " = " + value.text + ";\n",
            [=](Model& model) { assign(model, to, all, value.value(model)); }};
}

Statement ProgramMaker::block(unsigned depth) {
    std::vector<Statement> inside;
    std::string text = "{\n";
    for (std::size_t n = 1 + random_below(3); n > 0; --n) {
        inside.push_back(statement(depth));
        text += inside.back().text;
    }
    return {text + "}", [inside](Model& model) {
                for (const Statement& s : inside) {
                    s.run(model);
                }
            }};
}

void run_where(Model& model, const std::vector<bool>& where, const Statement& statement) {
    const std::vector<bool> before = model.active;
    for (std::size_t i = 0; i < random_items; ++i) {
        model.active[i] = before[i] && where[i];
    }
    statement.run(model);
    model.active = before;
}

Statement ProgramMaker::conditional(unsigned depth) {
    const Expression condition = expression({static_cast<Type>(random_below(8)), 1});
    const Statement yes = block(depth);
    const Statement no = block(depth);
    return {"if (" + condition.text + ") " + yes.text + " else " + no.text + "\n", [=](Model& model) {
                std::vector<bool> where;
                for (const Wide v : condition.value(model)) {
                    where.push_back(v != 0);
                }
                run_where(model, where, yes);
                where.flip();
                run_where(model, where, no);
            }};
}

/// Each work-item has its own number of rounds.
Statement ProgramMaker::loop(unsigned depth) {
    const std::string i = "i" + std::to_string(numbers_++);
    const Expression limit = expression({Type::u32, 1});
    maker_.scope.push_back({i, {Type::i32, 1}, false});
    const Statement body = block(depth);
    maker_.scope.pop_back();
    const std::string end = i + "_end";
    return {"const int " + end + " = (int)(" + limit.text + " & 3);\nfor (int " + i + " = 0; " + i + " < " +
                end + "; ++" + i + ") " + body.text + "\n",
            [=](Model& model) {
                const Lanes ends = limit.value(model);
                for (int round = 0; round < 3; ++round) {
                    model.variables[i] = Lanes(random_items, round);
                    std::vector<bool> where;
                    for (const Wide v : ends) {
                        where.push_back(round < (v & 3));
                    }
                    run_where(model, where, body);
                }
            }};
}

Statement ProgramMaker::selection(unsigned depth) {
    const Expression of = expression({Type::u32, 1});
    const Statement first = block(depth);
    const Statement second = block(depth);
    const Statement other = block(depth);
    // Case 2 falls through into the default.
    return {"switch (" + of.text + " % 4) {\ncase 0: " + first.text + " break;\ncase 2: " + second.text +
                "\ndefault: " + other.text + "\n}\n",
            [=](Model& model) {
                const Lanes value = of.value(model);
                std::vector<bool> zero;
                std::vector<bool> two;
                for (const Wide v : value) {
                    zero.push_back(v % 4 == 0);
                    two.push_back(v % 4 == 2);
                }
                run_where(model, zero, first);
                run_where(model, two, second);
                zero.flip();
                run_where(model, zero, other);
            }};
}

/// The value of another work-item of the group, at the distance `by`.
Lanes rotated(const Lanes& in, std::size_t width, std::size_t by) {
    Lanes out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::size_t item = i / width;
        const std::size_t group = item / random_group * random_group;
        out[i] = in[(group + (item + by) % random_group) * width + i % width];
    }
    return out;
}

/// Passes a value through local memory to another work-item of the group.
Statement ProgramMaker::exchange() {
    const Variable to = writable();
    const std::string array = "l" + std::to_string(numbers_++);
    program_.locals +=
        "    __local " + to.shape.name() + " " + array + "[" + std::to_string(random_group) + "];\n";
    const Expression value = expression(to.shape);
    const std::size_t by = random_below(random_group);
    const auto all = first_components(to.shape.width);
    return {array + "[lid] = " + value.text + ";\nbarrier(CLK_LOCAL_MEM_FENCE);\n" + to.text() + " = " +
                array + "[(lid + " + std::to_string(by) + ") % " + std::to_string(random_group) +
                "];\nbarrier(CLK_LOCAL_MEM_FENCE);\n",
            [=](Model& model) { assign(model, to, all, rotated(value.value(model), to.shape.width, by)); }};
}

/// The head of a loop that counts from 0. Half of these loops count by calling a function that has barriers
/// and returns the value.
std::string ProgramMaker::counting_head(const std::string& i, int rounds) {
    const std::size_t kind = random_below(6);
    const auto counted = [&](bool here, const std::string& value) {
        return here ? "same" + i + "(l" + i + ", lid, " + value + ")" : value;
    };
    if (kind < 3) {
        program_.before += "int same" + i +
                           "(__local int* by, uint lid, int v) {\n    by[lid] = v;\n"
                           "    barrier(CLK_LOCAL_MEM_FENCE);\n    v = by[0];\n"
                           "    barrier(CLK_LOCAL_MEM_FENCE);\n    return v;\n}\n";
        program_.locals += "    __local int l" + i + "[" + std::to_string(random_group) + "];\n";
    }
    return "for (int " + i + " = " + counted(kind == 0, "0") + "; " + counted(kind == 1, i) + " < " +
           std::to_string(rounds) + "; " + i + " = " + counted(kind == 2, i + " + 1") + ")";
}

Statement ProgramMaker::uniform_loop() {
    const std::string i = "i" + std::to_string(numbers_++);
    const int rounds = 1 + static_cast<int>(random_below(3));
    maker_.scope.push_back({i, {Type::i32, 1}, false});
    const Statement first = exchange();
    const Statement second = random_below(3) == 0 ? kept() : statement(1);
    maker_.scope.pop_back();
    return {counting_head(i, rounds) + " {\n" + first.text + second.text + "}\n", [=](Model& model) {
                for (int round = 0; round < rounds; ++round) {
                    model.variables[i] = Lanes(random_items, round);
                    first.run(model);
                    second.run(model);
                }
            }};
}

/// The same by a function with barriers and a pointer to the variable that it changes.
Statement ProgramMaker::pass(const Variable& one) {
    const std::string n = std::to_string(numbers_++);
    const std::string type = one.shape.name();
    const std::string group = std::to_string(random_group);
    const std::size_t by = random_below(random_group);
    program_.before += "void pass" + n + "(__local " + type + "* by, uint lid, " + type +
                       "* v) {\n    by[lid] = *v;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    *v = by[(lid + " +
                       std::to_string(by) + ") % " + group + "];\n    barrier(CLK_LOCAL_MEM_FENCE);\n}\n";
    program_.locals += "    __local " + type + " l" + n + "[" + group + "];\n";
    return {"pass" + n + "(l" + n + ", lid, &" + one.text() + ");\n", [=](Model& model) {
                assign(model, one, first_components(one.shape.width),
                       rotated(model.variables.at(one.name), one.shape.width, by));
            }};
}

/// Two variables and a pointer to the first one. The declaration of the second changes the
/// first.
Statement ProgramMaker::declare(const std::string& n, Shape shape) {
    const Expression first = expression(shape);
    maker_.scope.push_back({"a" + n, shape});
    const Expression change = expression(shape);
    maker_.scope.push_back({"b" + n, shape});
    maker_.scope.push_back({"a" + n, shape, true, "(*p" + n + ")"});
    const std::string type = shape.name();
    std::string address = "&a" + n;
    if (random_below(2) == 0) {
        program_.before += type + "* same" + n + "(" + type + "* p) {\n    return p;\n}\n";
        address = "same" + n + "(" + address + ")";
    }
    return {type + " a" + n + " = " + first.text + ", b" + n + " = (a" + n + " ^= " + change.text + "), *p" +
                n + " = " + address + ";\n",
            [=](Model& model) {
                model.variables["a" + n] = first.value(model);
                const Lanes with = change.value(model);
                Lanes& a = model.variables["a" + n];
                for (std::size_t i = 0; i < a.size(); ++i) {
                    a[i] = wrap(shape.type, a[i] ^ with[i]);
                }
                model.variables["b" + n] = a;
            }};
}

/// An array and a pointer into it.
Statement ProgramMaker::declare_array(const std::string& n, Shape shape) {
    constexpr int size = 3;
    std::vector<Expression> values;
    std::string text;
    for (int k = 0; k < size; ++k) {
        values.push_back(expression(shape));
        text += (k == 0 ? "" : ", ") + values.back().text;
    }
    const int at = static_cast<int>(random_below(size));
    const auto element = [n](int k) { return "a" + n + "[" + std::to_string(k) + "]"; };
    for (int k = 0; k < size; ++k) {
        maker_.scope.push_back({element(k), shape});
        maker_.scope.push_back({element(k), shape, true, "p" + n + "[" + std::to_string(k - at) + "]"});
    }
    const std::string place = at == 0                ? "a" + n
                              : random_below(2) == 0 ? "&" + element(at)
                                                     : "a" + n + " + " + std::to_string(at);
    return {shape.name() + " a" + n + "[" + std::to_string(size) + "] = {" + text + "};\n" + shape.name() +
                "* p" + n + " = " + place + ";\n",
            [=](Model& model) {
                std::vector<Lanes> all;
                for (const Expression& value : values) {
                    all.push_back(value.value(model));
                }
                for (int k = 0; k < size; ++k) {
                    model.variables[element(k)] = all[static_cast<std::size_t>(k)];
                }
            }};
}

Statement ProgramMaker::point_to_struct(const std::string& n) {
    const std::vector<Variable> all = program_.variables;
    for (const Variable& v : all) {
        if (v.name.starts_with("s.")) {
            maker_.scope.push_back({v.name, v.shape, true, "p" + n + "->" + v.name.substr(2)});
        }
    }
    return {"record* p" + n + " = &s;\n", [](Model&) {}};
}

/// A pointer to one of two variables, chosen by each work-item. It is used for a write after a barrier.
Statement ProgramMaker::choose_pointer(const std::string& n, Shape shape) {
    const Variable a{"a" + n, shape};
    const Variable b{"b" + n, shape};
    const Expression first = expression(shape);
    const Expression second = expression(shape);
    const Expression condition = expression({static_cast<Type>(random_below(8)), 1});
    maker_.scope.push_back(a);
    maker_.scope.push_back(b);
    const Statement between = exchange();
    const Expression written = expression(shape);
    return {shape.name() + " a" + n + " = " + first.text + ";\n" + shape.name() + " b" + n + " = " +
                second.text + ";\n" + shape.name() + "* p" + n + " = " + condition.text + " ? &a" + n +
                " : &b" + n + ";\n" + between.text + "*p" + n + " = " + written.text + ";\n",
            [=](Model& model) {
                model.variables[a.name] = first.value(model);
                model.variables[b.name] = second.value(model);
                const Lanes chosen = condition.value(model);
                between.run(model);
                const Lanes value = written.value(model);
                const auto all = first_components(shape.width);
                for (const Variable& one : {a, b}) {
                    std::vector<bool> where;
                    for (const Wide c : chosen) {
                        where.push_back((c != 0) == (one.name == a.name));
                    }
                    run_where(model, where, {"", [&](Model& m) { assign(m, one, all, value); }});
                }
            }};
}

Statement ProgramMaker::write_component(const Variable& to) {
    const auto k = static_cast<unsigned>(random_below(to.shape.width));
    const Expression value = expression({to.shape.type, 1});
    return {"((" + name_of(to.shape.type) + "*)&" + to.text() + ")[" + std::to_string(k) +
                "] = " + value.text + ";\n",
            [=](Model& model) { assign(model, to, {k}, value.value(model)); }};
}

/// Variables of a block with barriers, which pointers also access.
Statement ProgramMaker::kept() {
    const std::size_t outside = maker_.scope.size();
    const Variable to = program_.variables[random_below(program_.variables.size())];
    const std::string n = std::to_string(numbers_++);
    std::vector<Statement> parts;
    const std::size_t kind = random_below(4);
    parts.push_back(kind == 0   ? declare(n, to.shape)
                    : kind == 1 ? declare_array(n, to.shape)
                    : kind == 2 ? point_to_struct(n)
                                : choose_pointer(n, to.shape));
    parts.push_back(exchange());
    parts.push_back(statement(1));
    if (kind != 2) {
        const Variable one = maker_.scope[outside + random_below(maker_.scope.size() - outside)];
        parts.push_back(one.shape.width > 1 && random_below(2) == 0 ? write_component(one) : pass(one));
    }
    parts.push_back(exchange());
    const Expression result = expression(to.shape);
    maker_.scope.resize(outside);
    std::string text = "{\n";
    for (const Statement& part : parts) {
        text += part.text;
    }
    return {text + to.text() + " = " + result.text + ";\n}\n", [=](Model& model) {
                for (const Statement& part : parts) {
                    part.run(model);
                }
                assign(model, to, first_components(to.shape.width), result.value(model));
            }};
}

Statement ProgramMaker::statement(unsigned depth) {
    const std::size_t kind = depth == 0 ? 9 : random_below(8);
    return kind == 0   ? conditional(depth - 1)
           : kind == 1 ? loop(depth - 1)
           : kind == 2 ? selection(depth - 1)
                       : assignment();
}

RandomProgram ProgramMaker::make() {
    add_helpers();
    for (int v = 0; v < 9; ++v) {
        add_variable("v" + std::to_string(v), shape_of_variable());
    }
    add_struct();
    for (int n = 0; n < 22; ++n) {
        const std::size_t kind = random_below(10);
        program_.statements.push_back(kind == 0   ? exchange()
                                      : kind == 1 ? uniform_loop()
                                      : kind == 2 ? kept()
                                                  : statement(2));
    }
    program_.expressions += maker_.made;
    return std::move(program_);
}

std::string indented(const std::string& text) {
    std::string result;
    int depth = 1;
    for (std::size_t begin = 0, end = text.find('\n'); end != std::string::npos;
         begin = end + 1, end = text.find('\n', begin)) {
        const std::string line = text.substr(begin, end - begin);
        depth -= line[0] == '}' ? 1 : 0;
        result += std::string(static_cast<std::size_t>(4 * depth), ' ') + line + "\n";
        depth += line.back() == '{' ? 1 : 0;
    }
    return result;
}

} // namespace

std::size_t RandomProgram::scalars() const {
    std::size_t count = 0;
    for (const Variable& v : variables) {
        count += v.shape.width;
    }
    return count;
}

std::string RandomProgram::text() const {
    const std::string stride = std::to_string(scalars());
    std::string result = before +
                         "__kernel void random_kernel(__global const ulong* in, __global ulong* out) {\n" +
                         locals + "    const uint lid = get_local_id(0);\n    in += get_global_id(0) * " +
                         stride + ";\n    out += get_global_id(0) * " + stride + ";\n    record s;\n";
    std::string end;
    std::size_t at = 0;
    for (const Variable& v : variables) {
        const bool member = v.name.find('.') != std::string::npos;
        const std::string w = v.shape.width == 1 ? "" : std::to_string(v.shape.width);
        const std::string where = std::to_string(at);
        result += "    " + (member ? "" : v.shape.name() + " ") + v.name + " = convert_" + v.shape.name() +
                  "(" + (w.empty() ? "in[" + where + "]" : "vload" + w + "(0, in + " + where + ")") + ");\n";
        end += w.empty()
                   ? "    out[" + where + "] = convert_ulong(" + v.name + ");\n"
                   : "    vstore" + w + "(convert_ulong" + w + "(" + v.name + "), 0, out + " + where + ");\n";
        at += v.shape.width;
    }
    for (const Statement& s : statements) {
        result += indented("{\n" + s.text + "}\n");
    }
    return result + end + "}\n";
}

std::vector<std::uint64_t> RandomProgram::expected(const std::vector<std::uint64_t>& in) const {
    Model model;
    const std::size_t stride = scalars();
    std::size_t at = 0;
    for (const Variable& v : variables) {
        Lanes& lanes = model.variables[v.name];
        for (std::size_t i = 0; i < random_items; ++i) {
            for (unsigned k = 0; k < v.shape.width; ++k) {
                lanes.push_back(wrap(v.shape.type, static_cast<Wide>(in[i * stride + at + k])));
            }
        }
        at += v.shape.width;
    }
    for (const Statement& s : statements) {
        s.run(model);
    }
    std::vector<std::uint64_t> out(in.size());
    at = 0;
    for (const Variable& v : variables) {
        const Lanes& lanes = model.variables[v.name];
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            out[i / v.shape.width * stride + at + i % v.shape.width] =
                static_cast<std::uint64_t>(static_cast<UnsignedWide>(lanes[i]));
        }
        at += v.shape.width;
    }
    return out;
}

RandomProgram random_program(const RandomLimits& limits) {
    return ProgramMaker(limits).make();
}

} // namespace kernels
