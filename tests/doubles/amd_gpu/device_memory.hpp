// SPDX-License-Identifier: Apache-2.0
// Memory as the kernel driver gives it out. Device memory and registered host memory have addresses at which
// the host faults; their bytes are elsewhere in the process. Addresses are not used a second time.
#pragma once

#include "addresses.hpp"

#include <hsakmt.h>

namespace amd_gpu {

// The addresses that the GPU of a node reaches; nodes count from 1.
AddressMap& node_addresses(unsigned node);

struct Allocation {
    u64 device = 0; // its address for devices, and for the host too unless hidden
    u8* host = nullptr;
    u64 size = 0;
    HsaMemFlags flags = {};
    unsigned node = 0;
    void* user = nullptr;
    bool registered = false;
    unsigned uses = 1, mappings = 0; // of a registration, which may be made again
    std::vector<HSAuint32> mapped;
};

// Bytes that the device of a node has left.
u64 available(unsigned node);
// Null if the device's memory is exhausted.
void* allocate(unsigned node, u64 size, HsaMemFlags flags);
bool release(void* address);
void register_host(void* address, u64 size);
bool deregister_host(void* address);
// Shows memory to devices, all of them if NODES is empty; returns its address there, or 0 if it is in no
// allocation. SIZE chooses one of several registrations of one address.
u64 map_to(void* address, u64 size, std::vector<HSAuint32> nodes);
void unmap(void* address);
bool set_user_data(const void* address, void* user);
// False if no allocation holds the address. The copy's mapped nodes live as long as the process.
bool find_allocation(const void* address, Allocation& out);

// Memory that all devices reach under its own address.
void show_to_all(void* address, u64 size);

} // namespace amd_gpu
