// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/copy_end.hpp>
#include <ferry/export.hpp>
#include <ferry/source_location.hpp>
#include <ferry/view.hpp>

#include <cstddef>
#include <vector>

namespace ferry {

class Queue;

namespace detail {

/// One copy of a batch. If an end is host memory, its region has no memory.
struct BatchedCopy {
    Region from, to;
    void* host_from = nullptr;
    void* host_to = nullptr;
};

} // namespace detail

/// A list of copies that are enqueued as one command. Many small copies cost far less in a batch than one by
/// one: CUDA and HIP run up to 160 of them in one launch, and OpenCL on a GPU runs up to 4096 between two
/// memories. Batching gains nothing for copies of 256 KiB or more, or of 64 KiB or more from and to pageable
/// host memory.
///
///     ferry::Batch batch;
///     for (const Page& page : pages) {
///         batch.copy(staging.subview(page.at, page_size), cache.subview(page.slot, page_size));
///     }
///     queue.copy(batch);          // batch may be changed, cleared, enqueued again, or destroyed at once
///
/// If an end is pageable host memory, the call may block until that memory has been read or written. A source
/// in pageable host memory may be read during the call. Data that an earlier command writes to such a source
/// must therefore be there before the call.
///
/// The copies of a batch run in any order, or at the same time. No copy may write bytes that another copy
/// reads or writes; Queue::copy(Batch&) throws Error (invalid_argument) if one does. A batch succeeds or
/// fails as a whole: one event recorded after it covers all of its copies. After a failure the contents of
/// its destinations are undefined.
///
/// A Batch is a list of views and owns none of the memory. Buffers must be alive when the batch is enqueued.
/// Host ranges must be alive until the command is done; a temporary that owns its elements does not compile.
/// A Batch allocates memory only when it grows. Not thread-safe.
class FERRY_API Batch {
public:
    /// Adds a copy. The rules for its ends are those of Queue::copy: the same element type, the same number
    /// of elements, and at least one end that is a Buffer or a View. All buffers must be on the device of the
    /// queue that later takes the batch. Throws Error (invalid_argument) if the sizes differ. A copy of zero
    /// elements adds nothing.
    template <class S, class D>
    Batch& copy(S&& source, D&& destination, SourceLocation where = SourceLocation::current()) {
        if constexpr (detail::check_ends<S, D>()) {
            add_ends(source, destination, where);
        }
        return *this;
    }

    std::size_t size() const noexcept { return copies_.size(); } ///< Number of copies.
    std::size_t size_bytes() const noexcept { return bytes_; }   ///< Total size of all copies, in bytes.
    bool empty() const noexcept { return copies_.empty(); }
    void reserve(std::size_t copies);
    void clear() noexcept; ///< Removes all copies. Keeps the allocated memory.

    /// For use by the library only. Throws if two copies overlap. The result is cached until a copy is added.
    void check(SourceLocation where);
    const std::vector<detail::BatchedCopy>& copies() const noexcept { return copies_; }

private:
    template <class S, class D>
    void add_ends(S& source, D& destination, SourceLocation where) {
        detail::BatchedCopy one;
        if constexpr (detail::DeviceElements<S>) {
            one.from = detail::region_of(source);
        } else {
            const detail::HostRange range = detail::host_range(source);
            one.host_from = range.data;
            one.from.bytes = range.bytes;
        }
        if constexpr (detail::DeviceElements<D>) {
            one.to = detail::region_of(destination);
        } else {
            const detail::HostRange range = detail::host_range(destination);
            one.host_to = range.data;
            one.to.bytes = range.bytes;
        }
        add(one, sizeof(detail::element_t<S>), where);
    }
    /// A byte range that a copy reads or writes.
    struct Use {
        const void* memory; ///< A detail::Memory, or null for host memory.
        std::size_t begin, end;
        bool written;
    };
    void add(const detail::BatchedCopy& one, std::size_t element, SourceLocation where);

    std::vector<detail::BatchedCopy> copies_;
    std::vector<Use> uses_;
    std::size_t bytes_ = 0;
    bool checked_ = true;
};

} // namespace ferry
