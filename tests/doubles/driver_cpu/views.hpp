// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory.hpp"

#include <map>
#include <mutex>

namespace ferry_double {

/// Memory of the host's that kernels have at another address, under FERRY_DOUBLE_LIE=address: the same pages,
/// mapped twice.
class Views {
public:
    int allocate(std::size_t bytes, DeviceState& device, void** memory); ///< a HIP code
    bool release(void* memory);                                          ///< false: it is none of these
    /// Its address for kernels: its own, if it has no other.
    void* seen_by_device(void* memory);

private:
    struct View {
        std::size_t bytes = 0; ///< whole pages
        void* other = nullptr;
        DeviceState* device = nullptr;
    };
    std::mutex mutex_;
    std::map<char*, View> all_; ///< by the host's address
};
Views& views();

} // namespace ferry_double
