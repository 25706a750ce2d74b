// SPDX-License-Identifier: Apache-2.0
// Recordings of many commands, with fills of all patterns and long argument lists. They are replayed and
// changed while older replays are pending.
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"
#include "recorded.hpp"
#include "vulkan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace recording_long_test {

using namespace conformance;
using namespace conformance::recorded;

namespace {

/// 40 values are more than the 128 bytes of Vulkan's push constants.
constexpr std::size_t numbers = 40;

struct Three {
    std::uint32_t x, y, z;
    friend bool operator==(const Three&, const Three&) = default;
};

std::string long_text() {
    std::string parameters;
    std::string sum;
    for (std::size_t i = 0; i < numbers; ++i) {
        parameters += ", uint a" + std::to_string(i);
        sum += " + a" + std::to_string(i) + " * " + std::to_string(i + 1) + "u";
    }
    return "kernel void sum(global uint* data, uint n" + parameters +
           ") { uint i = get_global_id(0); if (i < n) data[i] = data[i] * 3u" + sum + "; }";
}

} // namespace

namespace {

void replay_two_lines(const ferry::Device& device, const ferry::Kernel& add,
                      const ferry::Kernel& stir_kernel) {
    ferry::Queue queue{device};
    std::array<Values, 2> model{random_values<std::uint32_t>(count), random_values<std::uint32_t>(count)};
    std::vector<ferry::Buffer<std::uint32_t>> buffers;
    for (const Values& values : model) {
        queue.copy_and_wait(values, buffers.emplace_back(device, count));
    }
    constexpr std::uint32_t rounds = 120;
    std::array<std::array<std::uint32_t, rounds>, 2> salts{};
    std::array<std::array<ferry::Step, rounds>, 2> steps;
    ferry::Recording recording{device, [&](ferry::Recorder& first) {
                                   ferry::Recorder second = first.branch();
                                   const std::array lines{&first, &second};
                                   for (std::uint32_t r = 0; r < rounds; ++r) {
                                       for (std::size_t line = 0; line < 2; ++line) {
                                           salts[line][r] = static_cast<std::uint32_t>(random_engine()());
                                           lines[line]->launch(add, grid, buffers[line], count, r);
                                           steps[line][r] = lines[line]->launch(
                                               stir_kernel, grid, buffers[line], count, salts[line][r]);
                                       }
                                   }
                               }};
    INFO(recording.explain());
    for (int replay = 0; replay < 12; ++replay) {
        queue.replay(recording);
        for (std::size_t line = 0; line < 2; ++line) {
            for (std::uint32_t r = 0; r < rounds; ++r) {
                for (std::uint32_t& value : model[line]) {
                    value += r;
                }
                stir(model[line], salts[line][r]);
            }
            const std::uint32_t changed = static_cast<std::uint32_t>(random_below(rounds));
            salts[line][changed] = static_cast<std::uint32_t>(random_engine()());
            recording.set(steps[line][changed], 2, salts[line][changed]);
        }
    }
    check_same(queue.read(buffers[0]), model[0]);
    check_same(queue.read(buffers[1]), model[1]);
}

} // namespace

FERRY_TEST("recording: hundreds of commands on two lines, several replays of which are pending") {
    replay_two_lines(device, kernel(device, "add"), kernel(device, "stir"));
}

FERRY_TEST("recording: kernels whose times are measured, and whose times limit the submits") {
    const MeasuredSubmits measured(device);
    const ferry::Program program{device, sources()}; // No other test has launched its kernels.
    const ferry::Kernel add = program.kernel("add");
    const ferry::Kernel stir_kernel = program.kernel("stir");
    replay_two_lines(device, add, stir_kernel);
    forecast(add, grid, std::chrono::milliseconds(60));
    replay_two_lines(device, add, stir_kernel);

    ferry::Queue queue{device};
    Values model = random_values<std::uint32_t>(count);
    ferry::Buffer<std::uint32_t> buffer{device, count};
    queue.copy_and_wait(model, buffer);
    const ferry::Program fresh{device, sources()};
    const ferry::Kernel unknown = fresh.kernel("stir");
    for (std::uint32_t i = 0; i < 40; ++i) {
        queue.launch(i % 3 == 0 ? add : unknown, grid, buffer, count, i);
        if (i % 3 == 0) {
            std::for_each(model.begin(), model.end(), [i](std::uint32_t& value) { value += i; });
        } else {
            stir(model, i);
        }
    }
    check_same(queue.read(buffer), model);
}

namespace {

/// Random fills of a buffer with elements of this type, and the expected contents.
template <class T>
class Fills {
public:
    Fills(const ferry::Device& device, std::size_t size)
        : model_(random_values<T>(size)), buffer_(device, size) {
        ferry::Queue queue{device};
        queue.copy_and_wait(model_, buffer_);
    }
    void add(ferry::Recorder& record) {
        const std::size_t first = random_below(model_.size());
        fills_.push_back({first, random_below(model_.size() - first) + 1, random_values<T>(1)[0]});
        record.fill(buffer_.subview(first, fills_.back().size), fills_.back().pattern);
    }
    void apply() {
        for (const Fill& fill : fills_) {
            std::fill_n(model_.begin() + static_cast<std::ptrdiff_t>(fill.first), fill.size, fill.pattern);
        }
    }
    void check(ferry::Queue& queue) { check_same(queue.read(buffer_), model_); }
    /// Another command, outside of the recording.
    void fill_start(ferry::Queue& queue) {
        const T pattern = random_values<T>(1)[0];
        queue.fill(buffer_.first(9), pattern);
        std::fill_n(model_.begin(), 9, pattern);
    }

private:
    struct Fill {
        std::size_t first, size;
        T pattern;
    };
    std::vector<T> model_;
    ferry::Buffer<T> buffer_;
    std::vector<Fill> fills_;
};

} // namespace

FERRY_TEST("recording: fills of any pattern at any place, each time") {
    ferry::Queue queue{device};
    Fills<std::uint8_t> bytes(device, 20011);
    Fills<std::uint16_t> halves(device, 3001);
    Fills<std::uint32_t> words(device, 7001);
    Fills<Three> triples(device, 5003);
    const ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                         for (int i = 0; i < 25; ++i) {
                                             bytes.add(record);
                                             halves.add(record);
                                             words.add(record);
                                             triples.add(record);
                                         }
                                     }};
    for (int replay = 0; replay < 3; ++replay) {
        queue.replay(recording);
        bytes.apply();
        halves.apply();
        words.apply();
        triples.apply();
        bytes.fill_start(queue);
        triples.fill_start(queue);
    }
    bytes.check(queue);
    halves.check(queue);
    words.check(queue);
    triples.check(queue);
}

FERRY_TEST("recording: long argument lists, changed between replays that are pending") {
    ferry::Queue queue{device};
    const ferry::Program program{device, long_text()};
    Values model = random_values<std::uint32_t>(count);
    ferry::Buffer<std::uint32_t> buffer{device, count};
    queue.copy_and_wait(model, buffer);
    const Values given = random_values<std::uint32_t>(numbers);
    std::vector<ferry::Argument> arguments{buffer, count};
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < numbers; ++i) {
        arguments.emplace_back(given[i]);
        sum += given[i] * static_cast<std::uint32_t>(i + 1);
    }
    ferry::Step step;
    ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                   record.launch(kernel(device, "add"), grid, buffer, count, 1U);
                                   step = record.launch(program.kernel("sum"), grid, arguments);
                               }};
    for (std::uint32_t value = 0; value < 30; ++value) {
        recording.set(step, 2, value);
        queue.replay(recording);
        for (std::uint32_t& element : model) {
            element = (element + 1) * 3 + (sum - given[0]) + value;
        }
    }
    check_same(queue.read(buffer), model);
}

FERRY_TEST("recording: its replays are pending on several queues, one after the other") {
    Values model = random_values<std::uint32_t>(count);
    ferry::Buffer<std::uint32_t> buffer{device, count};
    std::array<ferry::Queue, 3> queues{ferry::Queue{device}, ferry::Queue{device}, ferry::Queue{device}};
    queues[0].copy_and_wait(model, buffer);
    ferry::Event last = queues[0].record();
    ferry::Step step;
    ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                   for (std::uint32_t i = 0; i < 70; ++i) {
                                       step = record.launch(kernel(device, "stir"), grid, buffer, count, i);
                                   }
                               }};
    std::uint32_t salt = 69;
    for (std::uint32_t round = 0; round < 12; ++round) {
        ferry::Queue& queue = queues[round % queues.size()];
        if (round % 4 == 3) {
            salt = 1000 + round;
            recording.set(step, 2, salt);
        }
        queue.wait(last);
        queue.replay(recording);
        last = queue.record();
        for (std::uint32_t i = 0; i < 70; ++i) {
            stir(model, i == 69 ? salt : i);
        }
    }
    queues[1].wait(last);
    check_same(queues[1].read(buffer), model);
}

} // namespace recording_long_test
