// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "hip_double.hpp"
#include "kernels.hpp"
#include "recorded.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

namespace recording_fault_test {

using namespace conformance;
using namespace conformance::recorded;
using ferry::Code;

FERRY_TEST("recording: a step of a destroyed one is refused by later ones") {
    ferry::Buffer<std::uint32_t> buffer{device, count};
    const ferry::Kernel add = kernel(device, "add");
    ferry::Step old;
    {
        const ferry::Recording gone{device, [&](ferry::Recorder& record) {
                                        for (std::uint32_t i = 0; i < 50; ++i) {
                                            old = record.launch(add, grid, buffer, count, i);
                                        }
                                    }};
    }
    for (int i = 0; i < 4; ++i) { // one of them probably gets the freed address
        ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                       expect_error(Code::invalid_argument,
                                                    {"not a command of this recording"},
                                                    [&] { record.wait(old); });
                                       record.launch(add, grid, buffer, count, 1U);
                                   }};
        expect_error(Code::invalid_argument, {"not a command of this recording"},
                     [&] { recording.set(old, 2, 1U); });
        expect_error(Code::invalid_argument, {"not a command of this recording"},
                     [&] { recording.set_grid(old, grid); });
    }
}

FERRY_TEST("recording: a mistake is refused when it is recorded, set or replayed") {
    const Unchanged unchanged(device);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, count};
    ferry::Buffer<std::uint32_t> small{device, 10};
    const ferry::Kernel add = kernel(device, "add");
    ferry::Step launched;
    ferry::Step filled;
    std::optional<ferry::Recorder> kept;
    ferry::Recording recording{
        device, [&](ferry::Recorder& record) {
            expect_error(Code::invalid_argument, {"1009 elements", "10 elements"},
                         [&] { record.copy(buffer, small); });
            const std::span<std::uint32_t> nowhere(static_cast<std::uint32_t*>(nullptr), 10);
            expect_error(Code::invalid_argument, {"The source", "40 bytes", "null pointer"},
                         [&] { record.copy(nowhere, small); });
            expect_error(Code::invalid_argument, {"The destination", "40 bytes", "null pointer"},
                         [&] { record.copy(small, nowhere); });
            expect_error(Code::invalid_argument, {"overlaps"},
                         [&] { record.copy(buffer.first(8), buffer.subview(4, 8)); });
            expect_error(Code::invalid_argument, {"takes 3 arguments", "2 were given"},
                         [&] { record.launch(add, grid, buffer, count); });
            expect_error(Code::invalid_argument, {"at least 1 group"}, [&] {
                record.launch(add, {0, 64}, buffer, count, 1U);
            });
            expect_error(Code::invalid_state, {"kernel is empty"},
                         [&] { record.launch(ferry::Kernel(), grid); });
            expect_error(Code::invalid_argument, {"not a command of this recording"},
                         [&] { record.wait(ferry::Step()); });
            launched = record.launch(add, grid, buffer, count, 1U);
            filled = record.fill(small, 4U);
            kept = record;
        }};
    CHECK(recording.size() == 2);
    expect_error(Code::invalid_state, {"complete"}, [&] { kept->fill(buffer, 1U); });
    expect_error(Code::invalid_argument, {"Argument 3", "'add'", "3 arguments"},
                 [&] { recording.set(launched, 3, 1U); });
    expect_error(Code::invalid_argument, {"Argument 0", "a buffer", "a value"},
                 [&] { recording.set(launched, 0, 1U); });
    expect_error(Code::invalid_argument, {"Argument 2", "4 bytes", "8 bytes"},
                 [&] { recording.set(launched, 2, std::uint64_t{1}); });
    expect_error(Code::invalid_argument, {"Command 1", "fill"}, [&] { recording.set(filled, 0, 1U); });
    expect_error(Code::invalid_argument, {"Command 1", "fill"}, [&] { recording.set_grid(filled, grid); });
    expect_error(Code::invalid_argument, {"not a command of this recording"},
                 [&] { recording.set(ferry::Step(), 0, 1U); });
    expect_error(Code::invalid_argument, {"at least 1 group"}, [&] { recording.set_grid(launched, {1, 0}); });
    ferry::Recording nothing;
    expect_error(Code::invalid_state, {"recording is empty"}, [&] { queue.replay(nothing); });
    expect_error(Code::invalid_state, {"recording is empty"}, [&] { (void)nothing.size(); });
    expect_error(Code::invalid_state, {"recording is empty"}, [&] { nothing.set(launched, 0, 1U); });
    CHECK_THROWS_AS((ferry::Recording{device, [](ferry::Recorder&) { throw std::runtime_error("mine"); }}),
                    std::runtime_error);

    // After all of that, the recording is unchanged.
    queue.fill(buffer, 10U);
    queue.replay(recording);
    check_same(queue.read(buffer), Values(count, 11U));
    check_same(queue.read(small), Values(10, 4U));
}

FERRY_TEST("recording: a mapped buffer is refused by the replay, and by a change of its launch") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, count};
    queue.fill(buffer, 1U);
    ferry::Step add;
    ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                   add = record.launch(kernel(device, "add"), grid, buffer, count, 1U);
                                   record.fill(buffer.first(1), 9U);
                               }};
    {
        const auto mapping = buffer.map(queue, ferry::Map::write);
        expect_error(Code::invalid_state, {"mapped"}, [&] { queue.replay(recording); });
        expect_error(Code::invalid_state, {"mapped"}, [&] { recording.set(add, 2, 2U); });
    }
    queue.replay(recording);
    CHECK(queue.read(buffer)[0] == 9);
}

FERRY_TEST(
    "recording: an error in the middle of the double's replay names the command, and the queue continues") {
    inject(device, ""); // throws Error (unsupported) elsewhere
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, count};
    const ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                         record.fill(buffer, 1U);
                                         record.launch(kernel(device, "add"), grid, buffer, count, 4711U);
                                         record.launch(kernel(device, "stir"), grid, buffer, count, 1U);
                                     }};
    queue.replay(recording);
    queue.finish();
    inject(device, "kernel:add:701");
    queue.replay(recording);
    const ferry::Event event = queue.record();
    // Without graphs each command is enqueued separately, and fails separately.
    const std::string failed =
        double_has(device, "hipGraphLaunch") ? "recording of 3 commands" : "recording_fault_test.cpp";
    expect_error_anywhere(Code::command_failed, {failed, "'add'", "701"}, [&] { event.wait(); });
    expect_error_anywhere(Code::command_failed, {"'add'", "701"}, [&] { queue.finish(); });
    inject(device, "");
    queue.replay(recording);
    Values wanted(count, 4712U);
    stir(wanted, 1);
    check_same(queue.read(buffer), wanted);

    // Commands enqueued separately report which of them failed.
    const ferry::Settings before = ferry::settings();
    ferry::Settings with_sync = before;
    with_sync.sync = true;
    ferry::configure(with_sync);
    ferry::Queue in_step{device};
    ferry::configure(before);
    inject(device, "kernel:stir:701");
    expect_error_anywhere(Code::command_failed,
                          {"launch of kernel 'stir'", "recording_fault_test.cpp", "701"},
                          [&] { in_step.replay(recording); });
    inject(device, "");
}

FERRY_TEST("recording: the double made no graph of it, and nothing is left") {
    inject(device, ""); // throws Error (unsupported) elsewhere
    if (!double_has(device, "hipGraphLaunch")) {
        return;
    }
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, count};
    const Unchanged unchanged(device);
    inject(device, "hipModuleLaunchKernel:1@2");
    const ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                         record.fill(buffer, 1U);
                                         record.launch(kernel(device, "add"), grid, buffer, count, 2U);
                                         record.launch(kernel(device, "add"), grid, buffer, count, 3U);
                                     }};
    inject(device, "");
    INFO(recording.explain());
    CHECK(recording.explain().find("made no graph") != std::string::npos);
    queue.replay(recording);
    check_same(queue.read(buffer), Values(count, 6U));
}

} // namespace recording_fault_test
