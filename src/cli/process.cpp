// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include "../system/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace cli {
namespace {

struct Pipe {
    std::array<int, 2> ends{-1, -1};
    Pipe() {
        if (pipe2(ends.data(), O_CLOEXEC) != 0) {
            throw std::runtime_error("No pipe could be made");
        }
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        for (const int end : ends) {
            if (end >= 0) {
                close(end);
            }
        }
    }
    void close_write() {
        close(ends[1]);
        ends[1] = -1;
    }
};

using Clock = std::chrono::steady_clock;

// Reads both to their ends. False: the limit was over before.
bool drain(const Pipe& a, std::string& from_a, const Pipe& b, std::string& from_b,
           std::chrono::milliseconds limit) {
    const Clock::time_point end = Clock::now() + limit;
    std::array<pollfd, 2> ready{{{a.ends[0], POLLIN, 0}, {b.ends[0], POLLIN, 0}}};
    const std::array<std::string*, 2> texts{&from_a, &from_b};
    std::size_t open = 2;
    while (open != 0) {
        int wait = -1;
        if (limit.count() != 0) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
            if (left.count() <= 0) {
                return false;
            }
            wait = static_cast<int>(left.count());
        }
        if (poll(ready.data(), ready.size(), wait) < 0 && errno != EINTR) {
            return true;
        }
        for (std::size_t i = 0; i < ready.size(); ++i) {
            std::array<char, 4096> bytes{};
            if (ready[i].fd < 0 || ready[i].revents == 0) {
                continue;
            }
            const ssize_t got = read(ready[i].fd, bytes.data(), bytes.size());
            if (got > 0) {
                texts[i]->append(bytes.data(), static_cast<std::size_t>(got));
            } else {
                ready[i].fd = -1;
                --open;
            }
        }
    }
    return true;
}

} // namespace

ProcessResult run_process(std::vector<std::string> words, std::chrono::milliseconds limit) {
    Pipe output;
    Pipe errors;
    const std::string program = words[0];
    const ferry::detail::Process child({.program = program,
                                        .arguments = std::move(words),
                                        .input = 0,
                                        .output = output.ends[1],
                                        .errors = errors.ends[1],
                                        .own_group = limit.count() != 0});
    if (child.error() != 0) {
        throw std::runtime_error("'" + program + "' could not be started: " +
                                 std::strerror(child.error())); // NOLINT(concurrency-mt-unsafe)
    }
    output.close_write();
    errors.close_write();
    ProcessResult result;
    result.late = !drain(output, result.output, errors, result.errors, limit);
    if (result.late) {
        child.kill();
    }
    result.status = child.wait().value_or(0);
    if (WIFSIGNALED(result.status)) {
        result.errors += "It was " + ferry::detail::status_text(result.status);
    }
    return result;
}

} // namespace cli
