// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace cli {
namespace {

struct Pipe {
    std::array<int, 2> ends{-1, -1};
    Pipe() {
        if (pipe(ends.data()) != 0) {
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
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    Pipe output;
    Pipe errors;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output.ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, errors.ends[1], 2);
    for (const int end : {output.ends[0], output.ends[1], errors.ends[0], errors.ends[1]}) {
        posix_spawn_file_actions_addclose(&actions, end);
    }
    // A group of its own: what it starts ends with it when the time is up.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    pid_t child = 0;
    const int code = posix_spawn(&child, arguments[0], &actions, limit.count() != 0 ? &attributes : nullptr,
                                 arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0) {
        throw std::runtime_error("'" + words[0] + "' could not be started: " +
                                 std::strerror(code)); // NOLINT(concurrency-mt-unsafe)
    }
    output.close_write();
    errors.close_write();
    ProcessResult result;
    result.late = !drain(output, result.output, errors, result.errors, limit);
    if (result.late) {
        kill(-child, SIGKILL);
    }
    while (waitpid(child, &result.status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(result.status)) {
        result.errors += "It was ended by signal " + std::to_string(WTERMSIG(result.status));
    }
    return result;
}

} // namespace cli
