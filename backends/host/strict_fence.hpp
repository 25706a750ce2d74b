// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "poison.hpp"

#include <ferry/memory.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ferry::host {

/// What stands around a fenced range, and how its begin is aligned.
constexpr std::byte guard_byte{0xC5};
constexpr std::size_t guard_alignment = 64;

/// What a range is, for the words about whoever uses it wrongly.
/// trial: a copy for a launch that is run once more. shared: pages that the host has no rights to, since the
/// device has later bytes.
enum class Role : std::uint8_t { buffer, launch_copy, trial, mapping, imported, shared };

struct Owner {
    Role role{};
    MemoryKind kind{};        ///< of the buffer: device, host or imported
    std::uint64_t number = 0; ///< of the buffer
    std::size_t bytes = 0;    ///< of the whole buffer
    std::size_t offset = 0;   ///< of the range in the buffer
    const char* kernel = "";  ///< shared: who wrote the later bytes; lives as long as the process
};

/// "device buffer #3 of 4096 bytes"
std::string describe(const Owner& owner);

/// Faults in `whole` are explained as ones of the `bytes` at `data` in it, until unlist(). 0: the list is
/// full.
std::size_t list(const void* whole, std::size_t whole_bytes, const void* data, std::size_t bytes,
                 const Owner& owner);
void unlist(std::size_t slot) noexcept;

using detail::poison;
using detail::unpoisoned;

/// Memory on pages of its own between two pages that nobody may touch, or more for a trial. Its end lies
/// against the second of them, as far as an alignment of 64 lets it; what is left over holds bytes that are
/// looked at later. Poisoned to begin with. After the end of its life its addresses stay out of use for a
/// while, so that who still uses them is found; not those of a trial.
class Fence {
public:
    /// `offset % 64` of the owner is kept, so that a range is aligned as its place in the buffer.
    /// Throws Error (out_of_memory).
    Fence(std::size_t bytes, const Owner& owner);
    Fence(const Fence&) = delete;
    Fence& operator=(const Fence&) = delete;
    ~Fence();

    std::byte* data() const noexcept { return data_; }
    std::size_t bytes() const noexcept { return bytes_; }

    enum class Access : std::uint8_t { none, read, all };
    void allow(Access access) const noexcept;
    /// A sentence's end about bytes around the range that were written to; they are put right again. Needs
    /// Access::all.
    std::optional<std::string> damage() const;

private:
    std::byte* whole_ = nullptr; ///< with both guards
    std::size_t whole_bytes_ = 0;
    std::size_t margin_ = 0; ///< bytes of each guard
    std::byte* data_ = nullptr;
    const std::size_t bytes_;
    const Role role_;
    std::size_t slot_ = 0;
};

/// A wrong access to memory or a division without a result, as the processor or the kernel's code reported
/// it.
struct Fault {
    enum class Kind : std::uint8_t { access, read, write, division, reported };
    std::uintptr_t address = 0; ///< of the memory
    Kind kind{};
    const char* what = "";  ///< reported: "divided an integer by zero"; lives as long as the process
    const char* where = ""; ///< reported: "kernel.cl:3:5"; likewise
    std::array<unsigned long, 3> item{}; ///< reported: its global id
};

/// Words without the heap, for a signal handler too: "read byte 4100 of device buffer #3 of 4096 bytes, 5
/// bytes past its end".
class FaultText {
public:
    /// `by_host`: the fault happened outside of a command.
    FaultText(const Fault& fault, bool by_host) noexcept;
    const char* c_str() const noexcept { return text_.data(); }
    std::size_t size() const noexcept { return size_; }
    /// Whether the address lies in an import or a fenced range, of the past too.
    bool known() const noexcept { return known_; }

private:
    void put(const char* text) noexcept;
    void put(std::uint64_t number, unsigned base = 10) noexcept;
    std::array<char, 400> text_{};
    std::size_t size_ = 0;
    bool known_ = false;
};

} // namespace ferry::host
