// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

#include <cstdint>

namespace ferry::null {

/// One allocation. NullDevice makes none; a new backend adds the vendor's handle.
class NullMemory final : public backend::Memory {
public:
    explicit NullMemory(std::uint64_t native) { address = native; }
    /// A vendor's library may be unloaded when the process ends, so its destructor makes no call then.
    ~NullMemory() override {
        if (!backend::process_is_exiting()) {
            address = 0; // The vendor's call that frees the memory.
        }
    }
};

} // namespace ferry::null
