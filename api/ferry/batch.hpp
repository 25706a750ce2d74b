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

/// One copy of a batch. At an end that is host memory the region has no memory.
struct BatchedCopy {
    Region from, to;
    void* host_from = nullptr;
    void* host_to = nullptr;
};

} // namespace detail

/// A list of copies that are enqueued as one command. Many small ones cost far less so than one by one: CUDA
/// and HIP carry out up to 160 of them by one launch, OpenCL on a GPU up to 4096 between two memories. From
/// 256 KiB each on, or 64 KiB from and to ordinary host memory, there is nothing to gain. If an end is
/// ordinary host memory, the call may block until it is written, or read. A source in ordinary host memory
/// may be read during the call: what earlier commands bring there must be there by then.
///
///     ferry::Batch batch;
///     for (const Page& page : pages) {
///         batch.copy(staging.subview(page.at, page_size), cache.subview(page.slot, page_size));
///     }
///     queue.copy(batch);          // batch may be changed, cleared, enqueued again, or destroyed at once
///
/// The copies of a batch run in any order or at the same time, so none may write what another one reads or
/// writes; Queue::copy(Batch&) throws Error (invalid_argument) if they do. The batch succeeds or fails as a
/// whole: one event recorded after it stands for all of it; after a failure its destinations are undefined.
///
/// A Batch is a list of views: it owns none of the memory, and the buffers and host ranges must be alive when
/// it is enqueued (host ranges until the command is done; a temporary that owns its elements does not
/// compile). Once it has grown it allocates nothing. Not thread-safe.
class FERRY_API Batch {
public:
    /// Adds a copy, with the rules of Queue::copy for its ends: same element type, same number of elements,
    /// one end at least a Buffer or a View. All buffers are on the device of the queue that it is given to.
    /// Throws Error (invalid_argument) if the sizes differ. Zero elements add nothing.
    template <class S, class D>
    Batch& copy(S&& source, D&& destination, SourceLocation where = SourceLocation::current()) {
        if constexpr (detail::check_ends<S, D>()) {
            add_ends(source, destination, where);
        }
        return *this;
    }

    std::size_t size() const noexcept { return copies_.size(); } ///< copies
    std::size_t size_bytes() const noexcept { return bytes_; }   ///< of all copies together
    bool empty() const noexcept { return copies_.empty(); }
    void reserve(std::size_t copies);
    void clear() noexcept; ///< keeps its memory

    /// For the library itself: throws if two copies meet; asked again it costs nothing until one is added.
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
    /// What a copy reads or writes.
    struct Use {
        const void* memory; ///< detail::Memory; null: the host's
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
