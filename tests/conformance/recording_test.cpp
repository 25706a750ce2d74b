// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "hip_double.hpp"
#include "kernels.hpp"
#include "random.hpp"
#include "recorded.hpp"
#include "staged.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace recording_test {

using namespace conformance;
using namespace conformance::recorded;
using ferry::Code;

namespace {

/// Buffers of a device with their expected contents.
class Model {
public:
    Model(const ferry::Device& device, std::size_t number) : queue(device) {
        for (std::size_t i = 0; i < number; ++i) {
            values.push_back(random_values<std::uint32_t>(count));
            buffers.emplace_back(device, count);
            queue.copy_and_wait(values.back(), buffers.back());
        }
    }
    void check() {
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            CAPTURE(i);
            check_same(queue.read(buffers[i]), values[i]);
        }
    }

    ferry::Queue queue;
    std::vector<ferry::Buffer<std::uint32_t>> buffers;
    std::vector<Values> values;
};

/// Random commands on some buffers of a model. Each is added to a recording and applied to the model.
class RandomWork {
public:
    explicit RandomWork(Model& model) : model_(&model) {}

    void add(ferry::Recorder& line, const std::vector<std::size_t>& own) {
        const ferry::Device device = model_->queue.device();
        const std::size_t a = own[random_below(own.size())];
        const std::size_t b = own[random_below(own.size())];
        auto& buffers = model_->buffers;
        Command command;
        command.a = a;
        command.b = b;
        command.value = static_cast<std::uint32_t>(random_engine()());
        command.first = random_below(count);
        command.size = random_below(count - command.first) + (random_below(8) == 0 ? 0 : 1);
        switch (random_below(a == b ? 3 : 5)) {
        case 0:
            command.kind = Command::stirs;
            command.step = line.launch(kernel(device, "stir"), grid, buffers[a], count, command.value);
            break;
        case 1:
            command.kind = Command::adds;
            command.step = line.launch(kernel(device, "add"), grid, buffers[a], count, command.value);
            break;
        case 2:
            command.kind = Command::fills;
            command.step = line.fill(buffers[a].subview(command.first, command.size), command.value);
            break;
        case 3:
            command.kind = Command::copies;
            command.step = line.copy(buffers[a].subview(command.first, command.size),
                                     buffers[b].subview(command.first, command.size));
            break;
        default:
            command.kind = Command::combines;
            command.step =
                line.launch(kernel(device, "combine"), grid, buffers[a], buffers[a], buffers[b], count);
            break;
        }
        commands_.push_back(command);
    }

    /// Changes values or buffers of some launches.
    void change(ferry::Recording& recording) {
        for (Command& command : commands_) {
            if (command.kind > Command::adds || random_below(2) == 0) {
                continue;
            }
            if (random_below(3) == 0) {
                command.items = static_cast<std::uint32_t>(random_below(count) + 1);
                recording.set(command.step, 1, command.items);
                recording.set_grid(command.step, ferry::Grid::covering(command.items, 32));
            } else {
                command.value = static_cast<std::uint32_t>(random_engine()());
                recording.set(command.step, 2, command.value);
            }
        }
    }

    void apply() {
        for (const Command& c : commands_) {
            Values& a = model_->values[c.a];
            Values& b = model_->values[c.b];
            for (std::uint32_t i = 0; i < count; ++i) {
                const bool in_part = i >= c.first && i < c.first + c.size;
                switch (c.kind) {
                case Command::stirs:
                    a[i] = i < c.items ? stir_result(a[i], i, c.value) : a[i];
                    break;
                case Command::adds:
                    a[i] = i < c.items ? a[i] + c.value : a[i];
                    break;
                case Command::fills:
                    a[i] = in_part ? c.value : a[i];
                    break;
                case Command::copies:
                    b[i] = in_part ? a[i] : b[i];
                    break;
                case Command::combines:
                    b[i] = a[i] * 3 + a[i];
                    break;
                }
            }
        }
    }

private:
    struct Command {
        enum Kind { stirs, adds, fills, copies, combines } kind = stirs;
        std::size_t a = 0, b = 0;
        std::uint32_t value = 0;
        std::uint32_t items = count;
        std::size_t first = 0, size = 0;
        ferry::Step step;
    };
    Model* model_;
    std::vector<Command> commands_;
};

} // namespace

FERRY_TEST("recording: a replay has the effect of its commands, any number of times") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, count};
    ferry::Buffer<std::uint32_t> other{device, count};
    Values input = random_values<std::uint32_t>(count);
    Values output = poison<std::uint32_t>(count);
    const ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                         record.copy(input, buffer);
                                         record.launch(kernel(device, "stir"), grid, buffer, count, 3U);
                                         record.copy(buffer, other);
                                         record.fill(other.first(100), 7U);
                                         record.copy(other, output);
                                     }};
    CHECK(recording.size() == 5);
    CHECK(output == poison<std::uint32_t>(count)); // no command has run yet
    for (int round = 0; round < 4; ++round) {
        // new values in the same memory
        std::ranges::copy(random_values<std::uint32_t>(count), input.begin());
        queue.replay(recording);
        queue.finish();
        Values wanted = input;
        stir(wanted, 3);
        std::fill_n(wanted.begin(), 100, 7U);
        check_same(output, wanted);
    }
}

FERRY_TEST("recording: random commands, replayed with changed arguments") {
    for (int round = 0; round < 8; ++round) {
        Model model(device, 3);
        RandomWork work(model);
        const std::size_t commands = random_below(20) + 1;
        ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                       for (std::size_t i = 0; i < commands; ++i) {
                                           work.add(record, {0, 1, 2});
                                       }
                                   }};
        CHECK(recording.size() == commands);
        CAPTURE(recording.explain());
        for (int replay = 0; replay < 6; ++replay) {
            model.queue.replay(recording);
            work.apply();
            if (random_below(3) == 0) {
                model.check();
            }
            work.change(recording); // without a wait for the earlier replays
        }
        model.check();
    }
}

FERRY_TEST("recording: branches that come together again") {
    for (int round = 0; round < 8; ++round) {
        Model model(device, 6);
        RandomWork before(model);
        RandomWork left(model);
        RandomWork right(model);
        RandomWork after(model);
        ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                       if (round % 2 == 0) {
                                           before.add(record, {0, 1, 2, 3, 4, 5});
                                       }
                                       ferry::Recorder branch = record.branch();
                                       ferry::Recorder idle = record.branch();
                                       for (std::size_t i = random_below(6); i != 0; --i) {
                                           left.add(record, {0, 1, 2});
                                           right.add(branch, {3, 4, 5});
                                       }
                                       if (round % 4 != 3) {
                                           record.wait(branch);
                                           record.wait(idle);
                                           after.add(record, {0, 1, 2, 3, 4, 5});
                                           after.add(record, {0, 1, 2, 3, 4, 5});
                                       } // otherwise the end of the replay joins them
                                   }};
        CAPTURE(recording.explain());
        for (int replay = 0; replay < 5; ++replay) {
            model.queue.replay(recording);
            for (RandomWork* work : {&before, &left, &right, &after}) {
                work->apply();
                work->change(recording);
            }
        }
        model.check();
    }
}

FERRY_TEST("recording: waiting for one step of another line") {
    Model model(device, 3);
    const auto combine = kernel(device, "combine");
    const ferry::Recording recording{
        device, [&](ferry::Recorder& record) {
            ferry::Recorder branch = record.branch();
            const ferry::Step ready =
                branch.launch(kernel(device, "stir"), grid, model.buffers[1], count, 11U);
            branch.launch(kernel(device, "spin"), {4, 64}, model.buffers[2].first(256), 20'000U);
            record.launch(kernel(device, "add"), grid, model.buffers[0], count, 5U);
            record.wait(ready);
            record.launch(combine, grid, model.buffers[0], model.buffers[1], model.buffers[0], count);
        }};
    for (int replay = 0; replay < 3; ++replay) {
        model.queue.replay(recording);
        stir(model.values[1], 11);
        for (std::uint32_t i = 0; i < count; ++i) {
            model.values[0][i] = (model.values[0][i] + 5) * 3 + model.values[1][i];
            if (i < 256) {
                model.values[2][i] = spin_result(i, 20'000);
            }
        }
    }
    model.check();
}

FERRY_TEST("recording: what was enqueued keeps the arguments it had") {
    Model model(device, 2);
    ferry::Step step;
    ferry::Recording recording{
        device, [&](ferry::Recorder& record) {
            record.launch(kernel(device, "spin"), {4, 64}, model.buffers[1].first(256), 3000U);
            step = record.launch(kernel(device, "add"), grid, model.buffers[0], count, 0U);
        }};
    for (std::uint32_t value = 1; value <= 40; ++value) {
        recording.set(step, 2, value * value);
        model.queue.replay(recording);
        for (std::uint32_t& v : model.values[0]) {
            v += value * value;
        }
    }
    recording.set(step, 0, model.buffers[1]); // all later replays use another buffer
    check_same(model.queue.read(model.buffers[0]), model.values[0]);
    model.queue.replay(recording);
    model.queue.finish();
    CHECK(model.queue.read(model.buffers[1])[0] == spin_result(0, 3000) + 40 * 40);
    check_same(model.queue.read(model.buffers[0]), model.values[0]);
}

FERRY_TEST("recording: local memory, structs and null arguments can be set") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> in{device, 256};
    ferry::Buffer<std::uint32_t> out{device, 256};
    const Values values = random_values<std::uint32_t>(256);
    queue.copy(values, in);
    ferry::Step reverse;
    ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                   record.fill(out, 0U);
                                   reverse = record.launch(kernel(device, "reverse_groups"), {4, 64}, in, out,
                                                           ferry::local<std::uint32_t>(64));
                               }};
    for (const std::uint32_t group : {64U, 32U, 128U, 16U}) {
        recording.set(reverse, 2, ferry::local<std::uint32_t>(std::max(64U, group)));
        recording.set_grid(reverse, {256 / group, group});
        queue.replay(recording);
        const Values seen = queue.read(out);
        for (std::uint32_t i = 0; i < 256; ++i) {
            REQUIRE(seen[i] == values[i / group * group + (group - 1 - i % group)]);
        }
    }
}

FERRY_TEST("recording: empty ones and empty commands do nothing") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, count};
    queue.fill(buffer, 5U);
    const ferry::Recording nothing{device, [](ferry::Recorder&) {}};
    CHECK(nothing.size() == 0);
    CHECK(!nothing.explain().empty());
    const ferry::Recording empty_commands{device, [&](ferry::Recorder& record) {
                                              record.fill(buffer.first(0), 1U);
                                              ferry::Recorder branch = record.branch();
                                              branch.copy(buffer.first(0), buffer.last(0));
                                              record.wait(branch);
                                              record.fill(buffer.first(0), 2U);
                                          }};
    CHECK(empty_commands.size() == 3);
    for (int i = 0; i < 3; ++i) {
        queue.replay(nothing);
        queue.replay(empty_commands);
    }
    check_same(queue.read(buffer), Values(count, 5U));
}

FERRY_TEST("recording: keeps its resources, and may be destroyed before its replays are done") {
    const Unchanged unchanged(device);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> result{device, count};
    {
        ferry::Recording kept;
        {
            ferry::Buffer<std::uint32_t> buffer{device, count};
            const ferry::Program own = ferry::Program{device, sources()};
            kept = ferry::Recording{device, [&](ferry::Recorder& record) {
                                        record.fill(buffer, 3U);
                                        record.launch(own.kernel("add"), grid, buffer, count, 4U);
                                        record.copy(buffer, result);
                                    }};
        }
        queue.replay(kept);
        queue.fill(result, 0U);
        queue.replay(kept);
    }
    check_same(queue.read(result), Values(count, 7U));
}

FERRY_TEST("recording: threads with one recording, and one queue or a queue each") {
    constexpr std::uint32_t threads = 4;
    constexpr std::uint32_t replays = 25;
    Model model(device, 1);
    const ferry::Kernel bins = kernel(device, "histogram");
    ferry::Buffer<std::uint32_t> in{device, count};
    // one for each queue, because replays on several queues may overlap
    std::vector<ferry::Buffer<std::uint32_t>> sums;
    for (std::uint32_t t = 0; t < threads; ++t) {
        model.queue.fill(sums.emplace_back(device, 16), 0U);
    }
    model.queue.fill(in, 3U);
    model.queue.finish();
    const ferry::View<const std::uint32_t> read = in; // HIP's own kernels do not report that they only read
    ferry::Step first;
    ferry::Step second;
    ferry::Recording shared{device, [&](ferry::Recorder& record) {
                                first = record.launch(bins, grid, read, sums[0], count);
                                second = record.launch(bins, grid, read, sums[0], count);
                            }};
    std::mutex setting; // held until the replay has read the settings
    const ferry::Recording in_order{
        device, [&](ferry::Recorder& record) {
            record.launch(kernel(device, "add"), grid, model.buffers[0], count, 1U);
            record.launch(kernel(device, "add"), grid, model.buffers[0], count, 2U);
        }};
    std::vector<std::thread> running;
    std::vector<std::string> failures(threads);
    for (std::size_t t = 0; t < threads; ++t) {
        running.emplace_back([&, t] {
            try {
                ferry::Queue own{device};
                for (std::uint32_t i = 0; i < replays; ++i) {
                    {
                        const std::lock_guard lock(setting);
                        shared.set(first, 1, sums[t]);
                        shared.set(second, 1, sums[t]);
                        own.replay(shared);
                    }
                    model.queue.replay(in_order);
                }
                own.finish();
            } catch (const std::exception& error) {
                failures[t] = error.what();
            }
        });
    }
    for (std::thread& thread : running) {
        thread.join();
    }
    for (const std::string& failure : failures) {
        CHECK(failure == "");
    }
    for (const ferry::Buffer<std::uint32_t>& own : sums) {
        CHECK(model.queue.read(own)[3] == count * 2 * replays);
    }
    for (std::uint32_t& value : model.values[0]) {
        value += 3 * replays * threads;
    }
    model.check();
}

FERRY_TEST("recording: a replay with host memory is one command to other threads") {
    const int rounds = matches(device, ", strict") ? 50 : 300;
    for (const bool slots : {false, true}) {
        INFO("through page-locked slots: ", slots);
        std::optional<Staged> staged;
        if (slots) {
            staged.emplace();
        }
        const std::size_t size = slots ? 2 * Staged::slot / sizeof(std::uint32_t) : 64;
        ferry::Queue queue{device};
        ferry::Buffer<std::uint32_t> buffer{device, size};
        ferry::Buffer<std::uint32_t> copy{device, size};
        const Values in(size, 1U);
        Values out(size);
        const ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                             record.copy(in, buffer);
                                             for (int i = 0; i < 10; ++i) {
                                                 record.copy(buffer, copy);
                                             }
                                             record.copy(copy, out);
                                         }};
        std::atomic<bool> stop{false};
        std::thread other([&] {
            for (int n = 1; !stop; ++n) {
                queue.fill(buffer, 9U);
                std::this_thread::sleep_for(std::chrono::microseconds(20));
                if (n % 8 == 0) {
                    queue.record().wait(); // otherwise they pile up on a slow device
                }
            }
        });
        int mixed = 0;
        for (int i = 0; i < rounds; ++i) {
            queue.replay(recording);
            queue.finish();
            mixed += out != in ? 1 : 0;
            std::fill(out.begin(), out.end(), 0U);
        }
        stop = true;
        other.join();
        queue.finish();
        CHECK(mixed == 0);
    }
}

FERRY_TEST("recording: its size is asked for while it changes") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, count};
    ferry::Buffer<std::uint8_t> bytes{device, 64};
    ferry::Step last;
    ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                   for (std::uint32_t i = 0; i < 5; ++i) {
                                       last = record.launch(kernel(device, "add"), grid, buffer, count, i);
                                   }
                               }};
    std::atomic<bool> stop{false};
    std::size_t wrong = 0;
    std::thread other([&] {
        while (!stop) {
            wrong += recording.size() != 5 ? 1U : 0U;
        }
    });
    for (std::uint32_t i = 0; i < 50; ++i) {
        // later commands stay unchanged during the file's read
        ferry::read_file(queue, "/proc/self/exe", bytes);
        for (std::uint32_t k = 0; k < 5; ++k) {
            queue.replay(recording);
            recording.set(last, 2, i * k);
        }
        queue.finish();
    }
    stop = true;
    other.join();
    CHECK(wrong == 0);
}

FERRY_TEST("recording: an empty copy only has its place") {
    const Unchanged unchanged(device);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, count};
    Values host(1, 5U);
    const auto made = [&](bool with_host) {
        return ferry::Recording{device, [&](ferry::Recorder& record) {
                                    record.fill(buffer, 1U);
                                    if (with_host) {
                                        record.copy(std::span(host).first(0), buffer.first(0));
                                        record.copy(buffer.subview(count), std::span(host).first(0));
                                    } else {
                                        record.copy(ferry::View<std::uint32_t>(), buffer.first(0));
                                        record.fill(ferry::View<std::uint32_t>(), 3U);
                                    }
                                    record.launch(kernel(device, "add"), grid, buffer, count, 1U);
                                }};
    };
    const ferry::Recording with_host = made(true);
    const ferry::Recording without = made(false);
    CHECK(with_host.size() == 4);
    CHECK(with_host.explain() == without.explain());
    for (const ferry::Recording* const recording : {&with_host, &without}) {
        queue.fill(buffer, 0U);
        queue.replay(*recording);
        check_same(queue.read(buffer), Values(count, 2U));
    }
    CHECK(host[0] == 5U);
}

FERRY_TEST("recording: marks change no result, keep the order of branches, and have no arguments") {
    Model model(device, 2);
    ferry::Step mark;
    ferry::Recording recording(device, [&](ferry::Recorder& recorder) {
        recorder.mark("begin");
        recorder.launch(kernel(device, "stir"), grid, model.buffers[0], count, 3U);
        ferry::Recorder branch = recorder.branch();
        mark = branch.mark(std::string(5000, 'x'));
        branch.copy(model.buffers[0], model.buffers[1]);
        recorder.wait(branch);
        recorder.launch(kernel(device, "stir"), grid, model.buffers[0], count, 4U);
    });
    CHECK(recording.size() == 5);
    expect_error(Code::invalid_argument, {"Command 2", "is a mark; only launches"},
                 [&] { recording.set(mark, 2, 5U); });
    for (int i = 0; i < 3; ++i) {
        model.queue.mark("replay " + std::to_string(i));
        model.queue.replay(recording);
        stir(model.values[0], 3);
        model.values[1] = model.values[0];
        stir(model.values[0], 4);
    }
    expect_error(Code::invalid_argument, {"mark is empty"}, [&] { model.queue.mark({}); });
    model.check();
}

FERRY_PAIR_TEST("recording: belongs to one device") {
    ferry::Queue queue{to};
    ferry::Buffer<std::uint32_t> here{from, count};
    ferry::Buffer<std::uint32_t> there{to, count};
    ferry::Step step;
    ferry::Recording recording{
        from, [&](ferry::Recorder& record) {
            expect_error(Code::unsupported, {"cannot be recorded"}, [&] { record.copy(here, there); });
            expect_error(Code::invalid_argument, {"The buffer to fill", "the recording is for"},
                         [&] { record.fill(there, 1U); });
            expect_error(Code::invalid_argument, {"Kernel 'add' was built for"},
                         [&] { record.launch(kernel(to, "add"), grid, there, count, 1U); });
            step = record.launch(kernel(from, "add"), grid, here, count, 1U);
            // A copy of no elements has no device, as in a queue.
            CHECK(record.copy(ferry::View<std::uint32_t>(), there.subview(count)).index() == 1);
            CHECK(record.copy(there.first(0), here.first(0)).index() == 2);
        }};
    expect_error(Code::invalid_argument, {"The recording was made for", "but the queue is on"},
                 [&] { queue.replay(recording); });
    expect_error(Code::invalid_argument, {"the buffer is on"}, [&] { recording.set(step, 0, there); });
}

FERRY_PAIR_TEST("recording: a replay after host work keeps its arguments and its place") {
    ferry::Queue queue{to};
    ferry::Queue other{from};
    ferry::Buffer<std::uint32_t> slow_one{from, 256};
    ferry::Buffer<std::uint32_t> buffer{to, count};
    ferry::Step step;
    ferry::Recording recording{to, [&](ferry::Recorder& record) {
                                   record.launch(kernel(to, "stir"), grid, buffer, count, 1U);
                                   step = record.launch(kernel(to, "add"), grid, buffer, count, 0U);
                               }};
    Values wanted(count, 1U);
    queue.fill(buffer, 1U);
    for (std::uint32_t value = 1; value <= 10; ++value) {
        other.launch(kernel(from, "spin"), {4, 64}, slow_one, 5000U);
        queue.wait(other.record()); // a queue of another backend, so the wait is on the host
        recording.set(step, 2, value);
        queue.replay(recording);
        stir(wanted, 1);
        for (std::uint32_t& v : wanted) {
            v += value;
        }
    }
    check_same(queue.read(buffer), wanted);
}

} // namespace recording_test
