// SPDX-License-Identifier: Apache-2.0
#include "host_thread.hpp"

#include <ferry/error.hpp>

#include <pthread.h>

#include <csignal>
#include <string>
#include <system_error>
#include <utility>

namespace ferry::host {

std::thread start_thread(const char* name, std::function<void()> body) {
    // A new thread has the mask of its parent, so there is no moment at which it takes a signal.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        std::thread thread([name, body = std::move(body)] {
            pthread_setname_np(pthread_self(), name);
            body();
        });
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return thread;
    } catch (const std::system_error& error) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw Error(Code::out_of_memory,
                    std::string("The thread ") + name + " could not be started: " + error.what(),
                    SourceLocation{});
    }
}

} // namespace ferry::host
