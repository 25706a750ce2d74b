// SPDX-License-Identifier: Apache-2.0
#include "mirrors.hpp"

namespace ferry_double {

int Mirrors::add(void* memory, std::size_t bytes) {
    void* copy = nullptr;
    const int code = allocate(MemoryKind::device, current(), bytes, &copy);
    if (code == success) {
        copy_bytes(copy, memory, bytes);
        const std::lock_guard lock(mutex_);
        all_[static_cast<char*>(memory)] = {bytes, copy};
    }
    return code;
}

void Mirrors::remove(void* memory) {
    void* copy = nullptr;
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = all_.find(static_cast<char*>(memory)); found != all_.end()) {
            copy = found->second.copy;
            all_.erase(found);
        }
    }
    if (copy != nullptr) {
        release(copy, false);
    }
}

void* Mirrors::seen_by_device(void* memory) {
    const std::lock_guard lock(mutex_);
    char* const at = static_cast<char*>(memory);
    auto after = all_.upper_bound(at);
    if (after == all_.begin() || at >= std::prev(after)->first + std::prev(after)->second.bytes) {
        return memory;
    }
    --after;
    return static_cast<char*>(after->second.copy) + (at - after->first);
}

Mirrors& mirrors() {
    static Mirrors* const all = new Mirrors; // never destroyed, because calls may come while the process ends
    return *all;
}

} // namespace ferry_double
