// SPDX-License-Identifier: Apache-2.0
#include "system/channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace ferry::detail {

Channel::Channel() noexcept {
    int made[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, made) != 0) {
        error_ = errno;
        return;
    }
    const FileDescriptor low[2] = {FileDescriptor(made[0]), FileDescriptor(made[1])};
    // Above 2, because a program that has closed its standard output may still print.
    ours_ = FileDescriptor(::fcntl(made[0], F_DUPFD_CLOEXEC, 3));
    theirs_ = FileDescriptor(::fcntl(made[1], F_DUPFD_CLOEXEC, 3));
    error_ = ours_ && theirs_ ? 0 : errno;
}

void Channel::send_all(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(ours_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            break;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    ::shutdown(ours_.get(), SHUT_WR);
}

Channel::Received Channel::receive(std::span<char> to, std::chrono::milliseconds longest,
                                   std::size_t& count) {
    count = 0;
    pollfd ready{ours_.get(), POLLIN, 0};
    const int polled = ::poll(&ready, 1, static_cast<int>(longest.count()));
    if (polled <= 0) {
        return polled == 0 || errno == EINTR ? Received::nothing : Received::failed;
    }
    const ssize_t got = ::recv(ours_.get(), to.data(), to.size(), 0);
    if (got < 0 && errno == EINTR) {
        return Received::nothing;
    }
    if (got <= 0) {
        return Received::end;
    }
    count = static_cast<std::size_t>(got);
    return Received::bytes;
}

} // namespace ferry::detail
