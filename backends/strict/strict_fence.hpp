// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/poison.hpp"
#include "system/fault.hpp"
#include "system/pages.hpp"

#include <ferry/memory.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ferry::host {

/// The bytes around a fenced range, and the alignment of its begin.
constexpr std::byte guard_byte{0xC5};
constexpr std::size_t guard_alignment = 64;

/// The role of a range, for the description of an invalid access. trial: a copy for a launch that runs again.
/// shared: pages that are protected from the host because the device has a later version.
enum class Role : std::uint8_t { buffer, launch_copy, trial, mapping, imported, shared };

struct Owner {
    Role role{};
    MemoryKind kind{};        ///< Of the buffer: device, host or imported.
    std::uint64_t number = 0; ///< Of the buffer.
    std::size_t bytes = 0;    ///< Of the whole buffer.
    std::size_t offset = 0;   ///< Of the range in the buffer.
    const char* kernel = "";  ///< shared: the kernel that wrote the later version. Lives as long as the
                              ///< process.
};

/// "device buffer #3 of 4096 bytes"
std::string describe(const Owner& owner);

/// Faults in `whole` are described as faults of the `bytes` at `data` in it, until unlist(). Returns 0 if the
/// list is full.
std::size_t list(const void* whole, std::size_t whole_bytes, const void* data, std::size_t bytes,
                 const Owner& owner);
void unlist(std::size_t slot) noexcept;

using detail::poison;
using detail::unpoisoned;

/// Memory on its own pages between two pages without access rights, or more for a trial. Its end is as close
/// to the second of them as an alignment of 64 permits. The bytes between hold a pattern that is checked
/// later. The memory is poisoned at first. After its destruction its addresses stay unused for a while, so
/// that later accesses are detected; those of a trial do not.
class Fence {
public:
    /// `offset % 64` of the owner is kept, so that a range has the alignment of its place in the buffer.
    /// Throws Error (out_of_memory).
    Fence(std::size_t bytes, const Owner& owner);
    Fence(const Fence&) = delete;
    Fence& operator=(const Fence&) = delete;
    ~Fence();

    std::byte* data() const noexcept { return data_; }
    std::size_t bytes() const noexcept { return bytes_; }

    void allow(detail::PageRights rights) const noexcept;
    /// The end of a sentence about written bytes around the range. Restores these bytes. Needs
    /// PageRights::all.
    std::optional<std::string> damage() const;

private:
    std::byte* whole_ = nullptr; ///< With both guard areas.
    std::size_t whole_bytes_ = 0;
    std::size_t margin_ = 0; ///< bytes of each guard
    std::byte* data_ = nullptr;
    const std::size_t bytes_;
    const Role role_;
    std::size_t slot_ = 0;
};

using detail::Fault;

/// Text without heap allocation, also for a signal handler: "read byte 4100 of device buffer #3 of 4096
/// bytes, 5 bytes past its end".
class FaultText {
public:
    /// `by_host`: the fault occurred outside of a command.
    FaultText(const Fault& fault, bool by_host) noexcept;
    const char* c_str() const noexcept { return text_.data(); }
    std::size_t size() const noexcept { return size_; }
    /// Whether the address is in an import or a fenced range, including ranges of the past.
    bool known() const noexcept { return known_; }

private:
    void put(const char* text) noexcept;
    void put(std::uint64_t number, unsigned base = 10) noexcept;
    std::array<char, 400> text_{};
    std::size_t size_ = 0;
    bool known_ = false;
};

} // namespace ferry::host
