// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory.hpp"

#include <memory>

namespace ferry_double {

/// The same as hipMemcpyKind.
enum Direction : int {
    host_to_host = 0,
    host_to_device = 1,
    device_to_host = 2,
    device_to_device = 3,
    any = 4
};

/// A copy of rows, from any vendor's struct.
struct Box {
    struct End {
        void* address;
        std::size_t x, y, z, pitch, height;
        bool on_device; ///< as the caller states; otherwise the address may be in any memory
    };
    End from, to;
    std::size_t width, height, depth;
};

// Enqueues commands on the stream. `symbol` is the called function, for faults of later execution. Returns
// the vendor's code.
int enqueue_copy(const char* symbol, void* to, const void* from, std::size_t bytes, int direction,
                 void* stream);
/// As strict as the headers: rows must fit their pitch, slices must hold the rows, and all bytes must be
/// within an allocation.
int enqueue_box(const char* symbol, const Box& copy, void* stream);
int enqueue_fill(const char* symbol, void* to, unsigned int pattern, std::size_t size, std::size_t count,
                 void* stream);
/// A copy between the memory of two devices, given by their ordinals.
int enqueue_peer_copy(const char* symbol, void* to, int to_device, const void* from, int from_device,
                      std::size_t bytes, void* stream);

} // namespace ferry_double
