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
    // A new thread has the mask of its parent, so there is no moment at which it takes a signal that is not
    // for it. What it raises by what it does, in a kernel or a copy, reaches the program's handler.
    sigset_t others;
    sigset_t before;
    sigfillset(&others);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) {
        sigdelset(&others, own);
    }
    pthread_sigmask(SIG_SETMASK, &others, &before);
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
