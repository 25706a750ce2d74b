// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstddef>
#include <stdexcept>

namespace support {

/// During its lifetime, the system refuses all new threads of this process, because their stacks would be too
/// large.
class NoThreads {
public:
    NoThreads() {
        pthread_attr_t huge;
        if (pthread_getattr_default_np(&before_) != 0 || pthread_attr_init(&huge) != 0 ||
            pthread_attr_setstacksize(&huge, std::size_t{1} << 60) != 0 ||
            pthread_setattr_default_np(&huge) != 0) {
            throw std::runtime_error("the stacks of threads to come cannot be set");
        }
        pthread_attr_destroy(&huge);
    }
    NoThreads(const NoThreads&) = delete;
    NoThreads& operator=(const NoThreads&) = delete;
    ~NoThreads() {
        pthread_setattr_default_np(&before_);
        pthread_attr_destroy(&before_);
    }

private:
    pthread_attr_t before_{};
};

} // namespace support
