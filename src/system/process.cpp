// SPDX-License-Identifier: Apache-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // posix_spawn_file_actions_addclosefrom_np
#endif
#include "process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>

namespace ferry::detail {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> list;
    list.reserve(texts.size() + 1);
    for (const std::string& text : texts) {
        list.push_back(const_cast<char*>(text.c_str()));
    }
    list.push_back(nullptr);
    return list;
}

// Copies above 2, so that no dup2() of the child replaces a descriptor that a later one copies.
class Copies {
public:
    explicit Copies(const ProcessStart& start) : of_{start.input, start.output, start.errors} {
        for (int& one : of_) {
            if (one >= 0 && (one = ::fcntl(one, F_DUPFD_CLOEXEC, 3)) < 0 && errno != EBADF) {
                error_ = errno; // A closed one becomes /dev/null, because this process may have no standard
                                // input.
            }
        }
    }
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;
    ~Copies() {
        for (const int one : of_) {
            if (one >= 0) {
                ::close(one);
            }
        }
    }
    int error() const noexcept { return error_; }
    int operator[](std::size_t place) const noexcept { return of_[place]; }

private:
    std::array<int, 3> of_;
    int error_ = 0;
};

class Setup {
public:
    Setup(const Copies& descriptors, bool own_group) {
        ::posix_spawn_file_actions_init(&files_);
        ::posix_spawnattr_init(&attributes_);
        sigset_t none;
        sigset_t all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        // Not only the mask: exec() keeps ignored signals ignored, and a compiler driver that ignores SIGCHLD
        // cannot wait for its own children.
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawnattr_setflags(&attributes_,
                                   static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                      (own_group ? POSIX_SPAWN_SETPGROUP : 0)));
        for (int place = 0; place < 3; ++place) {
            if (const int from = descriptors[static_cast<std::size_t>(place)]; from >= 0) {
                ::posix_spawn_file_actions_adddup2(&files_, from, place);
            } else {
                ::posix_spawn_file_actions_addopen(&files_, place, "/dev/null",
                                                   place == 0 ? O_RDONLY : O_WRONLY, 0);
            }
        }
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
        ::posix_spawn_file_actions_addclosefrom_np(&files_, 3);
#endif
#endif
    }
    Setup(const Setup&) = delete;
    Setup& operator=(const Setup&) = delete;
    ~Setup() {
        ::posix_spawnattr_destroy(&attributes_);
        ::posix_spawn_file_actions_destroy(&files_);
    }

    int spawn(const ProcessStart& start, pid_t& child) const {
        return ::posix_spawn(&child, start.program.c_str(), &files_, &attributes_,
                             pointers(start.arguments).data(),
                             start.environment != nullptr ? pointers(*start.environment).data() : environ);
    }

private:
    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t attributes_{};
};

void close_from(int first) noexcept {
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
    ::closefrom(first);
#endif
#endif
}

// Does for a copy the same as Setup for a program.
[[noreturn]] void run_in_copy(const ProcessStart& start, const Copies& descriptors,
                              std::vector<char*>& environment) noexcept {
    if (start.own_group) {
        ::setpgid(0, 0);
    }
    for (int number = 1; number < NSIG; ++number) {
        ::signal(number, SIG_DFL); // NOLINT(cert-err33-c): some have no other action
    }
    for (int place = 0; place < 3; ++place) {
        const int from = descriptors[static_cast<std::size_t>(place)];
        ::dup2(from >= 0 ? from : ::open("/dev/null", place == 0 ? O_RDONLY : O_WRONLY), place);
    }
    close_from(3);
    sigset_t none;
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    if (start.environment != nullptr) {
        environ = environment.data();
    }
    start.function();
    ::_exit(0);
}

int fork_copy(const ProcessStart& start, const Copies& descriptors, pid_t& child) {
    std::vector<char*> environment;
    if (start.environment != nullptr) {
        environment = pointers(*start.environment);
    }
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before); // No handler of this process runs in the copy.
    child = ::fork();
    if (child == 0) {
        run_in_copy(start, descriptors, environment);
    }
    const int code = child < 0 ? errno : 0;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (code != 0) {
        return code;
    }
    if (start.own_group) {
        ::setpgid(child, child); // Both processes call it, so the order does not matter.
    }
    return 0;
}

} // namespace

Process::Process(const ProcessStart& start) : own_group_(start.own_group) {
    const Copies descriptors(start);
    error_ = descriptors.error();
    if (error_ == 0) {
        error_ = start.function ? fork_copy(start, descriptors, child_)
                                : Setup(descriptors, own_group_).spawn(start, child_);
    }
}

Process::State Process::state() const noexcept {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOWAIT | WNOHANG) != 0) {
        return State::reaped; // WNOHANG: no EINTR.
    }
    return info.si_pid == child_ ? State::ended : State::running;
}

bool Process::has_ended() const noexcept {
    return state() != State::running;
}

void Process::kill() const noexcept {
    if (state() != State::reaped) {
        ::kill(own_group_ ? -child_ : child_, SIGKILL);
    }
}

std::optional<int> Process::wait() const noexcept {
    int status = 0;
    while (::waitpid(child_, &status, 0) != child_) {
        if (errno != EINTR) {
            return std::nullopt;
        }
    }
    return status;
}

std::string own_program() {
    constexpr const char* link = "/proc/self/exe";
    if (::access(link, X_OK) == 0) {
        return link;
    }
    const auto* const started_as = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
    return started_as != nullptr ? started_as : link;
}

bool loses_child_status() noexcept {
    struct sigaction action {};
    return ::sigaction(SIGCHLD, nullptr, &action) == 0 &&
           (action.sa_handler == SIG_IGN || (action.sa_flags & SA_NOCLDWAIT) != 0);
}

int ending_signal(int status) noexcept {
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

std::optional<int> exit_code(int status) noexcept {
    return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

std::string status_text(const std::optional<int>& status) {
    if (!status) {
        return "ended (its status is not known, because this program ignores SIGCHLD or waits for all of its "
               "children)";
    }
    return WIFSIGNALED(*status) ? "ended by signal " + std::to_string(WTERMSIG(*status))
                                : "ended with status " + std::to_string(WEXITSTATUS(*status));
}

} // namespace ferry::detail
