// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

namespace sample {

/// A progress bar on standard error if that is a terminal; otherwise prints nothing. step() is thread-safe.
class Progress {
public:
    Progress(std::string what, std::size_t total, bool quiet);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress(); ///< removes the bar

    void step();

private:
    void draw() const;

    std::mutex mutex_;
    std::string what_;
    std::size_t total_;
    std::size_t done_ = 0;
    bool visible_;
};

} // namespace sample
