// SPDX-License-Identifier: Apache-2.0
#include "host_work.hpp"

#include "host_exit.hpp"

#include <optional>
#include <utility>

namespace ferry::host {
namespace {

struct Wake final : Command {
    void run() override {}
};

} // namespace

WorkThread::WorkThread(std::shared_ptr<Work> work)
    : work_(std::move(work)), thread_("ferry-host-q", [shared = work_] { shared->run(); }) {}

WorkThread::~WorkThread() {
    if (backend::process_is_exiting()) {
        thread_.detach(); // It may be the thread that ends the process.
        return;
    }
    work_->over = true;
    work_->ring.push<Wake>(0);
    thread_.join();
}

void Work::run() {
    while (!over || !ring.is_done(ring.pushed())) {
        Command& command = ring.front();
        const Ticket end = ring.front_end();
        const std::optional<CommandError> error = failure.skips(end);
        if (error) {
            command.skip();
        } else if (!stopping()) {
            try {
                command.run();
            } catch (const CommandError& failed) {
                failure.set(failed, end);
            } catch (const Error& failed) {
                failure.set({failed}, end);
            }
        }
        // In this order a ready event implies an idle queue, and a finished queue implies ready events.
        ran.advance(end);
        if (Recording* const recording = command.recording()) {
            recording->reach(error);
        }
        ring.pop();
    }
}

void Work::finish(WaitPolicy policy) {
    const Ticket everything = ring.pushed();
    ring.await(everything, policy);
    failure.raise(everything);
}

bool Work::idle() {
    const Ticket everything = ring.pushed();
    if (!ran.reached(everything)) {
        return false;
    }
    ring.await(everything);
    failure.raise(everything);
    return true;
}

} // namespace ferry::host
