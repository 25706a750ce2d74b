// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"
#include "queue_state.hpp"
#include "share/ranges.hpp"

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

/// The pages of a span that the host may not touch now: a device has later bytes than all of theirs, and it
/// is one that finds mistakes (backend::Device::withholds_pages()). They have no rights, so that who uses
/// them without a guard faults. These are whole pages of the span. Its other bytes share a page with data
/// that is not the span's: they hold poison instead, so a read without a guard gives poison, and changed()
/// finds a write. Bytes outside of the span are not touched. Thread-safe.
class Withheld : public std::enable_shared_from_this<Withheld> {
public:
    Withheld(std::byte* data, std::size_t bytes) noexcept : data_(data), bytes_(bytes) {}
    Withheld(const Withheld&) = delete;
    Withheld& operator=(const Withheld&) = delete;
    ~Withheld() { give_back({0, bytes_}); }

    /// Bytes that a command writes on the device are to be withheld: once `written` is reached, if that went
    /// well, if they were not given back until then, and if `others`, who use the host's bytes, are done by
    /// then. Throws Error.
    void expect(Queue& queue, ByteRange range, const std::string& kernel, const Event& written,
                std::vector<Event> others, SourceLocation where);
    /// Somebody may use them again: the rights of all pages that overlap the range come back. Poison that
    /// overlaps it stays until it is overwritten, but changed() does not look at it any more.
    void give_back(ByteRange range) noexcept;
    /// Whether bytes of the caller's memory hold poison now.
    bool has_poison() const noexcept;
    /// Poisoned bytes that somebody has written to since, and the kernel that wrote later ones. Reports each
    /// part once. The memory has to be mapped.
    struct Change {
        ByteRange range;
        std::string kernel;
    };
    std::optional<Change> changed();
    /// Withheld, or expected to be.
    RangeSet ranges() const;

private:
    struct Part {
        ByteRange range;
        std::uint64_t number = 0; ///< of expect()
        bool pages = false;       ///< from page to page; else the bytes get poison
        bool held = false;        ///< else expected
        std::string kernel{};
        std::unique_ptr<backend::ExplainedFaults> explained{};
    };
    ByteRange whole_pages(ByteRange range) const noexcept;
    bool hold(Part& part, backend::Device& device);
    void withhold(std::uint64_t number, backend::Device& device, const std::vector<Event>& others);
    void forget(std::uint64_t number) noexcept;

    std::byte* const data_;
    const std::size_t bytes_;
    mutable std::mutex mutex_; // the rest
    std::vector<Part> parts_;
    std::uint64_t last_ = 0;
};

/// Whether all of these addresses are in pages that are withheld.
bool withheld_from_host(std::uintptr_t begin, std::uintptr_t end);
/// A number that is another one if pages were withheld, or given back, meanwhile.
std::uint64_t changes_of_withheld() noexcept;
/// The process ends: what runs after may read its memory, old as it may be. Gives up where a thread that does
/// not run any more has the list.
void give_back_all_withheld() noexcept;

} // namespace ferry::detail
