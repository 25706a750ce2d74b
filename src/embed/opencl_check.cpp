// SPDX-License-Identifier: Apache-2.0
#include "opencl_check.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace tool {
namespace {

constexpr int cannot_ask = 3;

int check_here(const ferry::Source& source, const ferry::CompileRequest& request) {
    try {
        auto checked = Checked::by_none;
        for (const ferry::CompileResult& result : ferry::compile(source, request)) {
            const bool right = report(result);
            checked = right && checked != Checked::wrong ? Checked::right : Checked::wrong;
        }
        return static_cast<int>(checked);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return cannot_ask;
    }
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
    const pid_t child = fork();
    if (child < 0) {
        throw std::system_error(errno, std::generic_category(), "fork");
    }
    if (child == 0) {
        std::exit(check_here(source, request)); // drivers put away their files at exit
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), "waitpid");
        }
    }
    if (!WIFEXITED(status)) {
        throw std::runtime_error(source.name() +
                                 ": an OpenCL driver ended the process that compiled it, by signal " +
                                 std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) +
                                 "); `ferry doctor` tries the drivers one by one");
    }
    if (WEXITSTATUS(status) >= cannot_ask) {
        throw std::runtime_error(source.name() + ": OpenCL drivers could not be asked");
    }
    return static_cast<Checked>(WEXITSTATUS(status));
}

} // namespace tool
