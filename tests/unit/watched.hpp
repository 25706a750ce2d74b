// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

/// The host device with the race check on, regardless of the environment.
struct Watched {
    Watched() { ferry::configure({.backend = "host", .check = "races"}); }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    ~Watched() { ferry::configure({}); }
};
