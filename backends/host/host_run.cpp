// SPDX-License-Identifier: Apache-2.0
#include "host_run.hpp"

#include <ferry/error.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ferry::host {
namespace {

[[noreturn]] void fail(const std::string& what, int number) {
    throw Error(Code::build_failed, what + ": " + std::strerror(number)); // NOLINT(concurrency-mt-unsafe)
}

} // namespace

TemporaryFolder::TemporaryFolder() {
    const char* const place = secure_getenv("TMPDIR");
    path_ = std::string(place != nullptr && *place == '/' ? place : "/tmp") + "/ferry-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) {
        fail("A folder for the compiler, '" + path_ + "', could not be made", errno);
    }
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
}

void write_file(const std::string& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) {
        fail("'" + path + "' could not be written", errno);
    }
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) {
        fail("'" + path + "' could not be read", errno);
    }
    return std::move(text).str();
}

std::string RunResult::describe() const {
    return WIFSIGNALED(status) ? "was ended by signal " + std::to_string(WTERMSIG(status))
                               : "ended with status " + std::to_string(WEXITSTATUS(status));
}

RunResult run(const std::vector<std::string>& words, const std::string& log) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    // The threads that compile may have signals blocked.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    pid_t child = 0;
    const int code = posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (code != 0) {
        fail("'" + words[0] + "' could not be started", code);
    }
    RunResult result;
    while (waitpid(child, &result.status, 0) < 0) {
        if (errno != EINTR) {
            fail("The end of '" + words[0] + "' could not be waited for", errno);
        }
    }
    result.output = read_file(log);
    return result;
}

} // namespace ferry::host
