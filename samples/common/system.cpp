// SPDX-License-Identifier: Apache-2.0
#include "system.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

namespace sample {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
    std::array<int, 2> ends{-1, -1};

    Pipe() {
        if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
            throw std::system_error(errno, std::generic_category(), "pipe2");
        }
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    void close_end(std::size_t end) {
        if (ends[end] >= 0) {
            close(ends[end]);
            ends[end] = -1;
        }
    }
};

pid_t start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
            const Pipe& output) {
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDERR_FILENO);
    pid_t child = 0;
    const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        throw std::system_error(error, std::generic_category(), program.string());
    }
    return child;
}

// Reads all available bytes of the pipe, and closes it at its end.
void drain(Pipe& pipe, std::string& text) {
    std::array<char, 4096> bytes{};
    while (pipe.ends[0] >= 0) {
        const ssize_t count = read(pipe.ends[0], bytes.data(), bytes.size());
        if (count > 0) {
            text.append(bytes.data(), static_cast<std::size_t>(count));
        } else if (count == 0) {
            pipe.close_end(0);
        } else if (errno != EINTR) {
            return;
        }
    }
}

} // namespace

bool person_watches() {
    return isatty(STDERR_FILENO) == 1;
}

void* open_library(const char* name, std::string& why) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const message = dlerror();
        why = message != nullptr ? message : name;
    }
    return library;
}

void* symbol_of(void* library, const char* name) {
    return dlsym(library, name);
}

ChildResult run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                      std::chrono::seconds limit) {
    ChildResult result;
    Pipe pipe;
    const Clock::time_point begin = Clock::now();
    const pid_t child = start(program, arguments, pipe);
    pipe.close_end(1);

    bool killed = false;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        pollfd waiting{pipe.ends[0], POLLIN, 0};
        poll(&waiting, 1, pipe.ends[0] >= 0 ? 50 : 2); // the pipe usually ends just before the child
        drain(pipe, result.output);
        if (!killed && Clock::now() - begin > limit) {
            kill(child, SIGKILL);
            killed = true;
        }
    }
    drain(pipe, result.output);
    result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (killed) {
        result.ended_by = "the time limit of " + std::to_string(limit.count()) + " s";
    } else if (WIFSIGNALED(status)) {
        result.ended_by =
            "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
    } else {
        result.status = WEXITSTATUS(status);
    }
    return result;
}

} // namespace sample
