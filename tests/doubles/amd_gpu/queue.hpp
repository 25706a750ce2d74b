// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes.hpp"

#include <hsakmt.h>

#include <atomic>
#include <string>
#include <thread>

namespace amd_gpu {

// A queue of a device: a ring of packets, and a thread that takes them out.
class Queue {
public:
    virtual ~Queue() = default;
    void start() {
        thread_ = std::thread([this] { run(); });
    }
    // Ends the thread; packets that it has not begun stay.
    void stop() {
        stop_ = true;
        thread_.join();
    }

protected:
    // Handles the packets in the ring. Returns false if there were none.
    virtual bool step() = 0;
    // Sleeps a little, longer the longer nothing happens.
    void idle();

    std::atomic<bool> stop_ = false;

private:
    void run();

    unsigned idle_steps_ = 0;
    std::thread thread_;
};

// Both fill in the results of hsaKmtCreateQueue. RING: the packets.
Queue* make_aql_queue(unsigned node, void* ring, u64 bytes, HsaQueueResource& resource);
Queue* make_sdma_queue(unsigned node, void* ring, u64 bytes, HsaQueueResource& resource);

// Prints a fault and ends the process, as AMD's runtime does after a memory fault.
[[noreturn]] void end_with(const std::string& report);

// Nanoseconds, as GPU timestamps are here.
u64 timestamp();

} // namespace amd_gpu
