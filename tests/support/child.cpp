// SPDX-License-Identifier: Apache-2.0
#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

namespace support {
namespace {

std::vector<std::string> environment_of(const Child& child) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const std::string name = text.substr(0, text.find('='));
        const bool replaced = std::any_of(child.environment.begin(), child.environment.end(),
                                          [&](const auto& changed) { return changed.first == name; });
        if (!replaced) {
            result.push_back(text);
        }
    }
    for (const auto& [name, value] : child.environment) {
        if (value) {
            result.push_back(name + "=" + *value);
        }
    }
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) {
        result.push_back(text.data());
    }
    result.push_back(nullptr);
    return result;
}

pid_t spawn(const Child& child, int output) {
    std::vector<std::string> arguments{child.program};
    // The emulator for programs of another processor. The link leads to the emulator's own file once it runs.
    if (const char* const emulator = std::getenv("FERRY_TEST_EMULATOR"); emulator != nullptr) {
        arguments = {emulator, std::filesystem::canonical(child.program).string()};
    }
    arguments.insert(arguments.end(), child.arguments.begin(), child.arguments.end());
    std::vector<std::string> environment = environment_of(child);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    pid_t pid = -1;
    const int error = posix_spawnp(&pid, arguments.front().c_str(), &actions, nullptr,
                                   pointers(arguments).data(), pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        throw std::runtime_error("posix_spawn of " + child.program + " failed with " + std::to_string(error));
    }
    return pid;
}

std::map<std::string, std::function<int(const std::string&)>>& bodies() {
    static std::map<std::string, std::function<int(const std::string&)>> all;
    return all;
}

} // namespace

ChildBody::ChildBody(const std::string& name, std::function<int(const std::string& argument)> body) {
    bodies().emplace(name, std::move(body));
}

std::optional<int> run_child_body(int argc, char** argv) {
    const std::string wanted = argc >= 2 ? argv[1] : "";
    const std::string option = "--child=";
    if (wanted.rfind(option, 0) != 0) {
        return std::nullopt;
    }
    const std::size_t bar = std::min(wanted.find('|'), wanted.size());
    const auto found = bodies().find(wanted.substr(option.size(), bar - option.size()));
    if (found == bodies().end()) {
        std::puts("There is no child body of that name.");
        return 97;
    }
    try {
        return found->second(wanted.substr(std::min(bar + 1, wanted.size())));
    } catch (const std::exception& error) {
        std::printf("The child's body threw: %s\n", error.what());
        return 98;
    }
}

ChildResult run(const Child& child) {
    std::array<int, 2> pipe_ends{};
    if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("pipe2 failed");
    }
    const pid_t pid = spawn(child, pipe_ends[1]);
    close(pipe_ends[1]);

    ChildResult result;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(child.limit_seconds);
    while (true) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            result.timed_out = true;
            break;
        }
        pollfd ready{pipe_ends[0], POLLIN, 0};
        if (poll(&ready, 1, static_cast<int>(left.count())) <= 0) {
            continue;
        }
        std::array<char, 4096> bytes{};
        const ssize_t count = read(pipe_ends[0], bytes.data(), bytes.size());
        if (count == 0 || (count < 0 && errno != EINTR)) {
            break;
        }
        result.output.append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    close(pipe_ends[0]);
    if (result.timed_out) {
        kill(pid, SIGKILL);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno == ECHILD) {
            throw std::runtime_error("The child's status is lost: this program reaps children elsewhere");
        }
    }
    if (WIFEXITED(status)) {
        result.exit_code = WEXITSTATUS(status);
    } else if (WIFSIGNALED(status)) {
        result.signal = WTERMSIG(status);
    }
    return result;
}

std::string ChildResult::describe() const {
    std::string how = "exited with " + std::to_string(exit_code);
    if (timed_out) {
        how = "did not end in time";
    } else if (signal != 0) {
        how = "was ended by signal " + std::to_string(signal);
    }
    return "the child process " + how + "; it printed:\n" + output;
}

std::vector<std::string> mapped_libraries() {
    std::vector<std::string> result;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const std::size_t slash = line.find('/');
        if (slash == std::string::npos) {
            continue;
        }
        const std::string path = line.substr(slash);
        const std::string name = path.substr(path.rfind('/') + 1);
        if (name.find(".so") != std::string::npos &&
            std::find(result.begin(), result.end(), name) == result.end()) {
            result.push_back(name);
        }
    }
    return result;
}

} // namespace support
