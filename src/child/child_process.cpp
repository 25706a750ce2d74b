// SPDX-License-Identifier: Apache-2.0
#include "child/child_process.hpp"

#include "system/pause.hpp"
#include "system/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace ferry::detail::child_run {
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

// Above 2, because a program that has closed its standard output may still print.
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

// Reads until it closes its output. Returns false if it must be killed.
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
    Ends talk;
    start.own_group = true;
    int code = make_ends(talk) ? 0 : errno;
    start.input = start.output = talk.numbers[1];
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
    talk.close(1);
    for (std::size_t sent = 0; sent < input.size();) {
        const ssize_t more =
            ::send(talk.numbers[0], input.data() + sent, input.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (more < 0 && errno == EINTR) {
            continue;
        }
        if (more <= 0) {
            break; // It has already ended; its status is checked below.
        }
        sent += static_cast<std::size_t>(more);
    }
    ::shutdown(talk.numbers[0], SHUT_WR);
    const bool by_itself = listen(talk.numbers[0], take, limit, end.late);
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
