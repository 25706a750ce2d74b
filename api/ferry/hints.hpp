// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/export.hpp>

#include <cstdint>
#include <string_view>

namespace ferry {

/// The priority of a queue relative to other queues of the same device. If work of several queues waits for
/// the device, it prefers the queue with the higher priority. Priorities do not stop running work-groups, and
/// have no effect on the order within a queue, on copies, or on results.
///
/// A hint: DeviceInfo::queue_priority says whether the device distinguishes priorities. A device that does
/// not ignores them. CUDA has no priority below its default, so `low` is `normal` there.
enum class QueuePriority : std::uint8_t { normal, low, high };

/// The destination of Queue::prefetch().
enum class Prefetch : std::uint8_t {
    to_device, ///< The memory of the queue's device.
    to_host,   ///< The memory of the processor.
};

/// The expected use of memory, for Queue::advise(). Advice changes no result; it decides which pages the
/// driver moves or copies.
enum class Advice : std::uint8_t {
    none,          ///< Withdraws all earlier advice on the range.
    read_mostly,   ///< It is rarely written. Both sides may keep a copy; a write removes the copies.
    prefer_device, ///< Its pages stay on the queue's device if possible.
    prefer_host,   ///< Its pages stay in the memory of the processor if possible.
    device_access, ///< The device maps the pages where they are, which avoids page faults.
};

/// "normal", "low" or "high".
FERRY_API std::string_view to_string(QueuePriority priority) noexcept;
/// "to_device" or "to_host".
FERRY_API std::string_view to_string(Prefetch to) noexcept;
/// "none", "read_mostly", "prefer_device", "prefer_host" or "device_access".
FERRY_API std::string_view to_string(Advice advice) noexcept;

} // namespace ferry
