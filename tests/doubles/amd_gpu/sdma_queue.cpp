// SPDX-License-Identifier: Apache-2.0
// A queue of the copy engine. AMD's runtime writes its packets in the format of GFX9.
#include "device_memory.hpp"
#include "events.hpp"
#include "fault.hpp"
#include "options.hpp"
#include "queue.hpp"

#include <algorithm>
#include <cstring>

namespace amd_gpu {
namespace {

enum Operation : u32 { nop = 0, copy = 1, fence = 5, trap = 6, poll = 8, atomic = 10, fill = 11, time = 13 };
constexpr u32 copy_linear = 0;
constexpr u32 copy_rectangle = 4;
constexpr u32 atomic_add64 = 47;
// Bits of a count of bytes. gfx90a's engine takes longer copies; a longer count elsewhere would be cut off.
constexpr unsigned fill_count_bits = 22;

unsigned copy_count_bits() {
    return options().architecture == "gfx90a" ? 30 : 22;
}

u64 counted(u32 word, unsigned bits) {
    if (word >> bits != 0) {
        throw Fault("the count " + hexadecimal(word) + " has more than " + std::to_string(bits) + " bits");
    }
    return word;
}

class SdmaQueue final : public Queue {
public:
    SdmaQueue(unsigned node, void* ring, u64 bytes, HsaQueueResource& resource)
        : ring_(static_cast<u8*>(ring)), bytes_(bytes), memory_(node_addresses(node)) {
        resource.Queue_DoorBell_aql = &doorbell_;
        resource.Queue_write_ptr_aql = &write_;
        resource.Queue_read_ptr_aql = &read_;
    }

private:
    // Read and write position count bytes and never wrap.
    bool step() override {
        const u64 end = __atomic_load_n(&doorbell_, __ATOMIC_ACQUIRE);
        const u64 at = read_;
        if (at >= end) {
            return false;
        }
        u64 used = 0;
        try {
            used = run(at);
        } catch (const Fault& fault) {
            end_with("copy engine: " + std::string(fault.what()));
        }
        if (used == 0) {
            return false;
        }
        __atomic_store_n(&read_, at + used, __ATOMIC_RELEASE);
        return true;
    }

    u32 word(u64 at, unsigned i) const {
        u32 value;
        std::memcpy(&value, ring_ + (at + 4U * i) % bytes_, sizeof value);
        return value;
    }
    u64 pair(u64 at, unsigned i) const { return join(word(at, i), word(at, i + 1)); }

    u8* pointer(u64 address, u64 size, const char* kind) {
        u8* const found = memory_.pointer(address, size);
        if (found == nullptr) {
            throw Fault(std::string(kind) + " of " + std::to_string(size) + " bytes at " +
                            hexadecimal(address) + ", " + memory_.describe(address),
                        0, address);
        }
        return found;
    }

    // Bytes of the packet at AT; 0 if it has to wait.
    u64 run(u64 at) {
        const u32 header = word(at, 0);
        switch (header & 0xff) {
        case nop:
            return 4 + 4 * u64{header >> 16 & 0x3fff};
        case copy:
            return run_copy(at, header >> 8 & 0xff);
        case fence:
            __atomic_store_n(reinterpret_cast<u32*>(pointer(pair(at, 1), 4, "fence")), word(at, 3),
                             __ATOMIC_RELEASE);
            return 16;
        case trap:
            set_event(word(at, 1) & 0xfffffff);
            return 8;
        case poll:
            return satisfied(at, header) ? 24 : 0;
        case atomic:
            if (header >> 25 != atomic_add64) {
                break;
            }
            __atomic_fetch_add(reinterpret_cast<u64*>(pointer(pair(at, 1), 8, "atomic")), pair(at, 3),
                               __ATOMIC_ACQ_REL);
            return 32;
        case fill: {
            const u64 size = (counted(word(at, 4), fill_count_bits) | 3) + 1;
            u8* const to = pointer(pair(at, 1), size, "fill");
            const u32 value = word(at, 3);
            for (u64 i = 0; i < size; i += 4) {
                std::memcpy(to + i, &value, 4);
            }
            return 20;
        }
        case time: {
            const u64 now = timestamp();
            std::memcpy(pointer(pair(at, 1), 8, "timestamp"), &now, sizeof now);
            return 12;
        }
        default:
            break;
        }
        throw Fault("the packet " + hexadecimal(header) + " is not implemented");
    }

    u64 run_copy(u64 at, u32 kind) {
        if (kind == copy_linear) {
            const u64 size = counted(word(at, 1), copy_count_bits()) + 1;
            const u8* const from = pointer(pair(at, 3), size, "copy from");
            std::memmove(pointer(pair(at, 5), size, "copy to"), from, size);
            return 28;
        }
        if (kind != copy_rectangle) {
            throw Fault("the copy packet of kind " + std::to_string(kind) + " is not implemented");
        }
        copy_box(at);
        return 52;
    }

    // Offsets, pitches and extents are in elements; pitches and extents are stored less one.
    void copy_box(u64 at) {
        const u64 element = 1ULL << (word(at, 0) >> 29);
        struct Side {
            u64 base, x, y, z, row, slice;
        };
        const auto side = [&](unsigned first) {
            const u32 xy = word(at, first + 2);
            const u32 zp = word(at, first + 3);
            return Side{pair(at, first),          xy & 0x3fff,
                        xy >> 16 & 0x3fff,        zp & 0x7ff,
                        (zp >> 13 & 0x7ffff) + 1, u64{word(at, first + 4) & 0xfffffff} + 1};
        };
        const Side from = side(1);
        const Side to = side(6);
        const u32 extent = word(at, 11);
        const u64 width = (extent & 0x3fff) + 1;
        const u64 height = (extent >> 16 & 0x3fff) + 1;
        const u64 depth = (word(at, 12) & 0x7ff) + 1;
        const auto row_of = [&](const Side& box, u64 y, u64 z) {
            return box.base + element * (box.x + box.row * (box.y + y) + box.slice * (box.z + z));
        };
        for (u64 z = 0; z < depth; ++z) {
            for (u64 y = 0; y < height; ++y) {
                const u64 size = width * element;
                const u8* const source = pointer(row_of(from, y, z), size, "copy from");
                std::memmove(pointer(row_of(to, y, z), size, "copy to"), source, size);
            }
        }
    }

    bool satisfied(u64 at, u32 header) {
        const u32 function = header >> 28 & 7;
        if ((header >> 26 & 1) != 0 || (header >> 31) == 0 || pair(at, 1) == 0) {
            return true; // flushes a cache
        }
        const u32 mask = word(at, 4);
        const u32 value =
            __atomic_load_n(reinterpret_cast<u32*>(pointer(pair(at, 1), 4, "poll")), __ATOMIC_ACQUIRE) & mask;
        const u32 wanted = word(at, 3);
        switch (function) {
        case 0:
            return true;
        case 1:
            return value < wanted;
        case 2:
            return value <= wanted;
        case 3:
            return value == wanted;
        case 4:
            return value != wanted;
        case 5:
            return value >= wanted;
        default:
            return value > wanted;
        }
    }

    u8* ring_;
    u64 bytes_;
    AddressView memory_;
    HSAuint64 doorbell_ = 0, write_ = 0, read_ = 0;
};

} // namespace

Queue* make_sdma_queue(unsigned node, void* ring, u64 bytes, HsaQueueResource& resource) {
    return new SdmaQueue(node, ring, bytes, resource);
}

} // namespace amd_gpu
