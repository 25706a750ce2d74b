// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory.hpp"

#include <map>
#include <mutex>

namespace ferry_double {

/// Copies of registered memory. Kernels work on them under FERRY_DOUBLE_LIE=registered.
class Mirrors {
public:
    int add(void* memory, std::size_t bytes); ///< returns a HIP code
    void remove(void* memory);
    /// The address for kernels: the copy, or the same address if there is no copy.
    void* seen_by_device(void* memory);

private:
    struct Mirror {
        std::size_t bytes = 0;
        void* copy = nullptr;
    };
    std::mutex mutex_;
    std::map<char*, Mirror> all_; ///< by address of the first byte
};
Mirrors& mirrors();

} // namespace ferry_double
