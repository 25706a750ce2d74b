// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory.hpp"

#include <map>
#include <mutex>

namespace ferry_double {

/// Host memory that kernels see at another address, under FERRY_DOUBLE_LIE=address. The same pages are mapped
/// twice.
class Views {
public:
    int allocate(std::size_t bytes, DeviceState& device, void** memory); ///< returns a HIP code
    bool release(void* memory);                                          ///< false: not such memory
    /// The address for kernels. It is the same address for other memory.
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
