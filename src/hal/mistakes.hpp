// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/mapping.hpp>

#include <cstddef>
#include <memory>
#include <string>

// The part of the contract for devices that detect mistakes of the program. Other backends do not need it.
namespace ferry::backend {

class Queue;

/// Whole pages of memory shared with a device that has a later version of them.
struct SharedPages {
    const void* data = nullptr;
    std::size_t bytes = 0;
    std::size_t offset = 0; ///< Offset in the shared memory.
    std::size_t whole = 0;  ///< Size of the shared memory, in bytes.
    std::string kernel;     ///< The kernel that wrote the later version.
};

/// While it lives, a fault in these pages is explained on standard error.
class ExplainedFaults {
public:
    ExplainedFaults() = default;
    ExplainedFaults(const ExplainedFaults&) = delete;
    ExplainedFaults& operator=(const ExplainedFaults&) = delete;
    virtual ~ExplainedFaults() = default;
};

/// Facts that the front reports to a device that detects mistakes: the result of Device::mistake_hooks().
class MistakeHooks {
public:
    MistakeHooks() = default;
    MistakeHooks(const MistakeHooks&) = delete;
    MistakeHooks& operator=(const MistakeHooks&) = delete;
    virtual ~MistakeHooks() = default;

    /// Queue::map() of `queue` has returned `host`. The host need not write the padding of its elements. The
    /// rules of Queue's own methods apply.
    virtual void mapping_has_elements(Queue& queue, void* host,
                                      const ferry::detail::MappedElements& elements) = 0;
    /// DeviceInfo::driver_version without parts that differ from process to process: the key of measurements.
    virtual std::string lasting_driver_version() const = 0;
    /// The front protects these pages until the result is destroyed (src/share/protected_pages.hpp).
    virtual std::unique_ptr<ExplainedFaults> explain_faults(const SharedPages& pages) = 0;
};

} // namespace ferry::backend
