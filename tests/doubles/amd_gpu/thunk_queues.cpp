// SPDX-License-Identifier: Apache-2.0
// libhsakmt's queues.
#include "options.hpp"
#include "queue.hpp"

#include <cfenv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

namespace {

struct Queues {
    std::mutex mutex;
    std::map<HSA_QUEUEID, std::unique_ptr<amd_gpu::Queue>> by_id;
    HSA_QUEUEID next = 1;
};

// Never destroyed: queues that are left at exit keep their threads.
Queues& queues() {
    static Queues& all = *new Queues;
    return all;
}

} // namespace

namespace amd_gpu {

u64 timestamp() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void end_with(const std::string& report) {
    std::fprintf(stderr, "emulated AMD GPU: %s\n", report.c_str());
    std::fflush(nullptr);
    std::_Exit(134); // the status of abort(); ctest takes no signal for a pass
}

void Queue::idle() {
    ++idle_steps_;
    if (idle_steps_ < 20) {
        std::this_thread::yield();
    } else {
        std::this_thread::sleep_for(std::chrono::microseconds(idle_steps_ < 200 ? 50 : 500));
    }
}

void Queue::run() {
    std::fesetenv(FE_DFL_ENV); // a new thread has its maker's rounding mode; the device does not
    while (!stop_) {
        if (step()) {
            idle_steps_ = 0;
        } else {
            idle();
        }
    }
}

} // namespace amd_gpu

extern "C" {

HSAKMT_STATUS hsaKmtCreateQueue(HSAuint32 node, HSA_QUEUE_TYPE type, HSAuint32, HSA_QUEUE_PRIORITY,
                                void* ring, HSAuint64 bytes, HsaEvent*, HsaQueueResource* resource) {
    const bool sdma = type == HSA_QUEUE_SDMA && amd_gpu::options().sdma;
    if (type != HSA_QUEUE_COMPUTE_AQL && !sdma) {
        return HSAKMT_STATUS_NOT_SUPPORTED;
    }
    Queues& all = queues();
    const std::lock_guard lock(all.mutex);
    resource->QueueId = all.next++;
    std::unique_ptr<amd_gpu::Queue>& queue = all.by_id[resource->QueueId];
    queue.reset(sdma ? amd_gpu::make_sdma_queue(node, ring, bytes, *resource)
                     : amd_gpu::make_aql_queue(node, ring, bytes, *resource));
    queue->start();
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtUpdateQueue(HSA_QUEUEID, HSAuint32, HSA_QUEUE_PRIORITY, void*, HSAuint64, HsaEvent*) {
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtDestroyQueue(HSA_QUEUEID id) {
    std::unique_ptr<amd_gpu::Queue> queue;
    {
        Queues& all = queues();
        const std::lock_guard lock(all.mutex);
        const auto found = all.by_id.find(id);
        if (found == all.by_id.end()) {
            return HSAKMT_STATUS_INVALID_HANDLE;
        }
        queue = std::move(found->second);
        all.by_id.erase(found);
    }
    queue->stop();
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtSetQueueCUMask(HSA_QUEUEID, HSAuint32, HSAuint32*) {
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtSetTrapHandler(HSAuint32, void*, HSAuint64, void*, HSAuint64) {
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtAllocQueueGWS(HSA_QUEUEID, HSAuint32, HSAuint32*) {
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

} // extern "C"
