// SPDX-License-Identifier: Apache-2.0
#pragma once

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

    /// Queue::map() of `queue` has returned `host`. The mapping has elements of `size` bytes. Runs of fewer
    /// than `padding` bytes may be padding of an element, which the host need not write. The rules of Queue's
    /// own methods apply.
    virtual void mapping_has_elements(Queue& queue, void* host, std::size_t size, std::size_t padding) = 0;
    /// The front protects these pages until the result is destroyed (src/share/protected_pages.hpp).
    virtual std::unique_ptr<ExplainedFaults> explain_faults(const SharedPages& pages) = 0;
};

} // namespace ferry::backend
