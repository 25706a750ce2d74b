// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/file_descriptor.hpp"

#include <array>
#include <iostream>
#include <streambuf>

namespace cli {

/// The tool's standard output. While the object exists, std::cout writes to a private descriptor, and
/// descriptor 1 is standard error. Text printed by drivers therefore does not mix with the tool's output. The
/// calling thread gets the C locale. If a driver calls exit() meanwhile, the process reports it and ends with
/// Status::refused.
class Output : std::streambuf {
public:
    Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output() override;

    /// Writes the remaining output. Returns an errno value, or 0 if everything was written.
    int finish();

private:
    int_type overflow(int_type c) override;
    int sync() override;

    std::array<char, 4096> buffer_{};
    ferry::detail::FileDescriptor file_;
    int error_ = 0;
    std::streambuf* before_;
};

} // namespace cli
