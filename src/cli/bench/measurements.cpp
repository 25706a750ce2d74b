// SPDX-License-Identifier: Apache-2.0
#include "measurement.hpp"

namespace bench {

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = kib * kib;
constexpr std::size_t transfers[] = {4 * kib, 16 * kib, 64 * kib, 256 * kib, mib,
                                     4 * mib, 16 * mib, 64 * mib, 256 * mib, 1024 * mib};
constexpr std::size_t arrays[] = {mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib};
constexpr std::size_t blocks[] = {4 * kib, 64 * kib, mib, 16 * mib, 256 * mib};
constexpr std::size_t shared[] = {4 * kib, 64 * kib, mib, 16 * mib, 64 * mib};
constexpr std::size_t shared_blocks[] = {4 * kib, 64 * kib, mib, 16 * mib};
constexpr std::span<const std::size_t> no_size;

constexpr Measurement all[] = {
    {"copy.up.pinned", "page-locked memory to the device, and wait", Operation::up, Timing::each,
     Check::uploaded, transfers, Bound::link, 1, "transfers"},
    {"copy.down.pinned", "the device to page-locked memory, and wait", Operation::down, Timing::each,
     Check::downloaded, transfers, Bound::link, 1, "transfers"},
    {"copy.up.pageable", "ordinary memory to the device, and wait", Operation::up_pageable, Timing::each,
     Check::uploaded, transfers, Bound::link, 1, "transfers"},
    {"copy.down.pageable", "the device to ordinary memory, touched before, and wait",
     Operation::down_pageable, Timing::each, Check::downloaded, transfers, Bound::link, 1, "transfers"},
    {"copy.both.pinned", "the same size in both directions at once, two queues, and wait", Operation::both,
     Timing::each, Check::both, transfers, Bound::link, 1, "transfers"},
    {"copy.up.pinned.device", "the copy alone, page-locked memory to the device", Operation::up,
     Timing::device, Check::uploaded, transfers, Bound::link, 1},
    {"copy.down.pinned.device", "the copy alone, the device to page-locked memory", Operation::down,
     Timing::device, Check::downloaded, transfers, Bound::link, 1},
    {"copy.between", "within the device's memory, the copy alone", Operation::between, Timing::device,
     Check::between, arrays, Bound::memory, 2, "memory"},
    {"fill", "a pattern of 4 bytes, the fill alone", Operation::fill, Timing::device, Check::filled, arrays,
     Bound::memory, 1, "memory"},
    {"stream.copy", "c = a, the kernel alone; the size is that of one array", Operation::stream_copy,
     Timing::device, Check::stream, arrays, Bound::memory, 2, "memory"},
    {"stream.mul", "b = s c", Operation::stream_mul, Timing::device, Check::stream, arrays, Bound::memory, 2,
     "memory"},
    {"stream.add", "c = a + b", Operation::stream_add, Timing::device, Check::stream, arrays, Bound::memory,
     3, "memory"},
    {"stream.triad", "a = b + s c", Operation::stream_triad, Timing::device, Check::stream, arrays,
     Bound::memory, 3, "memory"},
    {"stream.dot", "the sum of a b", Operation::stream_dot, Timing::device, Check::stream, arrays,
     Bound::memory, 2, "memory"},
    {"shared.touch.device",
     "a kernel adds to all of the shared memory that the host has just written, and wait",
     Operation::touch_on_device, Timing::each, Check::touched, shared, Bound::link, 1, "shared",
     ferry::MemoryKind::shared, Operation::touch_on_host},
    {"shared.touch.host", "the host adds to all of the shared memory that a kernel has just written",
     Operation::touch_on_host, Timing::each, Check::touched, shared, Bound::link, 1, "shared",
     ferry::MemoryKind::shared, Operation::touch_on_device},
    {"allocate.device", "device memory, and free it", Operation::allocate, Timing::pipelined, Check::nothing,
     blocks, Bound::none, 1, "allocation"},
    {"allocate.pinned", "page-locked memory, and free it", Operation::allocate_pinned, Timing::pipelined,
     Check::nothing, blocks, Bound::none, 1, "allocation"},
    {"allocate.shared", "memory that both sides address, and free it", Operation::allocate_shared,
     Timing::pipelined, Check::nothing, shared_blocks, Bound::none, 1, "allocation",
     ferry::MemoryKind::shared},
    {"launch.enqueue", "a kernel with 4 arguments, the call alone", Operation::launch, Timing::enqueue,
     Check::sum, no_size},
    {"launch.pipelined", "the same, with the wait for all of them", Operation::launch, Timing::pipelined,
     Check::sum, no_size},
    {"launch.finish", "launch and wait", Operation::launch, Timing::each, Check::sum, no_size},
    {"event.record", "the call alone", Operation::record, Timing::enqueue, Check::order, no_size},
    {"event.wait_queue", "record, and another queue waits; the calls alone", Operation::record_wait_other,
     Timing::enqueue, Check::order, no_size},
    {"event.wait_host", "record, and wait for it on the host", Operation::record_wait_host, Timing::pipelined,
     Check::order, no_size},
};

} // namespace

std::span<const Measurement> measurements() {
    return all;
}

} // namespace bench
