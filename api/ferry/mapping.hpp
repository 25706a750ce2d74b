// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/export.hpp>
#include <ferry/source_location.hpp>
#include <ferry/standard.hpp>
#include <ferry/view.hpp>

#include <span>
#include <type_traits>
#include <utility>

namespace ferry {

namespace detail {

struct MappedRange;

/// One mapped range; ends it when destroyed. Null is no mapping.
class FERRY_API MapHandle {
public:
    MapHandle() noexcept;
    /// `read_only`: of a view that may only be mapped for reading.
    MapHandle(Queue& queue, const Region& region, Map access, bool read_only, SourceLocation where);
    MapHandle(MapHandle&&) noexcept;
    MapHandle& operator=(MapHandle&&) noexcept;
    ~MapHandle();

    void* data() const noexcept { return data_; }
    void unmap(SourceLocation where);

private:
    std::unique_ptr<MappedRange> range_;
    void* data_ = nullptr;
};

} // namespace detail

/// A host view of a range of a buffer. It lives as long as its scope: unmap() or the destructor ends it and
/// enqueues on the mapping's queue whatever the device needs to see the host's writes, so commands enqueued
/// on that queue afterwards see them.
///
/// While a range is mapped for writing (or discard), no command may use the buffer and no other mapping of
/// the range may be made; while it is mapped for reading, commands may read it. Ferry refuses what breaks
/// this (Error, invalid_state). A launch counts as writing to a buffer argument unless the kernel's parameter
/// is known to be a pointer to const (KernelInfo) or the argument is a view of const elements. Where the
/// memory is not reachable by the host, the range is brought into a host copy and written back: nothing is
/// zero-copy just because it is mapped.
///
/// map() waits for the commands enqueued on its queue before, and throws the error of one that failed, as
/// finish() would, which does not throw it again. A mapping of nothing waits for nothing.
///
/// A view of const elements (View<const T>, of an Imported<const T> too) is mapped for Map::read alone; else
/// Error (invalid_argument).
///
/// Moves, does not copy. Not thread-safe; distinct mappings may be used from distinct threads.
template <class T>
class Mapping {
public:
    Mapping() noexcept = default;
    Mapping(Queue& queue, const detail::Region& region, Map access, SourceLocation where)
        : handle_(queue, region, access, std::is_const_v<T>, where), size_(region.bytes / sizeof(T)) {}
    Mapping(Mapping&& other) noexcept
        : handle_(std::move(other.handle_)), size_(std::exchange(other.size_, 0)) {}
    Mapping& operator=(Mapping&& other) noexcept {
        handle_ = std::move(other.handle_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    /// The bytes; valid until unmap(). Empty after it, or for a mapping of nothing.
    std::span<T> span() const noexcept { return {static_cast<T*>(handle_.data()), size_}; }
    T* data() const noexcept { return static_cast<T*>(handle_.data()); }
    T* begin() const noexcept { return data(); }
    T* end() const noexcept { return data() + size_; }
    std::size_t size() const noexcept { return size_; }
    T& operator[](std::size_t i) const noexcept { return data()[i]; }

    /// Ends the mapping now; a second call does nothing. Errors are thrown here; the destructor, which must
    /// not throw, leaves them to the queue's finish(). Writing back to memory that the host cannot reach
    /// blocks until the bytes are there. A child process (fork) cannot call it (Error, invalid_state): its
    /// copy of the mapping ends without a trace.
    void unmap(SourceLocation where = SourceLocation::current()) {
        size_ = 0;
        handle_.unmap(where);
    }

private:
    detail::MapHandle handle_;
    std::size_t size_ = 0;
};

template <Element T>
Mapping<T> View<T>::map(Queue& queue, Map access, SourceLocation where) const {
    return Mapping<T>(queue, region_, access, where);
}

} // namespace ferry
