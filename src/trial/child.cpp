// SPDX-License-Identifier: Apache-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // pipe2, posix_spawn_file_actions_addclosefrom_np
#endif
#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace ferry::detail::trial {
namespace {

struct Ends {
    std::array<int, 2> numbers{-1, -1};
    Ends() = default;
    Ends(const Ends&) = delete;
    Ends& operator=(const Ends&) = delete;
    ~Ends() {
        close(0);
        close(1);
    }
    void close(std::size_t end) {
        if (numbers[end] >= 0) {
            ::close(numbers[end]);
        }
        numbers[end] = -1;
    }
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> list;
    list.reserve(texts.size() + 1);
    for (const std::string& text : texts) {
        list.push_back(const_cast<char*>(text.c_str()));
    }
    list.push_back(nullptr);
    return list;
}

/// The descriptors of the child, and what it inherits of signals. Errors are numbers of errno.
class Start {
public:
    Start() {
        ::posix_spawn_file_actions_init(&files_);
        ::posix_spawnattr_init(&attributes_);
    }
    Start(const Start&) = delete;
    Start& operator=(const Start&) = delete;
    ~Start() {
        ::posix_spawnattr_destroy(&attributes_);
        ::posix_spawn_file_actions_destroy(&files_);
    }

    int run(const std::string& program, const std::vector<std::string>& arguments,
            const std::vector<std::string>& environment, int input, int output, pid_t& child) {
        sigset_t none;
        sigset_t all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawnattr_setflags(&attributes_,
                                   POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
        ::posix_spawn_file_actions_adddup2(&files_, input, 0);
        ::posix_spawn_file_actions_adddup2(&files_, output, 1);
        ::posix_spawn_file_actions_addopen(&files_, 2, "/dev/null", O_WRONLY, 0);
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
        ::posix_spawn_file_actions_addclosefrom_np(&files_, 3);
#endif
#endif
        return ::posix_spawn(&child, program.c_str(), &files_, &attributes_, pointers(arguments).data(),
                             pointers(environment).data());
    }

private:
    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t attributes_{};
};

// Above 2, where dup2() in the child does not meet it.
bool make_ends(Ends& ends) {
    std::array<int, 2> made{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, made.data()) != 0) {
        return false;
    }
    for (std::size_t i = 0; i < 2; ++i) {
        ends.numbers[i] = ::fcntl(made[i], F_DUPFD_CLOEXEC, 3);
        ::close(made[i]);
    }
    return ends.numbers[0] >= 0 && ends.numbers[1] >= 0;
}

std::string text_of(int status) {
    return WIFSIGNALED(status) ? "ended by signal " + std::to_string(WTERMSIG(status))
                               : "ended with status " + std::to_string(WEXITSTATUS(status));
}

// Until it closes its output. False: it is to be killed.
bool listen(int from, const Take& take, const Limit& limit, bool& late) {
    std::array<char, 4096> bytes{};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit() - Clock::now()).count();
        late = left <= 0;
        if (late) {
            return false;
        }
        pollfd ready{from, POLLIN, 0};
        const int count = ::poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left, 1000)));
        if (count < 0 && errno != EINTR) {
            return false;
        }
        if (count <= 0) {
            continue;
        }
        const ssize_t got = ::recv(from, bytes.data(), bytes.size(), 0);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return true;
        }
        if (!take({bytes.data(), static_cast<std::size_t>(got)})) {
            return false;
        }
    }
}

// It may close its output and stay: that is waited for no longer than what it does else. What it started ends
// with it, while its number is still its own.
bool reap(pid_t child, const Limit& limit, int& status, bool& late) {
    for (;;) {
        siginfo_t info{};
        const int got = ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT | WNOHANG);
        if (got == 0 && info.si_pid == child) {
            ::kill(-child, SIGKILL);
            return ::waitpid(child, &status, 0) == child;
        }
        if (got < 0 && errno != EINTR) {
            return false; // the program reaped it
        }
        if (!late && Clock::now() > limit()) {
            late = true;
            ::kill(-child, SIGKILL);
        }
        ::usleep(200);
    }
}

} // namespace

ChildEnd run_child(const std::string& program, const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment, const std::string& input, const Take& take,
                   const Limit& limit) {
    ChildEnd end;
    Ends talk;
    pid_t child = 0;
    int code = make_ends(talk) ? 0 : errno;
    if (code == 0) {
        code = Start().run(program, arguments, environment, talk.numbers[1], talk.numbers[1], child);
    }
    if (code != 0) {
        end.how =
            std::string("could not be started: ") + std::strerror(code); // NOLINT(concurrency-mt-unsafe)
        return end;
    }
    end.started = true;
    talk.close(1);
    for (std::size_t sent = 0; sent < input.size();) {
        const ssize_t more =
            ::send(talk.numbers[0], input.data() + sent, input.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (more < 0 && errno == EINTR) {
            continue;
        }
        if (more <= 0) {
            break; // it is over already, and how is seen below
        }
        sent += static_cast<std::size_t>(more);
    }
    ::shutdown(talk.numbers[0], SHUT_WR);
    const bool by_itself = listen(talk.numbers[0], take, limit, end.late);
    if (!by_itself) {
        ::kill(-child, SIGKILL);
    }
    int status = 0;
    bool late = end.late || !by_itself;
    const bool seen = reap(child, limit, status, late);
    end.late = end.late || (by_itself && late);
    end.how = seen ? text_of(status) : "ended";
    return end;
}

} // namespace ferry::detail::trial
