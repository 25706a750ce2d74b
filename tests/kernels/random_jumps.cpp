// SPDX-License-Identifier: Apache-2.0
#include "random_jumps.hpp"

#include "../conformance/random.hpp"

namespace kernels {
namespace {

using conformance::random_below;

constexpr std::uint32_t fuel = 12; // Jumps back of one work-item.

std::uint32_t mixed(std::uint32_t v, std::uint32_t number) {
    return (v ^ v >> 15) * 1664525u + number;
}

} // namespace

RandomJumps::RandomJumps() {
    text_ = "#define MIX(k) v = (v ^ v >> 15) * 1664525u + k\n"
            "__kernel void random_jumps(__global const uint* in, __global uint* out, __local uint* s) {\n"
            "    const uint l = get_local_id(0), n = get_local_size(0);\n"
            "    uint fuel = " +
            std::to_string(fuel) + ", v = in[get_global_id(0)];\n";
    for (int part = 0; part < 3; ++part) {
        block(2);
        exchange();
    }
    line("out[get_global_id(0)] = v;");
    text_ += "}\n";
}

void RandomJumps::line(const std::string& text) {
    text_ += std::string(4 * indent_, ' ') + text + "\n";
}

std::size_t RandomJumps::new_label() {
    places_.push_back(0);
    return places_.size() - 1;
}

std::string RandomJumps::condition(Step& step) {
    step.shift = static_cast<std::uint32_t>(random_below(24));
    step.mask = random_below(2) == 0 ? 1 : 3;
    step.equals = static_cast<std::uint32_t>(random_below(step.mask + 1));
    return "(v >> " + std::to_string(step.shift) + " & " + std::to_string(step.mask) +
           ") == " + std::to_string(step.equals);
}

/// Items, each with a label in front, without braces.
void RandomJumps::block(int depth) {
    const std::size_t count = 1 + random_below(5);
    const std::size_t first = goals_.size();
    for (std::size_t i = 0; i <= count; ++i) {
        const std::size_t label = new_label();
        goals_.push_back({"at" + std::to_string(label), label, false});
    }
    for (std::size_t i = 0; i <= count; ++i) {
        line(goals_[first + i].name + ":");
        line("MIX(0);");
        goals_[first + i].passed = true;
        place(goals_[first + i].label);
        steps_.push_back({});
        if (i < count) {
            item(depth);
        }
    }
    goals_.resize(first);
}

void RandomJumps::item(int depth) {
    switch (random_below(depth > 0 ? 6 : 3)) {
    case 0: {
        Step step;
        step.number = static_cast<std::uint32_t>(random_below(1'000'000));
        line("MIX(" + std::to_string(step.number) + ");");
        steps_.push_back(step);
        return;
    }
    case 1:
    case 2:
        return jump();
    case 3:
        return if_statement(depth);
    case 4:
        return loop(depth);
    default:
        return switch_statement(depth);
    }
}

void RandomJumps::jump() {
    Step step;
    step.kind = Kind::jump_if;
    const std::string test = condition(step);
    const std::size_t way = random_below(6);
    if (way == 0 && !breaks_.empty()) {
        step.label = breaks_.back();
        line("if (" + test + ")");
        line("    break;");
    } else if (way == 1 && !continues_.empty()) {
        step.label = continues_.back();
        line("if (" + test + ")");
        line("    continue;");
    } else {
        const Goal& goal = goals_[random_below(goals_.size())];
        step.label = goal.label;
        step.kind = goal.passed ? Kind::jump_back_if : Kind::jump_if;
        line("if (" + std::string(goal.passed ? "fuel != 0 && " : "") + test + ") {");
        if (goal.passed) {
            line("    --fuel;");
        }
        line("    goto " + goal.name + ";");
        line("}");
    }
    steps_.push_back(step);
}

void RandomJumps::if_statement(int depth) {
    Step test;
    test.kind = Kind::jump_if;
    const std::size_t yes = new_label();
    const std::size_t end = new_label();
    line("if (" + condition(test) + ") {");
    test.label = yes;
    steps_.push_back(test);
    const std::size_t otherwise = steps_.size();
    steps_.push_back({});
    ++indent_;
    place(yes);
    block(depth - 1);
    --indent_;
    Step skip;
    skip.kind = Kind::jump;
    skip.label = end;
    steps_.push_back(skip);
    const std::size_t no = new_label();
    place(no);
    steps_[otherwise] = skip;
    steps_[otherwise].label = no;
    if (random_below(2) == 0) {
        line("} else {");
        ++indent_;
        block(depth - 1);
        --indent_;
    }
    line("}");
    place(end);
}

void RandomJumps::loop(int depth) {
    const std::string name = "i" + std::to_string(new_label());
    const std::size_t turns = 1 + random_below(4);
    line("for (uint " + name + " = 0; " + name + " < " + std::to_string(turns) + "; " + name + "++) {");
    ++indent_;
    Step count; // The first one resets the counter, the second one is the step of the loop.
    count.kind = Kind::count;
    count.shift = static_cast<std::uint32_t>(steps_.size());
    steps_.push_back(count);
    const std::size_t head = new_label();
    const std::size_t next = new_label();
    const std::size_t end = new_label();
    place(head);
    breaks_.push_back(end);
    continues_.push_back(next);
    block(depth - 1);
    breaks_.pop_back();
    continues_.pop_back();
    place(next);
    count.number = static_cast<std::uint32_t>(turns);
    count.label = head;
    steps_.push_back(count);
    place(end);
    --indent_;
    line("}");
}

void RandomJumps::switch_statement(int depth) {
    const std::uint32_t shift = static_cast<std::uint32_t>(random_below(24));
    const std::size_t end = new_label();
    line("switch (v >> " + std::to_string(shift) + " & 3) {");
    std::vector<std::size_t> cases;
    for (std::uint32_t i = 0; i < 4; ++i) {
        Step test;
        test.kind = i == 3 ? Kind::jump : Kind::jump_if;
        test.shift = shift;
        test.mask = 3;
        test.equals = i;
        cases.push_back(test.label = new_label());
        steps_.push_back(test);
    }
    breaks_.push_back(end);
    for (std::uint32_t i = 0; i < 4; ++i) {
        line((i == 3 ? std::string("default") : "case " + std::to_string(i)) + ": {");
        ++indent_;
        place(cases[i]);
        block(depth - 1);
        --indent_;
        line("}");
        if (random_below(2) == 0) {
            line("    break;");
            Step leave;
            leave.kind = Kind::jump;
            leave.label = end;
            steps_.push_back(leave);
        }
    }
    breaks_.pop_back();
    line("}");
    place(end);
}

void RandomJumps::exchange() {
    line("s[l] = v;");
    line("barrier(CLK_LOCAL_MEM_FENCE);");
    line("v = v * 3 + s[(l + 1) % n];");
    line("barrier(CLK_LOCAL_MEM_FENCE);");
    Step step;
    step.kind = Kind::exchange;
    steps_.push_back(step);
}

std::vector<std::uint32_t> RandomJumps::expected(std::vector<std::uint32_t> values) const {
    std::vector<std::uint32_t> fuels(values.size(), fuel);
    for (std::size_t begin = 0; begin < steps_.size();) { // One part up to an exchange.
        std::size_t end = begin;
        for (std::size_t l = 0; l < values.size(); ++l) {
            std::uint32_t& v = values[l];
            std::vector<std::uint32_t> counters(steps_.size());
            for (std::size_t at = begin;;) {
                const Step& step = steps_[at++];
                if (step.kind == Kind::exchange) {
                    end = at;
                    break;
                }
                const bool is_true = (v >> step.shift & step.mask) == step.equals;
                bool jumps = step.kind == Kind::jump || (step.kind == Kind::jump_if && is_true);
                if (step.kind == Kind::mix) {
                    v = mixed(v, step.number);
                } else if (step.kind == Kind::jump_back_if && is_true && fuels[l] != 0) {
                    --fuels[l];
                    jumps = true;
                } else if (step.kind == Kind::count && step.number == 0) {
                    counters[step.shift] = 0;
                } else if (step.kind == Kind::count) {
                    jumps = ++counters[step.shift] < step.number;
                }
                at = jumps ? places_[step.label] : at;
            }
        }
        const std::vector<std::uint32_t> all = values;
        for (std::size_t l = 0; l < values.size(); ++l) {
            values[l] = all[l] * 3 + all[(l + 1) % all.size()];
        }
        begin = end;
    }
    return values;
}

} // namespace kernels
