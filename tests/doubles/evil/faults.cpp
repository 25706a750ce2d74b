// SPDX-License-Identifier: Apache-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // feenableexcept
#endif
#include "faults.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace evil {
namespace {

[[noreturn]] void crash() {
    std::signal(SIGSEGV, SIG_DFL);
    for (;;) {
        *reinterpret_cast<volatile int*>(8) = 1;
    }
}

[[noreturn]] void hang() {
    for (;;) {
        ::pause();
    }
}

[[noreturn]] void spin() {
    for (std::atomic<unsigned> count{0};; ++count) {
    }
}

__attribute__((noinline)) int deeper(int depth) {
    volatile char frame[65536];
    frame[0] = static_cast<char>(depth);
    return depth < 1 << 30 ? deeper(depth + 1) + frame[0] : 0; // no stack is that deep
}

[[noreturn]] void trap() {
    std::signal(SIGFPE, SIG_DFL);
#if defined(__x86_64__)
    ::feenableexcept(FE_DIVBYZERO);
    volatile double zero = 0;
    volatile double result = 1 / zero;
    static_cast<void>(result);
#endif
    std::raise(SIGFPE); // processors without traps
    std::abort();
}

void commit(std::string_view fault) {
    if (fault == "crash") {
        crash();
    } else if (fault == "abort") {
        std::abort();
    } else if (fault == "exit") {
        std::exit(3); // NOLINT(concurrency-mt-unsafe)
    } else if (fault == "exit0") {
        std::exit(0); // NOLINT(concurrency-mt-unsafe)
    } else if (fault == "_exit") {
        ::_exit(4);
    } else if (fault == "_exit0") {
        ::_exit(0);
    } else if (fault == "quick_exit") {
        std::quick_exit(5);
    } else if (fault == "hang") {
        hang();
    } else if (fault == "spin") {
        spin();
    } else if (fault == "terminate") {
        std::terminate();
    } else if (fault == "stack") {
        std::signal(SIGSEGV, SIG_DFL);
        std::exit(deeper(0)); // NOLINT(concurrency-mt-unsafe)
    } else if (fault == "trap") {
        trap();
    } else if (fault == "throw") {
        throw std::runtime_error("thrown by a vendor library");
    } else if (fault == "throw-int") {
        throw 42; // NOLINT(hicpp-exception-baseclass)
    } else if (fault == "atexit-crash") {
        std::atexit([] { crash(); });
    } else if (fault == "atexit-hang") {
        std::atexit([] { hang(); });
    } else if (fault == "atexit-_exit0") {
        std::atexit([] { ::_exit(0); });
    } else {
        static_cast<void>(!::write(2, "unknown fault\n", 14));
        ::_exit(99);
    }
}

} // namespace

void enter(const char* entry) {
    const char* const value = std::getenv("FERRY_DOUBLE_EVIL"); // NOLINT(concurrency-mt-unsafe)
    std::string_view rest = value != nullptr ? value : "";
    while (!rest.empty()) {
        const std::string_view one = rest.substr(0, rest.find(','));
        rest.remove_prefix(one.size() < rest.size() ? one.size() + 1 : one.size());
        const std::size_t colon = one.find(':');
        if (one.substr(0, colon) == entry) {
            commit(one.substr(colon + 1));
        }
    }
}

namespace {

// A line for each process that opens the library.
void log_process() {
    const char* const path = std::getenv("FERRY_DOUBLE_EVIL_LOG"); // NOLINT(concurrency-mt-unsafe)
    const int log = path != nullptr ? ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (log >= 0) {
        static_cast<void>(!::write(log, "opened\n", 7));
        ::close(log);
    }
}

__attribute__((constructor)) void construct() {
    log_process();
    enter("constructor");
}
__attribute__((destructor)) void destruct() {
    if (!evil_base_is_ready()) {
        std::abort(); // A loader finishes no library before one that needs it.
    }
    enter("destructor");
}

} // namespace
} // namespace evil
