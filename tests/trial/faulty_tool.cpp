// SPDX-License-Identifier: Apache-2.0
// The child's side of a trial with a fault. FERRY_TEST_FAULT names it ("crash", "kill", "hang", "late",
// "nonsense", "flood", "leave", "descriptors"), and FERRY_TEST_STEP names the step before which it happens,
// in each child. "starve 100": in that step, the HIP stand-in needs 100 ms more to report whether a stream is
// idle.
#include "../doubles/ferry_double.h"
#include "measure/serve.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

const char* volatile const mark = FERRY_TRIAL_MARK;

std::string variable(const char* name) {
    const char* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): one thread
    return value != nullptr ? value : "";
}

// The standard descriptors, and the descriptor for results.
constexpr int known_descriptors = 4;
int output = -1;

int open_descriptors() {
    DIR* const folder = ::opendir("/proc/self/fd");
    int count = -3;                                             // ".", ".." and the folder itself
    while (folder != nullptr && ::readdir(folder) != nullptr) { // NOLINT(concurrency-mt-unsafe)
        ++count;
    }
    ::closedir(folder);
    return count;
}

void say(const std::string& text) {
    static_cast<void>(!::write(output, text.data(), text.size()));
}

// Makes queries of streams slow. Kernels continue meanwhile.
void starve(bool now) {
    const std::string fault = variable("FERRY_TEST_FAULT");
    constexpr std::string_view word = "starve ";
    if (!fault.starts_with(word)) {
        return;
    }
    void* const library = ::dlopen(variable("FERRY_HIP_LIBRARY").c_str(), RTLD_NOW | RTLD_NOLOAD);
    void* const found = library != nullptr ? ::dlsym(library, "ferry_double_inject") : nullptr;
    auto* const inject = reinterpret_cast<ferry_double_inject_function*>(found);
    const std::string slow = now ? "slow:hipStreamQuery:" + fault.substr(word.size()) : "";
    if (inject == nullptr || inject(slow.c_str()) == 0) {
        std::abort();
    }
}

void fail_at(std::string_view step) {
    if (step != "start") { // this step opens the library
        starve(step == variable("FERRY_TEST_STEP"));
    }
    if (step != variable("FERRY_TEST_STEP")) {
        return;
    }
    const std::string fault = variable("FERRY_TEST_FAULT");
    if (fault == "crash") {
        std::signal(SIGSEGV, SIG_DFL);
        std::raise(SIGSEGV);
    } else if (fault == "kill") {
        ::kill(::getpid(), SIGKILL);
    } else if (fault == "hang") {
        for (;;) {
            ::pause();
        }
    } else if (fault == "late") {
        ::usleep(2'000'000); // longer than the time for a measurement, but not than the time for a step
    } else if (fault == "nonsense") {
        say("reach 3\nfacts\n\x01\xff\n");
    } else if (fault == "flood") {
        for (;;) {
            say(std::string(1000, 'x'));
        }
    } else if (fault == "leave") {
        ::_exit(7);
    } else if (fault == "descriptors" && open_descriptors() > known_descriptors) {
        std::abort();
    }
}

} // namespace

int main() {
    output = ::dup(1);
    ::close(output); // serve() gets the same number
    return mark != nullptr ? ferry::detail::child_run::serve(fail_at) : 1;
}
