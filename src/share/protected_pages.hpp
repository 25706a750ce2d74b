// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/range_set.hpp"
#include "hal/backend.hpp"
#include "hal/mistakes.hpp"
#include "queue/queue_state.hpp"

#include <ferry/event.hpp>
#include <ferry/queue.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ferry::detail {

/// The pages of a span that the host must not access now: a device has a later version of all their bytes,
/// and it is a device that detects mistakes (backend::Device::mistake_hooks()). The pages are inaccessible,
/// so that an access without a guard faults. Only whole pages of the span are protected. Its other bytes
/// share a page with data outside the span. They hold a fill pattern instead, so a read without a guard
/// returns the pattern, and changed() detects a write. Bytes outside of the span are not changed.
/// Thread-safe.
class ProtectedPages : public std::enable_shared_from_this<ProtectedPages> {
public:
    ProtectedPages(std::byte* data, std::size_t bytes) noexcept : data_(data), bytes_(bytes) {}
    ProtectedPages(const ProtectedPages&) = delete;
    ProtectedPages& operator=(const ProtectedPages&) = delete;
    ~ProtectedPages() { give_back({0, bytes_}); }

    /// Protects bytes that a command writes on the device. This happens once `written` is reached, if that
    /// succeeded, if they were not released before, and if the commands of `others`, which use the host's
    /// bytes, are done by then. Throws Error.
    void expect(Queue& queue, ByteRange range, const std::string& kernel, const Event& written,
                std::vector<Event> others, SourceLocation where);
    /// The range may be used again: access to all pages that overlap it is restored. A fill pattern that
    /// overlaps it stays until it is overwritten, but changed() ignores it.
    void give_back(ByteRange range) noexcept;
    /// Whether bytes of the caller's memory hold the fill pattern now.
    bool has_poison() const noexcept;
    /// Bytes of the fill pattern that were written since, and the kernel that wrote later ones. Reports each
    /// part once. The memory must be mapped.
    struct Change {
        ByteRange range;
        std::string kernel;
    };
    std::optional<Change> changed();
    /// Protected, or expected to be.
    RangeSet ranges() const;

private:
    struct Part {
        ByteRange range;
        std::uint64_t number = 0; ///< Of expect().
        bool pages = false;       ///< Whole pages; otherwise the bytes get the fill pattern.
        bool held = false;        ///< Otherwise expected.
        std::string kernel{};
        std::unique_ptr<backend::ExplainedFaults> explained{};
    };
    ByteRange whole_pages(ByteRange range) const noexcept;
    bool hold(Part& part, backend::Device& device);
    void protect_pages(std::uint64_t number, backend::Device& device, const std::vector<Event>& others);
    void forget(std::uint64_t number) noexcept;

    std::byte* const data_;
    const std::size_t bytes_;
    mutable std::mutex mutex_; // Protects the rest.
    std::vector<Part> parts_;
    std::uint64_t last_ = 0;
};

/// Whether all of these addresses are in protected pages.
bool is_protected_from_host(std::uintptr_t begin, std::uintptr_t end);
/// A number that changes whenever pages are protected or released.
std::uint64_t changes_of_protected_pages() noexcept;
/// At process exit: later code may read its memory, even if it is outdated. Does nothing if a thread that no
/// longer runs holds the list.
void release_all_protected_pages() noexcept;

} // namespace ferry::detail
