// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include "commands.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <string_view>

namespace cli {
namespace {

std::atomic<bool> working{false};

void report_exit() {
    if (working) {
        constexpr std::string_view text =
            "ferry: a library ended the process with exit(); ferry doctor examines each backend in a process "
            "of its own\n";
        static_cast<void>(write(2, text.data(), text.size()) < 0);
        _exit(refused);
    }
}

} // namespace

Output::Output() : descriptor_(fcntl(1, F_DUPFD_CLOEXEC, 3)) {
    static_cast<void>(std::fflush(stdout));
    std::cout.flush();
    if (dup2(2, 1) < 0) { // Standard error is closed.
        const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nowhere, 1);
        close(nowhere);
    }
    uselocale(newlocale(LC_ALL_MASK, "C", nullptr)); // Independent of locales set by drivers.
    std::cout.imbue(std::locale::classic());
    setp(buffer_.data(), buffer_.data() + buffer_.size() - 1);
    before_ = std::cout.rdbuf(this);
    if (!working.exchange(true)) {
        static_cast<void>(std::atexit(report_exit));
    }
}

Output::~Output() {
    finish();
    working = false;
    std::cout.rdbuf(before_);
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

int Output::finish() {
    sync();
    return error_;
}

Output::int_type Output::overflow(int_type c) {
    if (!traits_type::eq_int_type(c, traits_type::eof())) {
        *pptr() = traits_type::to_char_type(c);
        pbump(1);
    }
    return sync() == 0 ? traits_type::not_eof(c) : traits_type::eof();
}

int Output::sync() {
    for (const char* from = pbase(); error_ == 0 && from != pptr();) {
        const ssize_t written = write(descriptor_, from, static_cast<std::size_t>(pptr() - from));
        if (written < 0 && errno != EINTR) {
            error_ = errno;
        }
        from += written > 0 ? written : 0;
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size() - 1);
    return error_ == 0 ? 0 : -1;
}

} // namespace cli
