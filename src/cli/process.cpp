// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include "../system/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace cli {
namespace {

struct Pipe {
    std::array<int, 2> ends{-1, -1};
    Pipe() {
        if (pipe2(ends.data(), O_CLOEXEC) != 0) {
            throw std::runtime_error("A pipe could not be created");
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
using std::chrono::milliseconds;

constexpr milliseconds tick{100};
constexpr milliseconds soon{2}; // Used after the program has closed its output.

/// Reads the output of a program and measures its time.
class Drain {
public:
    Drain(const ferry::detail::Process& child, const Pipe& output, const Pipe& errors, const Watch& watch,
          ProcessResult& result)
        : child_(child),
          ready_{{{output.ends[0], POLLIN, 0}, {errors.ends[0], POLLIN, 0}}},
          watch_(watch),
          result_(result) {}

    /// Returns when the program has ended or its time is over.
    void run() {
        for (bool ended = false; !ended;) {
            ended = child_.has_ended(); // Queried before the last read, so that no output is lost.
            const bool closed = ready_[0].fd < 0 && ready_[1].fd < 0;
            const milliseconds wait = ended ? milliseconds(0) : closed ? soon : tick;
            if (poll(ready_.data(), ready_.size(), static_cast<int>(wait.count())) > 0) {
                ended = !read_all() && ended;
            }
            const auto silent = std::chrono::duration_cast<milliseconds>(Clock::now() - last_);
            if (!ended && watch_.waiting) {
                watch_.waiting(silent);
            }
            if (!ended && watch_.limit.count() != 0 && silent > watch_.limit) {
                result_.late = true;
                return;
            }
        }
    }

private:
    bool read_all() {
        bool any = false;
        for (std::size_t i = 0; i < ready_.size(); ++i) {
            std::array<char, 4096> bytes{};
            if (ready_[i].fd < 0 || ready_[i].revents == 0) {
                continue;
            }
            const ssize_t got = read(ready_[i].fd, bytes.data(), bytes.size());
            if (got <= 0) {
                ready_[i].fd = -1;
                continue;
            }
            any = true;
            const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
            (i == 0 ? result_.output : result_.errors) += text;
            if (i == 0) {
                last_ = Clock::now();
                if (watch_.output) {
                    watch_.output(text);
                }
            }
        }
        return any;
    }

    const ferry::detail::Process& child_;
    std::array<pollfd, 2> ready_;
    const Watch& watch_;
    ProcessResult& result_;
    Clock::time_point last_ = Clock::now();
};

} // namespace

std::string own_program() {
    constexpr const char* link = "/proc/self/exe";
    if (access(link, X_OK) == 0) {
        return link;
    }
    const auto* const started_as = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    return started_as != nullptr ? started_as : link;
}

ProcessResult run_process(std::vector<std::string> words, const Watch& watch) {
    Pipe output;
    Pipe errors;
    const std::string program = words[0];
    const ferry::detail::Process child({.program = program,
                                        .arguments = std::move(words),
                                        .input = 0,
                                        .output = output.ends[1],
                                        .errors = errors.ends[1],
                                        .own_group = watch.limit.count() != 0});
    if (child.error() != 0) {
        throw std::runtime_error("'" + program + "' could not be started: " +
                                 std::strerror(child.error())); // NOLINT(concurrency-mt-unsafe)
    }
    output.close_write();
    errors.close_write();
    ProcessResult result;
    Drain(child, output, errors, watch, result).run();
    if (watch.limit.count() != 0) {
        child.kill(); // Also kills the processes that it started.
    }
    result.status = child.wait().value_or(0);
    if (WIFSIGNALED(result.status)) {
        result.errors += "It was " + ferry::detail::status_text(result.status);
    }
    return result;
}

} // namespace cli
