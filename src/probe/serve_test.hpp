// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/backend.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ferry::detail::probe {

/// The request to test the library of a backend, and the backend of such a request. Nothing from a text of
/// another form or version.
std::string request_text(Backend backend);
std::optional<Backend> request_from(std::string_view text);

/// The child's side: opens the library, lists the devices, writes a TestReport to `output` and ends the
/// process by exit(), so that the exit handlers of the library run.
[[noreturn]] void serve_test(Backend backend, int output);

} // namespace ferry::detail::probe
