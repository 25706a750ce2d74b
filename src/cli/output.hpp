// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <iostream>
#include <streambuf>

namespace cli {

/// The tool's standard output. While it lives, std::cout writes to a private descriptor, and descriptor 1 is
/// standard error, so that a driver that prints does not get between the tool's lines. The calling thread
/// has the C locale from now on. If a driver ends the
/// process meanwhile, by exit(), the process reports it and ends with Status::refused.
class Output : std::streambuf {
public:
    Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output() override;

    /// Writes what is left; the number of errno if not all could be written, else 0.
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
