// SPDX-License-Identifier: Apache-2.0
#include "system/child_side.hpp"

#include "system/file_descriptor.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace ferry::detail {

int take_output() noexcept {
    const int output = ::fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (::dup2(2, 1) < 0) { // Standard error is closed.
        const FileDescriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
        ::dup2(nowhere.get(), 1);
    }
    return output;
}

void answer(int output, std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t more = ::write(output, bytes.data(), bytes.size());
        if (more < 0 && errno != EINTR) {
            ::_exit(1);
        }
        bytes.remove_prefix(more > 0 ? static_cast<std::size_t>(more) : 0);
    }
}

std::string read_input() {
    std::string text;
    std::array<char, 4096> bytes{};
    for (;;) {
        const ssize_t got = ::read(0, bytes.data(), bytes.size());
        if (got > 0) {
            text.append(bytes.data(), static_cast<std::size_t>(got));
        } else if (got == 0 || errno != EINTR) {
            return text;
        }
    }
}

void end_at_once(int status) noexcept {
    ::_exit(status);
}

void end_with_parent() noexcept {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

} // namespace ferry::detail
