// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

/// The host device with its commands looked at for races, whatever the environment says.
struct Watched {
    Watched() { ferry::configure({.backend = "host", .check = "races"}); }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    ~Watched() { ferry::configure({}); }
};
