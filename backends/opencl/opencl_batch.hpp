// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "opencl_memory.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ferry::opencl {

/// The source of ferry_copies(), which performs the copies listed in a pack.
extern const char* const copies_text;

/// Many small copies as few commands. A list, and data from or to other host memory, are in page-locked
/// memory of the queue. One launch for each pair of memories works on the mirror of this memory on the
/// device.
class Packs {
public:
    /// Maximum size of packed copies; larger ones gain nothing. Copies from or to host memory are copied once
    /// more.
    static constexpr std::size_t largest_between = std::size_t{256} << 10;
    static constexpr std::size_t largest_with_host = std::size_t{64} << 10;
    /// The number of copies in a batch that justifies building the kernel, and using it, and the number
    /// between the same two memories that justifies a launch. A launch costs as much as two or three copies.
    static constexpr std::size_t worth_building = 64;
    static constexpr std::size_t worth_packing = 8;
    static constexpr std::size_t worth_launching = 4;

    struct Copy {
        OpenclMemory* from; ///< Null: host memory.
        OpenclMemory* to;
        const backend::BatchCopy* one;
    };
    /// A copy in the form that the kernel reads: offsets in the two memories.
    struct Listed {
        std::uint64_t from, to, bytes;
    };
    /// The part of the list that one launch performs.
    struct Launch {
        OpenclMemory* from; ///< Null: the pack.
        OpenclMemory* to;
        std::size_t first, count;
        std::uint64_t longest;
    };
    struct Arrival {
        std::size_t at; ///< In the pack.
        void* to;
        std::size_t bytes;
    };

    /// Selects the copies to pack, grouped by their memories; all others are in `rest`.
    void choose(std::span<const backend::BatchCopy> copies);
    /// Selects none.
    void give_up();

    /// Whether one of the chosen copies has an end in other host memory, so that the call may block.
    bool may_wait() const noexcept;

    /// Starts an empty pack after those in flight in its part of the ring. Returns false if the system
    /// refuses memory for it.
    bool begin(OpenclDevice& device);
    /// Moves to the next part, which may be used completely once its last command is done.
    void turn() noexcept { current_ = (current_ + 1) % parts_.size(); }
    bool is_used() const noexcept { return parts_[current_].used != 0; }
    void set_unused() noexcept { parts_[current_].used = 0; }
    OpenclMemory& part() noexcept { return *parts_[current_].memory; }
    /// The pack has been submitted to the device.
    void launched() noexcept { parts_[current_].used = up_end(); }
    /// The state of the part on the device is unknown; the queue has been waited for.
    void drop() noexcept { parts_[current_] = {}; }

    /// Adds the copy. Returns false if there is no room.
    bool add(const Copy& copy);
    /// Stores the list after the sources, so that one command transfers both. Returns its offset.
    std::size_t put_list();
    std::size_t up_begin() const noexcept { return begin_; }
    std::size_t up_end() const noexcept { return up_ + listed_.size() * sizeof(Listed); }
    std::size_t down_begin() const noexcept { return down_; }
    static constexpr std::size_t part_bytes = std::size_t{2} << 20;

    std::span<const Copy> chosen() const noexcept { return chosen_; }
    std::span<const backend::BatchCopy* const> rest() const noexcept { return rest_; }
    std::span<const Launch> launches() const noexcept { return launches_; }
    std::span<const Listed> listed() const noexcept { return listed_; }
    std::span<const Arrival> arrivals() const noexcept { return arrivals_; }

private:
    bool is_worth_launching(std::span<const Copy> group);

    // Members, so that a batch allocates nothing once they have grown.
    std::vector<Copy> chosen_;
    std::vector<const backend::BatchCopy*> rest_;
    std::vector<Listed> listed_;
    std::vector<Launch> launches_;
    std::vector<Arrival> arrivals_;
    struct Part {
        std::unique_ptr<OpenclMemory> memory;
        std::size_t used = 0; ///< Bytes used by earlier packs.
    };
    std::array<Part, 3> parts_;
    std::size_t current_ = 0;
    /// In the part: sources grow from the pack's begin, arrivals from the part's end.
    std::size_t begin_ = 0, up_ = 0, down_ = part_bytes;
};

} // namespace ferry::opencl
