// SPDX-License-Identifier: Apache-2.0
#include "cost.hpp"

#include "sample.hpp"

#include <sys/resource.h>

#include <ctime>

namespace {

constexpr double tick_us = 4000; // in most distributions' kernels; in some it is 1000 or 10000

struct Reading {
    sample::Stopwatch watch;
    rusage usage{};

    Reading() { getrusage(RUSAGE_SELF, &usage); }
};

double microseconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
}

double processor_time() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

} // namespace

Cost measure(const std::function<void()>& copy, double processor_seconds, double seconds) {
    for (int i = 0; i < 3; ++i) {
        copy();
    }
    const Reading before;
    const double enough = processor_time() + processor_seconds;
    double count = 0;
    while (count < 3 || (before.watch.seconds() < seconds && processor_time() < enough)) {
        copy();
        ++count;
    }
    const double wall = before.watch.seconds() * 1e6;
    const Reading after;
    const auto each = [&](double from, double to) { return (to - from) / count; };
    const rusage& a = before.usage;
    const rusage& b = after.usage;
    return {
        wall / count,
        each(microseconds(a.ru_utime), microseconds(b.ru_utime)),
        each(microseconds(a.ru_stime), microseconds(b.ru_stime)),
        each(static_cast<double>(a.ru_minflt + a.ru_majflt), static_cast<double>(b.ru_minflt + b.ru_majflt)),
        each(static_cast<double>(a.ru_nvcsw), static_cast<double>(b.ru_nvcsw)),
        2 * tick_us / count};
}
