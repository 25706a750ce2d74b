// SPDX-License-Identifier: Apache-2.0
#include "device_memory.hpp"

#include "options.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace amd_gpu {
namespace {

constexpr u64 page = 4096;
constexpr u64 window_size = 1ULL << 44; // of addresses; used up from the front

u8* reserve(u64 size) {
    void* const at = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        std::perror("emulated AMD GPU: address space");
        std::abort();
    }
    return static_cast<u8*>(at);
}

struct Space {
    std::mutex mutex;
    u8* const window = reserve(window_size);  // addresses that the host cannot read
    u8* const backing = reserve(window_size); // the bytes behind them, at the same offsets
    u8* const shared = reserve(window_size);  // memory that host and device reach
    u64 next_hidden = 0, next_shared = 0;
    std::map<u64, Allocation> by_device;     // by address on the device
    std::multimap<u64, Allocation*> by_host; // registrations, by host address
    std::vector<u64> used = std::vector<u64>(options().devices + 1, 0);

    Allocation* holding(u64 address) {
        const auto after = by_device.upper_bound(address);
        if (after != by_device.begin()) {
            Allocation& before = std::prev(after)->second;
            if (address < before.device + before.size) {
                return &before;
            }
        }
        for (auto host = by_host.upper_bound(address); host != by_host.begin();) {
            --host;
            if (address < host->first + host->second->size) {
                return host->second;
            }
        }
        return nullptr;
    }
    Allocation* registration(u64 host, u64 size) {
        const auto [begin, end] = by_host.equal_range(host);
        const auto found =
            std::find_if(begin, end, [&](const auto& one) { return one.second->size == size; });
        return found == end ? nullptr : found->second;
    }
    // As in AMD's library, one of several registrations of one address cannot be named, and stays.
    Allocation* unambiguous(u64 address) { return by_host.count(address) > 1 ? nullptr : holding(address); }
};

// Never destroyed: AMD's runtime frees memory while static objects are destroyed.
Space& space() {
    static Space& all = *new Space;
    return all;
}

u64 rounded(u64 size) {
    return (size + page - 1) / page * page;
}

// Two pages between allocations, so that a small overrun of one is not in another.
u64 take(u64& next, u64 size) {
    const u64 alignment = size >= 2U << 20 ? 2U << 20 : page;
    const u64 at = (next + alignment - 1) / alignment * alignment;
    next = at + rounded(size) + 2 * page;
    return at;
}

constexpr u64 tile = 4U << 20;

// A file of poison, mapped privately wherever large fresh memory is. -1 if the process may write no such
// file.
int poison_file() {
    static const int file = [] {
        rlimit limit = {};
        if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < tile) {
            return -1;
        }
        const int descriptor = memfd_create("poison", MFD_CLOEXEC);
        std::vector<u32> words(tile / sizeof poison, poison);
        if (descriptor < 0 || write(descriptor, words.data(), tile) != static_cast<ssize_t>(tile)) {
            std::perror("emulated AMD GPU: poison");
            std::abort();
        }
        return descriptor;
    }();
    return file;
}

void fill_with_poison(u8* at, u64 size) {
    u64 done = 0;
    for (; size - done >= tile && poison_file() >= 0; done += tile) {
        if (mmap(at + done, tile, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
                 poison_file(), 0) == MAP_FAILED) {
            std::perror("emulated AMD GPU: device memory");
            std::abort();
        }
    }
    for (; done < size; done += sizeof poison) {
        std::memcpy(at + done, &poison, sizeof poison);
    }
}

void unmap_locked(Allocation& allocation) {
    for (const HSAuint32 node : allocation.mapped) {
        node_addresses(node).remove(allocation.device);
    }
    allocation.mapped.clear();
}

} // namespace

AddressMap& node_addresses(unsigned node) {
    static std::vector<AddressMap*>& maps = *[] {
        auto* const all = new std::vector<AddressMap*>;
        for (unsigned i = 0; i <= options().devices; ++i) {
            all->push_back(new AddressMap(options().xnack));
        }
        return all;
    }();
    return *maps.at(node);
}

u64 available(unsigned node) {
    Space& all = space();
    const std::lock_guard lock(all.mutex);
    return options().memory - all.used.at(node);
}

void* allocate(unsigned node, u64 size, HsaMemFlags flags) {
    Space& all = space();
    const std::lock_guard lock(all.mutex);
    const bool hidden = node != 0 && flags.ui32.HostAccess == 0 && !options().apu;
    const bool counted = node != 0 && flags.ui32.Scratch == 0;
    if (counted && rounded(size) > options().memory - all.used.at(node)) {
        return nullptr;
    }
    const u64 offset = take(hidden ? all.next_hidden : all.next_shared, size);
    u8* const host = (hidden ? all.backing : all.shared) + offset;
    if (mprotect(host, rounded(size), PROT_READ | PROT_WRITE) != 0) {
        return nullptr;
    }
    if (node != 0 && counted) {
        fill_with_poison(host, rounded(size));
    }
    Allocation allocation;
    allocation.device = reinterpret_cast<u64>((hidden ? all.window : all.shared) + offset);
    allocation.host = host;
    allocation.size = size;
    allocation.flags = flags;
    allocation.node = node;
    if (counted) {
        all.used[node] += rounded(size);
    }
    all.by_device[allocation.device] = allocation;
    return reinterpret_cast<void*>(allocation.device);
}

bool release(void* address) {
    Space& all = space();
    const std::lock_guard lock(all.mutex);
    const auto found = all.by_device.find(reinterpret_cast<u64>(address));
    if (found == all.by_device.end() || found->second.registered) {
        return false;
    }
    Allocation& allocation = found->second;
    unmap_locked(allocation);
    if (allocation.node != 0 && allocation.flags.ui32.Scratch == 0) {
        all.used[allocation.node] -= rounded(allocation.size);
    }
    mmap(allocation.host, rounded(allocation.size), PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    all.by_device.erase(found);
    return true;
}

void register_host(void* address, u64 size) {
    Space& all = space();
    const std::lock_guard lock(all.mutex);
    const auto host = reinterpret_cast<u64>(address);
    if (Allocation* const known = all.registration(host, size); known != nullptr) {
        ++known->uses;
        return;
    }
    Allocation allocation;
    allocation.device = reinterpret_cast<u64>(all.window) + take(all.next_hidden, size + page) + host % page;
    allocation.host = static_cast<u8*>(address);
    allocation.size = size;
    allocation.registered = true;
    Allocation& kept = all.by_device[allocation.device] = allocation;
    all.by_host.emplace(host, &kept);
}

bool deregister_host(void* address) {
    Space& all = space();
    const std::lock_guard lock(all.mutex);
    Allocation* const allocation = all.unambiguous(reinterpret_cast<u64>(address));
    if (allocation == nullptr || !allocation->registered) {
        return false;
    }
    if (--allocation->uses > 0) {
        return true;
    }
    unmap_locked(*allocation);
    std::erase_if(all.by_host, [&](const auto& one) { return one.second == allocation; });
    all.by_device.erase(allocation->device);
    return true;
}

u64 map_to(void* address, u64 size, std::vector<HSAuint32> nodes) {
    Space& all = space();
    const std::lock_guard lock(all.mutex);
    Allocation* allocation = all.registration(reinterpret_cast<u64>(address), size);
    if (allocation == nullptr) {
        allocation = all.holding(reinterpret_cast<u64>(address));
    }
    if (allocation == nullptr) {
        return 0;
    }
    ++allocation->mappings;
    if (nodes.empty()) {
        for (HSAuint32 node = 1; node <= options().devices; ++node) {
            nodes.push_back(node);
        }
    }
    const Range range{allocation->device, allocation->device + allocation->size, allocation->host};
    for (const HSAuint32 node : nodes) {
        const bool known =
            std::find(allocation->mapped.begin(), allocation->mapped.end(), node) != allocation->mapped.end();
        if (node != 0 && node <= options().devices && !known) {
            node_addresses(node).add(range);
            allocation->mapped.push_back(node);
        }
    }
    const u64 at = reinterpret_cast<u64>(address);
    const u64 host = reinterpret_cast<u64>(allocation->host);
    const bool from_host = at >= host && at < host + allocation->size;
    return allocation->device + (from_host ? at - host : at - allocation->device);
}

void unmap(void* address) {
    Space& all = space();
    const std::lock_guard lock(all.mutex);
    Allocation* const allocation = all.unambiguous(reinterpret_cast<u64>(address));
    if (allocation == nullptr) {
        return;
    }
    allocation->mappings -= allocation->mappings > 0 ? 1 : 0;
    if (!allocation->registered || allocation->mappings == 0) {
        unmap_locked(*allocation);
    }
}

bool set_user_data(const void* address, void* user) {
    Space& all = space();
    const std::lock_guard lock(all.mutex);
    Allocation* const allocation = all.holding(reinterpret_cast<u64>(address));
    if (allocation == nullptr) {
        return false;
    }
    allocation->user = user;
    return true;
}

bool find_allocation(const void* address, Allocation& out) {
    Space& all = space();
    const std::lock_guard lock(all.mutex);
    const Allocation* const allocation = all.holding(reinterpret_cast<u64>(address));
    if (allocation == nullptr) {
        return false;
    }
    out = *allocation;
    return true;
}

void show_to_all(void* address, u64 size) {
    const auto begin = reinterpret_cast<u64>(address);
    for (unsigned node = 1; node <= options().devices; ++node) {
        node_addresses(node).add({begin, begin + size, static_cast<u8*>(address)});
    }
}

} // namespace amd_gpu
