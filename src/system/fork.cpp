// SPDX-License-Identifier: Apache-2.0
#include "system/fork.hpp"

#include <pthread.h>

#include <string>

namespace ferry::detail {

constinit std::atomic<unsigned> forks_seen{0};

bool at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
    return ::pthread_atfork(before, in_parent, in_child) == 0;
}

unsigned fork_count() noexcept {
    static const bool registered = at_fork(nullptr, nullptr, [] { ++forks_seen; });
    static_cast<void>(registered);
    return forks_seen.load(std::memory_order_relaxed);
}

void throw_forked(const char* what, const SourceLocation& where) {
    throw Error(Code::invalid_state,
                std::string(what) +
                    " was made before fork(), and only the parent process can use it; make one "
                    "in this process",
                where);
}

} // namespace ferry::detail
