// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/buffer.hpp>
#include <ferry/device.hpp>
#include <ferry/export.hpp>
#include <ferry/source_location.hpp>
#include <ferry/view.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace ferry {

namespace detail {

/// A range that lies in an import, perhaps in one that was made for a larger range.
struct ImportedRange {
    MemoryHandle memory;
    std::size_t offset = 0; ///< bytes
};

/// Checks the caller's memory and makes it usable by the device. `constant`: the caller will only read it.
FERRY_API ImportedRange import_memory(const Device& device, const void* data, std::size_t count,
                                      std::size_t element, bool constant, SourceLocation where);
/// Waits for the commands that use the import, and lets go of it. Nothing for the empty one.
FERRY_API void end_import(ImportedRange& range) noexcept;

} // namespace detail

/// The caller's own memory (malloc, mmap, a file mapping, a std::vector, huge pages) made usable by a device
/// where it lies, as long as this object lives. CUDA and HIP page-lock and map it; the host uses it as it is;
/// an OpenCL driver gets the pointer if any is SVM or USM for it, or CL_MEM_USE_HOST_PTR if it is sure to use
/// that in place. If not (discrete GPUs), each command gets a copy of the bytes that it uses and gives them
/// back, for which the call may block. share() (ferry/share.hpp) asks what is cheapest; this class does not.
///
/// Any address and any length: pages are rounded outward, and neighbours in one page, the same memory twice
/// and ranges that overlap may be imported at the same time and end in any order. Two kinds of devices take
/// less. Where registered memory has another address on the device (same_address is false of kind imported:
/// by HIP's documentation discrete AMD GPUs, by CUDA's some systems, Windows among them), what reaches past
/// the pages of an import that lives is refused: it has no one address there. The strict host device
/// (FERRY_HOST_MODE=strict) takes whole pages only, and what lies in an import that it took. Read-only pages
/// (a file mapping with PROT_READ) can be imported as Imported<const T> where the driver takes them.
///
/// The host may touch the bytes whenever no command that uses them is enqueued or running, as those of a
/// host Buffer: what it writes is there for the commands enqueued later, and what they wrote is there for it
/// when they are over. In between neither is promised, since a device may work on copies of the bytes. A
/// kernel uses the views that it is given, a copy or a fill its range; the bytes beside them are the host's
/// meanwhile. The memory must stay mapped until the object is gone; its destructor waits for the commands
/// that use it, wherever they stand in their queues, and never throws; so does an assignment for the import
/// that it replaces. Only in the function that a file's command calls for its progress it does not wait for
/// that command and those behind it on the same queue, which wait for the function. A child process (fork)
/// cannot use it, and its copy of this object does nothing.
///
/// A Recording that uses it must not be replayed any more then. While such a recording lives, or an import
/// that was made within this one, the pages stay page-locked: before that ends, import nothing else that the
/// system has put at the same addresses.
///
/// Page-locking costs time for each page (on one machine with an H200 36 ms for 1 GiB of pages in use
/// already, released again; memory that is allocated page-locked took ten times that), so it pays for memory
/// that is used several times. Moves, does not copy, and moved from it is to a command
/// what a moved-from Buffer is. Thread-safe as a Buffer.
template <Element T>
class Imported {
public:
    using value_type = std::remove_const_t<T>;

    /// The empty import.
    Imported() noexcept = default;

    /// Imports the elements of `memory`. Blocking.
    /// Throws Error: invalid_argument (a null pointer; no elements; a range that wraps around the address
    /// space; pages that are not mapped, not readable, past the end of a mapped file, or not writable
    /// although T is not const; the stack of the calling thread, whose pages come and go with its functions:
    /// use share() or a copy for that), unsupported (the device does not take this memory; the message says
    /// why), out_of_memory (the limit of locked memory).
    Imported(const Device& device, std::span<T> memory, SourceLocation where = SourceLocation::current())
        : range_(detail::import_memory(device, memory.data(), memory.size(), sizeof(T), std::is_const_v<T>,
                                       where)),
          span_(memory) {}

    Imported(Imported&& other) noexcept
        : range_(std::exchange(other.range_, {nullptr, detail::moved_from})),
          span_(std::exchange(other.span_, {})) {}
    Imported& operator=(Imported&& other) noexcept {
        if (this != &other) {
            detail::end_import(range_);
            range_ = std::exchange(other.range_, {nullptr, detail::moved_from});
            span_ = std::exchange(other.span_, {});
        }
        return *this;
    }
    Imported(const Imported&) = delete;
    Imported& operator=(const Imported&) = delete;
    ~Imported() { detail::end_import(range_); }

    std::size_t size() const noexcept { return span_.size(); } ///< elements
    std::size_t size_bytes() const noexcept { return span_.size_bytes(); }
    bool empty() const noexcept { return span_.empty(); }
    std::span<T> span() const noexcept { return span_; } ///< the caller's memory
    Device device(SourceLocation where = SourceLocation::current()) const {
        return detail::device_of(region(), where);
    }

    View<T> view() const noexcept { return View<T>(region()); }
    operator View<T>() const noexcept { return view(); }
    operator View<const T>() const noexcept requires(!std::is_const_v<T>) { return view(); }
    View<T> first(std::size_t count, SourceLocation where = SourceLocation::current()) const {
        return view().first(count, where);
    }
    View<T> subview(std::size_t first, std::size_t count = to_end,
                    SourceLocation where = SourceLocation::current()) const {
        return view().subview(first, count, where);
    }

    /// For the library itself.
    detail::Region region() const noexcept {
        return {range_.memory.get(), range_.offset, span_.size_bytes()};
    }

private:
    detail::ImportedRange range_;
    std::span<T> span_;
};

} // namespace ferry
