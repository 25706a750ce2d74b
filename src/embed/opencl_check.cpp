// SPDX-License-Identifier: Apache-2.0
#include "opencl_check.hpp"

#include "system/channel.hpp"
#include "system/process.hpp"

#include <csignal>
#include <cstdlib>
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
    // The answer is one byte. The exit code is not sufficient, because drivers end processes with arbitrary
    // codes.
    ferry::detail::Channel verdict;
    const ferry::detail::Process child(
        {.function =
             [&] {
                 const char said = check_here(source, request);
                 const ferry::detail::FileDescriptor answer(0);
                 const bool sent = ferry::detail::write_all(answer, {&said, 1});
                 std::exit(sent ? 0 : 1); // Drivers write their files at exit.
             },
         .input = verdict.child_end(),
         .output = 1,
         .errors = 2});
    if (const int error = verdict.error() != 0 ? verdict.error() : child.error(); error != 0) {
        throw std::system_error(error, std::generic_category(), "The process that asks OpenCL's drivers");
    }
    verdict.close_child_end();
    verdict.send_all({}); // A driver that reads standard input finds its end.
    const std::optional<int> status = child.wait();
    // Without waiting, because processes left by drivers may keep the channel open.
    char said = 0;
    std::size_t count = 0;
    verdict.receive({&said, 1}, std::chrono::milliseconds(0), count);
    if (!status || !ferry::detail::exit_code(*status) || count == 0) {
        throw std::runtime_error(
            source.name() + ": an OpenCL driver ended the process that compiled it: it " +
            ferry::detail::status_text(status) + "; `ferry doctor` tries the drivers one by one");
    }
    if (said == cannot_ask) {
        throw std::runtime_error(source.name() + ": OpenCL drivers could not be asked");
    }
    return static_cast<Checked>(said);
}

} // namespace tool
