// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/backend.hpp"
#include "opencl_memory.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ferry::opencl {

/// The text of ferry_copies(), which carries out what a pack lists.
extern const char* const copies_text;

/// Many small copies as few commands: a list, and what comes from or goes to other host memory, lie in
/// page-locked memory of the queue, whose mirror on the device one launch for each two memories works on.
class Packs {
public:
    /// Copies up to that size; larger ones gain nothing. From or to host memory they are copied once more.
    static constexpr std::size_t largest_between = std::size_t{256} << 10;
    static constexpr std::size_t largest_with_host = std::size_t{64} << 10;
    /// From how many copies on a batch is worth building the kernel, and using it; and how many between the
    /// same two memories are worth a launch. A launch costs what two or three copies do.
    static constexpr std::size_t worth_building = 64;
    static constexpr std::size_t worth_packing = 8;
    static constexpr std::size_t worth_launching = 4;

    struct Copy {
        OpenclMemory* from; ///< null: the host's
        OpenclMemory* to;
        const backend::BatchCopy* one;
    };
    /// A copy as the kernel reads it: offsets in the two memories.
    struct Listed {
        std::uint64_t from, to, bytes;
    };
    /// Those of the list that one launch carries out.
    struct Launch {
        OpenclMemory* from; ///< null: the pack
        OpenclMemory* to;
        std::size_t first, count;
        std::uint64_t longest;
    };
    struct Arrival {
        std::size_t at; ///< in the pack
        void* to;
        std::size_t bytes;
    };

    /// Sorts out those that are worth it, grouped by their memories; the others are in `rest`.
    void choose(std::span<const backend::BatchCopy> copies);
    /// None after all.
    void give_up();

    /// Whether one of the chosen has an end in other host memory, so that the call may block.
    bool may_wait() const noexcept;

    /// An empty pack, behind those that are under way in its part of the ring. False if the system gives no
    /// memory for it.
    bool begin(OpenclDevice& device);
    /// The next part, all of which may be used once its last command is over.
    void turn() noexcept { current_ = (current_ + 1) % parts_.size(); }
    bool is_used() const noexcept { return parts_[current_].used != 0; }
    void set_unused() noexcept { parts_[current_].used = 0; }
    OpenclMemory& part() noexcept { return *parts_[current_].memory; }
    /// The pack is with the device.
    void launched() noexcept { parts_[current_].used = up_end(); }
    /// Nobody knows when the device is done with the part; the queue has been waited for.
    void drop() noexcept { parts_[current_] = {}; }

    /// Takes the copy up. False if it has no room.
    bool add(const Copy& copy);
    /// Behind the sources, so that one command carries both. Its place.
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

    // Members so that a batch allocates nothing once they have grown.
    std::vector<Copy> chosen_;
    std::vector<const backend::BatchCopy*> rest_;
    std::vector<Listed> listed_;
    std::vector<Launch> launches_;
    std::vector<Arrival> arrivals_;
    struct Part {
        std::unique_ptr<OpenclMemory> memory;
        std::size_t used = 0; ///< bytes, by packs before this
    };
    std::array<Part, 3> parts_;
    std::size_t current_ = 0;
    /// In the part: sources grow from the pack's begin, arrivals from the part's end.
    std::size_t begin_ = 0, up_ = 0, down_ = part_bytes;
};

} // namespace ferry::opencl
