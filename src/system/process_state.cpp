// SPDX-License-Identifier: Apache-2.0
#include "process_state.hpp"

#include "system/float_environment.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace ferry::detail {
namespace {

// umask() returns the mask only by changing it, for all threads.
std::optional<mode_t> file_mask() {
    std::array<char, 4096> bytes{};
    const int file = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    const ssize_t got = file >= 0 ? ::read(file, bytes.data(), bytes.size()) : -1;
    if (file >= 0) {
        ::close(file);
    }
    const std::string_view text(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    constexpr std::string_view name = "\nUmask:\t";
    const std::size_t at = text.find(name);
    unsigned mask = 0;
    if (at == std::string_view::npos ||
        std::from_chars(text.data() + at + name.size(), text.data() + text.size(), mask, 8).ec !=
            std::errc()) {
        return std::nullopt;
    }
    return mask;
}

std::string locale_names() {
    const char* const names = std::setlocale(LC_ALL, nullptr); // NOLINT(concurrency-mt-unsafe)
    return names != nullptr ? names : "";
}

bool is_here(int folder) {
    struct stat there {};
    struct stat here {};
    return ::fstat(folder, &there) == 0 && ::stat(".", &here) == 0 && there.st_dev == here.st_dev &&
           there.st_ino == here.st_ino;
}

void restore_limit(__rlimit_resource resource, const rlimit& before) noexcept {
    rlimit now{};
    if (::getrlimit(resource, &now) == 0 && now.rlim_cur != before.rlim_cur) {
        now.rlim_cur = std::min(before.rlim_cur, now.rlim_max);
        ::setrlimit(resource, &now);
    }
}

/// Sets a variable again that the environment does not contain any more.
void restore_variable(const std::string& text) noexcept {
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos && equals != 0) {
        std::array<char, 256> name{};
        if (text.copy(name.data(), std::min(equals, name.size() - 1)) == equals) {
            ::setenv(name.data(), text.c_str() + equals + 1, 0); // NOLINT(concurrency-mt-unsafe)
        }
    }
}

} // namespace

ProcessState::ProcessState()
    : names_(locale_names()),
      of_thread_(::uselocale(nullptr)),
      mask_(file_mask()),
      folder_(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    ::pthread_sigmask(SIG_SETMASK, nullptr, &signals_);
    std::fegetenv(&arithmetic_);
    DefaultFloatEnvironment::set_default();
    for (std::size_t i = 0; i < limits_.size(); ++i) {
        ::getrlimit(static_cast<__rlimit_resource>(i), &limits_[i]);
    }
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        variables_.emplace_back(*variable);
    }
}

ProcessState::~ProcessState() {
    std::fesetenv(&arithmetic_);
    for (std::size_t i = 0; i < limits_.size(); ++i) {
        restore_limit(static_cast<__rlimit_resource>(i), limits_[i]);
    }
    for (const std::string& variable : variables_) {
        restore_variable(variable);
    }
    ::pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
    if (::uselocale(nullptr) != of_thread_) {
        ::uselocale(of_thread_);
    }
    try {
        if (std::locale() != of_streams_) {
            std::locale::global(of_streams_);
        }
        if (locale_names() != names_) {
            std::setlocale(LC_ALL, names_.c_str()); // NOLINT(concurrency-mt-unsafe)
        }
        if (mask_ && file_mask() != mask_) {
            ::umask(*mask_);
        }
    } catch (const std::exception&) { // Out of memory for the comparison.
    }
    if (folder_ >= 0) {
        if (!is_here(folder_)) {
            static_cast<void>(::fchdir(folder_) == 0);
        }
        ::close(folder_);
    }
}

} // namespace ferry::detail
