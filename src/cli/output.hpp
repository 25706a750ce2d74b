// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <iostream>
#include <streambuf>

namespace cli {

/// The tool's standard output. While it lives, std::cout writes to a private descriptor, and descriptor 1 is
/// standard error, so that a driver that prints does not get between the tool's lines. The calling thread
/// gets the C locale. If a driver ends the
/// process meanwhile, by exit(), the process reports it and ends with Status::refused.
class Output : std::streambuf {
public:
    Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output() override;

    /// Writes the rest. Returns an error number, or 0 if everything was written.
    int finish();

private:
    int_type overflow(int_type c) override;
    int sync() override;

    std::array<char, 4096> buffer_{};
    int descriptor_;
    int error_ = 0;
    std::streambuf* before_;
};

} // namespace cli
