// SPDX-License-Identifier: Apache-2.0
#include "views.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace ferry_double {

int Views::allocate(std::size_t bytes, DeviceState& device, void** memory) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t whole = (bytes + page - 1) / page * page;
    void* const first = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (first == MAP_FAILED) {
        return out_of_memory;
    }
    void* const other = mremap(first, 0, whole, MREMAP_MAYMOVE); // with size 0 the old mapping stays
    if (other == MAP_FAILED) {
        munmap(first, whole);
        return out_of_memory;
    }
    register_pages(first, whole, device);
    register_pages(other, whole, device);
    const std::lock_guard lock(mutex_);
    all_[static_cast<char*>(first)] = {whole, other, &device};
    *memory = first;
    return success;
}

bool Views::release(void* memory) {
    View view;
    {
        const std::lock_guard lock(mutex_);
        const auto found = all_.find(static_cast<char*>(memory));
        if (found == all_.end()) {
            return false;
        }
        view = found->second;
        all_.erase(found);
    }
    synchronize(*view.device);
    for (void* const mapping : {memory, view.other}) {
        unregister_pages(mapping);
        munmap(mapping, view.bytes);
    }
    return true;
}

void* Views::seen_by_device(void* memory) {
    const std::lock_guard lock(mutex_);
    char* const at = static_cast<char*>(memory);
    auto after = all_.upper_bound(at);
    if (after == all_.begin() || at >= std::prev(after)->first + std::prev(after)->second.bytes) {
        return memory;
    }
    --after;
    return static_cast<char*>(after->second.other) + (at - after->first);
}

Views& views() {
    static Views* const all = new Views; // never destroyed, because calls may come while the process ends
    return *all;
}

} // namespace ferry_double
