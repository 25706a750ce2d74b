// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory.hpp"

#include <map>
#include <mutex>

namespace ferry_double {

/// The copies of registered memory that kernels work on under FERRY_DOUBLE_LIE=registered.
class Mirrors {
public:
    int add(void* memory, std::size_t bytes); ///< a HIP code
    void remove(void* memory);
    /// Its address for kernels: its own, if there is no copy of it.
    void* seen_by_device(void* memory);

private:
    struct Mirror {
        std::size_t bytes = 0;
        void* copy = nullptr;
    };
    std::mutex mutex_;
    std::map<char*, Mirror> all_; ///< by the first byte
};
Mirrors& mirrors();

} // namespace ferry_double
