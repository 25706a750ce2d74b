// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernels {

/// A random kernel of nested blocks, loops and switches with goto, break and continue, each of which only
/// some work-items take. Barriers are where all work-items arrive.
class RandomJumps {
public:
    /// Uses random_engine().
    RandomJumps();
    /// OpenCL C: `__kernel void random_jumps(__global const uint* in, __global uint* out, __local uint* s)`.
    const std::string& text() const { return text_; }
    /// The output of one group.
    std::vector<std::uint32_t> expected(std::vector<std::uint32_t> values) const;

private:
    enum class Kind { mix, jump, jump_if, jump_back_if, count, exchange };
    /// The model is a list of these. A jump goes to a label, a position in the list.
    struct Step {
        Kind kind = Kind::mix;
        std::uint32_t number = 0; ///< What mix adds; the number of turns that count makes.
        std::uint32_t shift = 0, mask = 0, equals = 0;
        std::size_t label = 0;
    };
    struct Goal {
        std::string name;
        std::size_t label;
        bool passed;
    };

    void line(const std::string& text);
    std::size_t new_label();
    void place(std::size_t label) { places_[label] = steps_.size(); }
    std::string condition(Step& step);
    void block(int depth);
    void item(int depth);
    void jump();
    void if_statement(int depth);
    void loop(int depth);
    void switch_statement(int depth);
    void exchange();

    std::string text_;
    std::vector<Step> steps_;
    std::vector<std::size_t> places_; ///< Of labels, in steps_.
    std::vector<Goal> goals_;         ///< The labels in scope.
    std::vector<std::size_t> breaks_, continues_;
    std::size_t indent_ = 1;
};

} // namespace kernels
