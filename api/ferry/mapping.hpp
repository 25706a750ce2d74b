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

/// The elements of a mapping. Runs of fewer than `padding` bytes may be padding of an element.
struct MappedElements {
    std::size_t size = 1;
    std::size_t padding = max_element_alignment;
};

/// One mapped range. The destructor ends the mapping. Null means no mapping.
class FERRY_API MapHandle {
public:
    MapHandle() noexcept;
    /// `read_only`: the view may be mapped only for reading.
    MapHandle(Queue& queue, const Region& region, Map access, bool read_only, MappedElements elements,
              SourceLocation where);
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

/// Access of the host to a range of a buffer. The mapping ends with unmap() or the destructor. The end of a
/// mapping makes the writes of the host visible to commands that are enqueued afterwards on the mapping's
/// queue.
///
/// While a range is mapped for writing (or discard), no command may use the buffer, and no other mapping of
/// the range may be made. While it is mapped for reading, commands may read it. A violation throws Error
/// (invalid_state). A launch counts as writing to a buffer argument. There are two exceptions: a kernel
/// parameter that is known to be a pointer to const (KernelInfo), and an argument that is a view of const
/// elements.
///
/// If the host cannot access the memory directly, the range is copied to host memory and written back. A
/// mapping is therefore not always zero-copy.
///
/// map() waits for the commands enqueued on its queue before. It throws the error of a command that failed,
/// like finish(); finish() does not throw this error again. A mapping of an empty range does not wait.
///
/// A view of const elements, also of an Imported<const T>, can be mapped only with Map::read; other values
/// throw Error (invalid_argument).
///
/// Movable, not copyable. Not thread-safe, but different threads may use different mappings.
template <class T>
class Mapping {
public:
    Mapping() noexcept = default;
    Mapping(Queue& queue, const detail::Region& region, Map access, SourceLocation where)
        : handle_(queue, region, access, std::is_const_v<T>, {sizeof(T), padding}, where),
          size_(region.bytes / sizeof(T)) {}
    Mapping(Mapping&& other) noexcept
        : handle_(std::move(other.handle_)), size_(std::exchange(other.size_, 0)) {}
    Mapping& operator=(Mapping&& other) noexcept {
        handle_ = std::move(other.handle_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    /// The mapped elements. Valid until unmap(). Empty after unmap(), and for a mapping of an empty range.
    std::span<T> span() const noexcept { return {static_cast<T*>(handle_.data()), size_}; }
    T* data() const noexcept { return static_cast<T*>(handle_.data()); }
    T* begin() const noexcept { return data(); }
    T* end() const noexcept { return data() + size_; }
    std::size_t size() const noexcept { return size_; }
    T& operator[](std::size_t i) const noexcept { return data()[i]; }

    /// Ends the mapping now. A second call does nothing. Errors are thrown here. The destructor does not
    /// throw; its errors are reported by finish() of the queue. If the host cannot access the memory
    /// directly, the call blocks until the data is written back. A child process (fork) cannot call it
    /// (Error, invalid_state); its copy of the mapping ends without any effect.
    void unmap(SourceLocation where = SourceLocation::current()) {
        size_ = 0;
        handle_.unmap(where);
    }

private:
    /// Elements of one byte may be bytes of any other type.
    static constexpr std::size_t padding = sizeof(T) == 1 ? max_element_alignment : alignof(T);

    detail::MapHandle handle_;
    std::size_t size_ = 0;
};

template <Element T>
Mapping<T> View<T>::map(Queue& queue, Map access, SourceLocation where) const {
    return Mapping<T>(queue, region_, access, where);
}

} // namespace ferry
