// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include "system.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace sample {

Progress::Progress(std::string what, std::size_t total, bool quiet)
    : what_(std::move(what)), total_(total), visible_(!quiet && total > 0 && person_watches()) {
    draw();
}

Progress::~Progress() {
    if (visible_) {
        std::fputs("\r\033[K", stderr);
    }
}

void Progress::step() {
    const std::lock_guard lock{mutex_};
    ++done_;
    draw();
}

void Progress::draw() const {
    if (!visible_) {
        return;
    }
    constexpr std::size_t width = 40;
    const std::size_t full = width * done_ / total_;
    fmt::print(stderr, "\r{} [{:#<{}}{:.<{}}] {}/{}", what_, "", full, "", width - full, done_, total_);
    std::fflush(stderr);
}

} // namespace sample
