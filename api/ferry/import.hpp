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

/// A range within an import. The import may have been made for a larger range.
struct ImportedRange {
    MemoryHandle memory;
    std::size_t offset = 0; ///< Offset in bytes.
};

/// Checks the caller's memory and makes it usable by the device. `constant`: the caller will only read it.
FERRY_API ImportedRange import_memory(const Device& device, const void* data, std::size_t count,
                                      std::size_t element, bool constant, SourceLocation where);
/// Waits for the commands that use the import, and releases it. Does nothing for an empty range.
FERRY_API void end_import(ImportedRange& range) noexcept;

} // namespace detail

/// Memory of the caller (malloc, mmap, a file mapping, a std::vector, huge pages) that a device uses in place
/// while this object lives. Movable, not copyable. A moved-from Imported behaves like a moved-from Buffer.
/// Thread safety is that of Buffer.
///
/// How each backend uses the memory:
///   CUDA, HIP   the pages are page-locked and mapped
///   host        the memory is used as it is
///   OpenCL      the driver gets the pointer if it takes any host pointer as SVM or USM, or
///               CL_MEM_USE_HOST_PTR if the driver is certain to use that memory in place
///
/// If an OpenCL driver can do neither (discrete GPUs), each command works on a copy of the bytes that it uses
/// and copies them back; the call may block for this. This class does not search for the cheapest method;
/// share() (ferry/share.hpp) does.
///
/// Address and length are arbitrary: the range is extended to whole pages. Ranges may share a page, be
/// identical or overlap; they may be imported at the same time and end in any order. Two kinds of devices
/// have restrictions. If registered memory has a different address on the device (same_address is false for
/// kind imported), a range that extends past the pages of a living import is rejected, because it has no
/// single device address. According to the documentation, this holds for discrete AMD GPUs under HIP and for
/// some systems under CUDA, Windows among them. The strict host device (FERRY_HOST_MODE=strict) accepts only
/// whole pages and ranges within an existing import. Read-only pages (a file mapping with PROT_READ) can be
/// imported as Imported<const T> if the driver accepts them.
///
/// The host may access the memory whenever no command that uses it is enqueued or running. Commands enqueued
/// later see the writes of the host, and the host sees the writes of commands that are done. While such a
/// command is enqueued or running, neither side is guaranteed to see the other's writes, because a device may
/// work on copies. A kernel uses the views passed to it, and a copy or fill uses its range; the host may
/// access the bytes outside of these.
///
/// The memory must stay mapped until this object is destroyed. The destructor waits for all commands that use
/// the memory, on every queue, and never throws. Assignment waits in the same way for the import that it
/// replaces. There is one exception: inside the progress function of a file command, the destructor does not
/// wait for that command and the commands after it on the same queue, because these wait for the function. A
/// child process (fork) cannot use the import; its copy of this object does nothing.
///
/// A Recording that uses the import must not be replayed after the import is destroyed. The pages stay
/// page-locked as long as such a recording lives, or another import that was made within this one. Before
/// these end, do not import other memory that the system has mapped at the same addresses.
///
/// Page-locking costs time for each page, so it pays off for memory that is used several times. Example: 36
/// ms for 1 GiB of pages already in use, release included, on one machine with an H200; allocating
/// page-locked memory took ten times as long.
template <Element T>
class Imported {
public:
    using value_type = std::remove_const_t<T>;

    /// An empty import.
    Imported() noexcept = default;

    /// Imports the elements of `memory`. Blocking. Throws Error:
    ///   invalid_argument   a null pointer; no elements; a range that wraps around the address space;
    ///                      pages that are not mapped, not readable, past the end of a mapped file, or
    ///                      not writable although T is not const; the stack of the calling thread,
    ///                      because its pages are reused by later functions: use share() or a copy
    ///   unsupported        the device does not accept this memory; the message gives the reason
    ///   out_of_memory      the limit of locked memory is reached
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

    std::size_t size() const noexcept { return span_.size(); } ///< Number of elements.
    std::size_t size_bytes() const noexcept { return span_.size_bytes(); }
    bool empty() const noexcept { return span_.empty(); }
    std::span<T> span() const noexcept { return span_; } ///< The memory of the caller.
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

    /// For use by the library only.
    detail::Region region() const noexcept {
        return {range_.memory.get(), range_.offset, span_.size_bytes()};
    }

private:
    detail::ImportedRange range_;
    std::span<T> span_;
};

} // namespace ferry
