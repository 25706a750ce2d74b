// SPDX-License-Identifier: Apache-2.0
// A queue of kernels: HSA's architected packets.
#include "device_memory.hpp"
#include "events.hpp"
#include "options.hpp"
#include "queue.hpp"

#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

namespace amd_gpu {
namespace {

constexpr u64 packet_bytes = 64;

amd_signal_t* signal_of(hsa_signal_t handle) {
    return reinterpret_cast<amd_signal_t*>(handle.handle);
}

void announce(const amd_signal_t& signal) {
    if (signal.event_mailbox_ptr != 0) {
        __atomic_store_n(reinterpret_cast<u64*>(signal.event_mailbox_ptr), u64{signal.event_id},
                         __ATOMIC_RELEASE);
        set_event(signal.event_id);
    }
}

void complete(hsa_signal_t handle, u64 start) {
    if (handle.handle == 0) {
        return;
    }
    amd_signal_t& signal = *signal_of(handle);
    signal.start_ts = start;
    signal.end_ts = timestamp();
    // The signal may be gone once its value has changed.
    const amd_signal_t before = signal;
    __atomic_fetch_sub(&signal.value, 1, __ATOMIC_ACQ_REL);
    announce(before);
}

class AqlQueue final : public Queue {
public:
    AqlQueue(unsigned node, void* ring, u64 bytes, HsaQueueResource& resource)
        : ring_(static_cast<u8*>(ring)),
          packets_(bytes / packet_bytes),
          write_(resource.Queue_write_ptr_aql),
          read_(resource.Queue_read_ptr_aql),
          queue_(reinterpret_cast<amd_queue_t*>(reinterpret_cast<u8*>(read_) -
                                                offsetof(amd_queue_t, read_dispatch_id))),
          engine_(node_addresses(node), options().engine) {
        resource.Queue_DoorBell_aql = &doorbell_;
    }
    AqlQueue(const AqlQueue&) = delete;
    AqlQueue& operator=(const AqlQueue&) = delete;
    ~AqlQueue() override {
        if (options().statistics) {
            std::fprintf(stderr, "emulated AMD GPU: %llu wave instructions in %.3f s\n",
                         static_cast<unsigned long long>(engine_.instructions()),
                         static_cast<double>(busy_) * 1e-9);
        }
    }

private:
    bool step() override {
        if (lost_) {
            return false;
        }
        const u64 index = __atomic_load_n(read_, __ATOMIC_RELAXED);
        if (index >= __atomic_load_n(write_, __ATOMIC_ACQUIRE)) {
            return false;
        }
        u8* const packet = ring_ + index % packets_ * packet_bytes;
        const u16 header = __atomic_load_n(reinterpret_cast<u16*>(packet), __ATOMIC_ACQUIRE);
        const unsigned type = header & 0xff;
        if (type == HSA_PACKET_TYPE_INVALID) {
            return false;
        }
        const u64 start = timestamp();
        hsa_signal_t done = {};
        if (!run(type, packet, done)) {
            return false;
        }
        __atomic_store_n(reinterpret_cast<u16*>(packet), u16{HSA_PACKET_TYPE_INVALID}, __ATOMIC_RELEASE);
        __atomic_store_n(read_, index + 1, __ATOMIC_RELEASE);
        complete(done, start);
        return true;
    }

    // False if the queue stops.
    bool run(unsigned type, const u8* packet, hsa_signal_t& done) {
        switch (type) {
        case HSA_PACKET_TYPE_KERNEL_DISPATCH: {
            const auto& dispatch = *reinterpret_cast<const hsa_kernel_dispatch_packet_t*>(packet);
            done = dispatch.completion_signal;
            return launch(dispatch);
        }
        case HSA_PACKET_TYPE_BARRIER_AND:
        case HSA_PACKET_TYPE_BARRIER_OR: {
            const auto& barrier = *reinterpret_cast<const hsa_barrier_and_packet_t*>(packet);
            done = barrier.completion_signal;
            return wait_for(barrier.dep_signal, type == HSA_PACKET_TYPE_BARRIER_AND);
        }
        default: // the vendor's: waits for a value, or flushes caches, of which there are none
            std::memcpy(&done, packet + packet_bytes - sizeof done, sizeof done);
            return packet[2] != HSA_AMD_PACKET_TYPE_BARRIER_VALUE ||
                   wait_for(*reinterpret_cast<const hsa_amd_barrier_value_packet_t*>(packet));
        }
    }

    // As after an illegal instruction: the queue tells AMD's runtime and stops.
    void lose() {
        constexpr i64 illegal_instruction = 0x40000000;
        lost_ = true;
        amd_signal_t& inactive = *signal_of(queue_->queue_inactive_signal);
        __atomic_store_n(&inactive.value, illegal_instruction, __ATOMIC_RELEASE);
        announce(inactive);
    }

    bool launch(const hsa_kernel_dispatch_packet_t& dispatch) {
        static std::atomic<long long> kernels{0};
        if (++kernels == options().lost_at) {
            lose();
            return false;
        }
        Launch launch;
        launch.kernel_object = dispatch.kernel_object;
        launch.packet = reinterpret_cast<u64>(&dispatch);
        launch.queue = reinterpret_cast<u64>(queue_);
        launch.arguments = reinterpret_cast<u64>(dispatch.kernarg_address);
        const u32 grid[3] = {dispatch.grid_size_x, dispatch.grid_size_y, dispatch.grid_size_z};
        const u32 group[3] = {dispatch.workgroup_size_x, dispatch.workgroup_size_y,
                              dispatch.workgroup_size_z};
        std::memcpy(launch.grid, grid, sizeof grid);
        std::memcpy(launch.group, group, sizeof group);
        launch.private_bytes = dispatch.private_segment_size;
        launch.shared_bytes = dispatch.group_segment_size;
        launch.shared_base = queue_->group_segment_aperture_base_hi;
        launch.private_base = queue_->private_segment_aperture_base_hi;
        const u64 start = timestamp();
        const auto fault = engine_.run(launch, stop_);
        busy_ += timestamp() - start;
        if (fault.has_value()) {
            end_with(fault->text);
        }
        return !stop_;
    }

    bool wait_for(const hsa_signal_t (&signals)[5], bool all) {
        while (!stop_) {
            unsigned present = 0;
            unsigned zero = 0;
            for (const hsa_signal_t signal : signals) {
                if (signal.handle != 0) {
                    ++present;
                    zero += __atomic_load_n(&signal_of(signal)->value, __ATOMIC_ACQUIRE) == 0 ? 1 : 0;
                }
            }
            if (present == 0 || (all ? zero == present : zero > 0)) {
                return true;
            }
            idle();
        }
        return false;
    }

    bool wait_for(const hsa_amd_barrier_value_packet_t& barrier) {
        if (barrier.signal.handle == 0) {
            return true;
        }
        while (!stop_) {
            const i64 value =
                __atomic_load_n(&signal_of(barrier.signal)->value, __ATOMIC_ACQUIRE) & barrier.mask;
            const hsa_signal_condition32_t condition = barrier.cond;
            if (condition == HSA_SIGNAL_CONDITION_EQ   ? value == barrier.value
                : condition == HSA_SIGNAL_CONDITION_NE ? value != barrier.value
                : condition == HSA_SIGNAL_CONDITION_LT ? value < barrier.value
                                                       : value >= barrier.value) {
                return true;
            }
            idle();
        }
        return false;
    }

    u8* ring_;
    u64 packets_;
    HSAuint64* write_;
    HSAuint64* read_;
    amd_queue_t* queue_;
    Engine engine_;
    HSAuint64 doorbell_ = 0;
    u64 busy_ = 0;
    bool lost_ = false;
};

} // namespace

Queue* make_aql_queue(unsigned node, void* ring, u64 bytes, HsaQueueResource& resource) {
    return new AqlQueue(node, ring, bytes, resource);
}

} // namespace amd_gpu
