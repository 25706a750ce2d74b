// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "signals_blocked.hpp"

#include <ferry/error.hpp>

#include <pthread.h>

#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace ferry::detail {

/// A thread of that name (15 characters at most), without the program's signals. Throws Error
/// (out_of_memory) if the system gives no thread.
template <class Body>
std::thread start_thread(const char* name, Body body) {
    const SignalsBlocked blocked;
    try {
        return std::thread([name, body = std::move(body)] {
            pthread_setname_np(pthread_self(), name);
            body();
        });
    } catch (const std::system_error& error) {
        throw Error(Code::out_of_memory,
                    std::string("The thread ") + name + " could not be started: " + error.what(),
                    SourceLocation{});
    }
}

} // namespace ferry::detail
