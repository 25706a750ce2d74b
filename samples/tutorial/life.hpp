// SPDX-License-Identifier: Apache-2.0
#pragma once

// Helper code of the tutorial's steps: command line, random start, a reference on the processor, a
// stopwatch, pictures.

#include <ferry/ferry.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace life {

using Cell = std::uint8_t;       ///< 0 is dead, 1 is alive
using Cells = std::vector<Cell>; ///< row after row, without gaps

struct Options {
    std::uint32_t width = 101;
    std::uint32_t height = 67;
    std::uint32_t generations = 40;
    std::uint32_t seed = 0;
    std::string picture; ///< the file for the picture; empty: none

    std::size_t cells() const { return std::size_t{width} * height; }
};

/// One generation on the processor, without Ferry. The edges of the field are joined.
Cells next_generation(const Cells& now, const Options& options);
/// The last of all generations.
Cells reference(Cells cells, const Options& options);

/// Throws std::runtime_error unless the two fields are equal.
void expect_equal(const Cells& result, const Cells& expected, const Options& options);

/// Prints the time since it was made, with the speed.
class Stopwatch {
public:
    double ms() const;
    void report(const std::string& what, const Options& options) const;

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point begin_ = Clock::now();
};

/// Rectangles on top of the field, each with a colour of its own.
struct Band {
    std::size_t x, y, width, height; ///< in cells
    std::string colour;
    bool filled = true; ///< else only its edge is drawn
};
void write_picture(const Cells& cells, const Options& options, const std::vector<Band>& bands = {});

/// The program around a step: reads the command line, makes a random field, calls `run` with it,
/// and compares the result with that of `expected`. Returns the exit status.
using Run = std::function<Cells(const Options&, const Cells& start)>;
int play(int argc, char** argv, const Run& run, const Run& expected = {});

} // namespace life
