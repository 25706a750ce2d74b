// SPDX-License-Identifier: Apache-2.0
#include "check/subject.hpp"
#include "memory/memory_state.hpp"

namespace ferry::detail::race {

Subject subject_of(const Memory& memory) noexcept {
    return {memory.kind(), static_cast<const std::byte*>(memory.native().host), memory.bytes(),
            memory.is_freed_here()};
}

std::string device_of(const Memory& memory) {
    return memory.device().id();
}

std::weak_ptr<const Memory> owner_of(const Memory& memory) noexcept {
    return memory.weak_from_this();
}

} // namespace ferry::detail::race
