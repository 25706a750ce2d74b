// SPDX-License-Identifier: Apache-2.0
#include "opencl_check.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

namespace tool {
namespace {

constexpr char cannot_ask = 3; // In addition to the values of Checked.

char check_here(const ferry::Source& source, const ferry::CompileRequest& request) {
    try {
        auto checked = Checked::by_none;
        for (const ferry::CompileResult& result : ferry::compile(source, request)) {
            const bool right = report(result);
            checked = right && checked != Checked::wrong ? Checked::right : Checked::wrong;
        }
        return static_cast<char>(checked);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return cannot_ask;
    }
}

/// The answer of a process in one byte. The exit code is not sufficient, because drivers end processes with
/// arbitrary codes.
class Verdict {
public:
    Verdict() {
        if (pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) {
            throw std::system_error(errno, std::generic_category(), "pipe2");
        }
    }
    ~Verdict() {
        close(ends_[0]);
        close(ends_[1]);
    }
    Verdict(const Verdict&) = delete;
    Verdict& operator=(const Verdict&) = delete;

    bool say(char byte) const { return write(ends_[1], &byte, 1) == 1; }
    /// The answer so far, without waiting, because processes left by drivers may keep the pipe open.
    std::optional<char> heard() const {
        char byte = 0;
        return read(ends_[0], &byte, 1) == 1 ? std::optional(byte) : std::nullopt;
    }

private:
    int ends_[2] = {};
};

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), "waitpid");
        }
    }
    return status;
}

std::string how_it_ended(int status) {
    return WIFEXITED(status)
               ? "with exit code " + std::to_string(WEXITSTATUS(status))
               : "by signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
}

} // namespace

bool report(const ferry::CompileResult& result) {
    const bool wrong = !result.translated || (result.available && !result.ok);
    if (wrong) {
        std::cerr << result.diagnostics << '\n'
                  << "(for " << ferry::to_string(result.backend) << ", " << result.architecture << ", "
                  << result.compiler << ")\n";
    } else if ((result.available || result.backend == ferry::Backend::host) && !result.diagnostics.empty()) {
        std::cerr << result.diagnostics << '\n';
    }
    return !wrong;
}

Checked check_by_opencl(const ferry::Source& source, ferry::CompileRequest request) {
    request.backends = {ferry::Backend::opencl};
    std::cout.flush();
    std::signal(SIGCHLD, SIG_DFL); // If it is ignored, possibly inherited from the parent, the process could
                                   // not wait for its child.
    const Verdict verdict;
    const pid_t child = fork();
    if (child < 0) {
        throw std::system_error(errno, std::generic_category(), "fork");
    }
    if (child == 0) {
        const bool said = verdict.say(check_here(source, request));
        std::exit(said ? 0 : 1); // Drivers write their files at exit.
    }
    const int status = wait_for(child);
    const std::optional<char> said = verdict.heard();
    if (!WIFEXITED(status) || !said) {
        throw std::runtime_error(source.name() + ": an OpenCL driver ended the process that compiled it, " +
                                 how_it_ended(status) + "; `ferry doctor` tries the drivers one by one");
    }
    if (*said == cannot_ask) {
        throw std::runtime_error(source.name() + ": OpenCL drivers could not be asked");
    }
    return static_cast<Checked>(*said);
}

} // namespace tool
