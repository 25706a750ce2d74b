// SPDX-License-Identifier: Apache-2.0
#include "child/child_process.hpp"

#include "system/channel.hpp"
#include "system/pause.hpp"
#include "system/process.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace ferry::detail::child_run {
namespace {

// Reads until it closes its output. Returns false if it must be killed.
bool listen(Channel& from, const Take& take, const Limit& limit, bool& late) {
    using std::chrono::milliseconds;
    std::array<char, 4096> bytes{};
    for (;;) {
        const auto left = std::chrono::ceil<milliseconds>(limit() - Clock::now());
        late = left <= milliseconds(0);
        if (late) {
            return false;
        }
        std::size_t count = 0;
        switch (from.receive(bytes, std::min<milliseconds>(left, milliseconds(1000)), count)) {
        case Channel::Received::bytes:
            if (!take({bytes.data(), count})) {
                return false;
            }
            break;
        case Channel::Received::nothing:
            break;
        case Channel::Received::end:
            return true;
        case Channel::Received::failed:
            return false;
        }
    }
}

// It may close its output and continue to run; the time limit also covers this. Its children are killed with
// it, while its process number is still valid.
std::optional<int> reap(const Process& child, const Limit& limit, bool& late) {
    while (!child.has_ended()) {
        if (!late && Clock::now() > limit()) {
            late = true;
            child.kill();
        }
        sleep_thread(std::chrono::microseconds(200));
    }
    child.kill();
    return child.wait();
}

} // namespace

ChildEnd run_child(ProcessStart start, const std::string& input, const Take& take, const Limit& limit) {
    ChildEnd end;
    Channel talk;
    start.own_group = true;
    int code = talk.error();
    start.input = start.output = talk.child_end();
    std::optional<Process> child;
    if (code == 0) {
        code = child.emplace(start).error();
    }
    if (code != 0) {
        end.how =
            std::string("could not be started: ") + std::strerror(code); // NOLINT(concurrency-mt-unsafe)
        return end;
    }
    end.started = true;
    talk.close_child_end();
    talk.send_all(input); // If it has already ended, its status is checked below.
    const bool by_itself = listen(talk, take, limit, end.late);
    if (!by_itself) {
        child->kill();
    }
    bool late = end.late || !by_itself;
    end.status = reap(*child, limit, late);
    end.how = status_text(end.status);
    end.late = end.late || (by_itself && late);
    return end;
}

} // namespace ferry::detail::child_run
