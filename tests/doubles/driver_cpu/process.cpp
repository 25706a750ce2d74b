// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include "environment.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ferry_double {

TemporaryFolder::TemporaryFolder() {
    path_ = text_from("TMPDIR", "/tmp") + "/ferry-double-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) {
        path_.clear();
    }
}

TemporaryFolder::~TemporaryFolder() {
    if (!path_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
}

int run_program(const std::vector<std::string>& arguments, const std::string& log_file) {
    std::vector<char*> pointers;
    for (const std::string& argument : arguments) {
        pointers.push_back(const_cast<char*>(argument.c_str()));
    }
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigdefault(&attributes, &all); // a compiler that ignores SIGCHLD cannot run its parts
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, pointers[0], &actions, &attributes, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    int status = 0;
    if (failed == 0 && waitpid(child, &status, 0) < 0 && errno == ECHILD) {
        return 0; // the program ignores SIGCHLD, so its output shows the success
    }
    if (failed != 0 || !WIFEXITED(status)) {
        return -1;
    }
    return WEXITSTATUS(status);
}

bool write_file(const std::string& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    return static_cast<bool>(file);
}

bool read_file(const std::string& path, std::string& text) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return false;
    }
    text.assign(std::istreambuf_iterator<char>(file), {});
    return true;
}

void replace_file(const std::string& path, std::string_view text) {
    std::string beside = path + ".XXXXXX";
    const int file = mkstemp(beside.data());
    if (file < 0) {
        return;
    }
    close(file);
    if (!write_file(beside, text) || std::rename(beside.c_str(), path.c_str()) != 0) {
        unlink(beside.c_str());
    }
}

} // namespace ferry_double
