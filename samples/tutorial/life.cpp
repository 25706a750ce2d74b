// SPDX-License-Identifier: Apache-2.0
#include "life.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <stdexcept>
#include <string_view>

namespace life {
namespace {

constexpr const char* usage =
    "options: --size WIDTHxHEIGHT --generations N --seed N --picture FILE.svg\n";

std::uint32_t number(const std::string& text) {
    std::size_t end = 0;
    unsigned long value = 0;
    try {
        value = std::stoul(text, &end);
    } catch (const std::exception&) {
        end = 0;
    }
    if (end == 0 || end != text.size() || value > 100'000) {
        throw std::invalid_argument("\"" + text + "\" is not a number from 0 to 100000");
    }
    return static_cast<std::uint32_t>(value);
}

Options read_options(int argc, char** argv) {
    Options options;
    options.seed = std::random_device()() % 100'000;
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i];
        if (i + 1 == argc) {
            throw std::invalid_argument("there is no value behind \"" + std::string(name) + "\"");
        }
        const std::string value = argv[i + 1];
        if (name == "--size") {
            const std::size_t x = value.find('x');
            options.width = number(value.substr(0, x));
            options.height = number(x == std::string::npos ? "" : value.substr(x + 1));
        } else if (name == "--generations") {
            options.generations = number(value);
        } else if (name == "--seed") {
            options.seed = number(value);
        } else if (name == "--picture") {
            options.picture = value;
        } else {
            throw std::invalid_argument("there is no option \"" + std::string(name) + "\"");
        }
    }
    if (options.cells() == 0) {
        throw std::invalid_argument("the field needs at least one cell");
    }
    return options;
}

Cells random_field(const Options& options) {
    std::mt19937 random{options.seed};
    Cells cells(options.cells());
    for (Cell& cell : cells) {
        cell = random() % 3 == 0 ? 1 : 0; // a third of the cells is alive
    }
    return cells;
}

} // namespace

Cells next_generation(const Cells& now, const Options& options) {
    const std::size_t width = options.width;
    const std::size_t height = options.height;
    Cells next(now.size());
    for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
            int count = 0;
            for (std::size_t dy : {height - 1, std::size_t{0}, std::size_t{1}}) {
                for (std::size_t dx : {width - 1, std::size_t{0}, std::size_t{1}}) {
                    count += now[(y + dy) % height * width + (x + dx) % width];
                }
            }
            const bool alive = now[y * width + x] != 0; // counted above as its own neighbour
            next[y * width + x] = count == 3 || (count == 4 && alive) ? 1 : 0;
        }
    }
    return next;
}

Cells reference(Cells cells, const Options& options) {
    for (std::uint32_t i = 0; i < options.generations; ++i) {
        cells = next_generation(cells, options);
    }
    return cells;
}

void expect_equal(const Cells& result, const Cells& expected, const Options& options) {
    if (result.size() != expected.size()) {
        throw std::runtime_error("the field has " + std::to_string(result.size()) + " cells, not " +
                                 std::to_string(expected.size()));
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (result[i] != expected[i]) {
            throw std::runtime_error("cell " + std::to_string(i % options.width) + ", " +
                                     std::to_string(i / options.width) + " is " +
                                     std::to_string(result[i]) + ", not " +
                                     std::to_string(expected[i]));
        }
    }
}

double Stopwatch::ms() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin_).count();
}

void Stopwatch::report(const std::string& what, const Options& options) const {
    const double time = ms();
    const double generations = options.generations == 0 ? 1 : options.generations;
    std::printf("%s: %u generations of %u x %u cells in %.2f ms, %.1f us for each\n", what.c_str(),
                options.generations, options.width, options.height, time,
                1000 * time / generations);
}

int play(int argc, char** argv, const Run& run, const Run& expected) {
    Options options;
    try {
        options = read_options(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n%s", error.what(), usage);
        return 2;
    }
    try {
        const Cells start = random_field(options);
        const Cells result = run(options, start);
        expect_equal(result, expected ? expected(options, start) : reference(start, options),
                     options);
        std::printf("The field is the one that the processor computes (seed %u).\n", options.seed);
        return 0;
    } catch (const std::exception& error) { // ferry::Error is one, too
        std::fprintf(stderr, "Seed %u: %s\n", options.seed, error.what());
        return 1;
    }
}

} // namespace life
