// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include "commands.hpp"
#include "system/child_side.hpp"
#include "system/fault.hpp"

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
        ferry::detail::write_error(text.data(), text.size());
        ferry::detail::end_at_once(refused);
    }
}

} // namespace

Output::Output() {
    static_cast<void>(std::fflush(stdout));
    std::cout.flush();
    file_ = ferry::detail::FileDescriptor(ferry::detail::take_output());
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
    const std::string_view text(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    if (error_ == 0 && !ferry::detail::write_all(file_, text)) {
        error_ = errno;
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size() - 1);
    return error_ == 0 ? 0 : -1;
}

} // namespace cli
