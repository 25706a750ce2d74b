// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/subject.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ferry::detail::probe {

/// The request to test a subject, and the subject of such a request. Nothing from a text of another form or
/// version.
std::string request_text(Subject subject);
std::optional<Subject> request_from(std::string_view text);

/// The process that runs serve_test().
enum class Host : std::uint8_t {
    tool, ///< the ferry tool
    copy, ///< a copy of the program (fork()), whose own exit handlers must not run
};

/// The child's side: opens the libraries, lists the devices, writes a TestReport to `output` and ends the
/// process by exit(), so that the exit handlers of the libraries run.
[[noreturn]] void serve_test(Subject subject, int output, Host host);

} // namespace ferry::detail::probe
