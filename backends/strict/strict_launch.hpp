// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/host_launch.hpp"
#include "strict/strict_command.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ferry::host {

/// Runs a kernel function for every work-group of a grid, in a random order. A view of memory of kind host,
/// or imported, is copied for the launch, and the kernel's changes are written back afterwards: the worst
/// permitted behaviour of memory without coherence during a kernel. Local memory is poisoned for each group.
/// A kernel that may run its work-items in any order is run once more, backwards, on copies. Their final
/// bytes must equal those of the first run. If the kernel uses bytes of device buffers that no command has
/// written, it is run again on copies with other values in these bytes. No other byte may differ then.
class StrictLaunch final : public StrictCommand {
public:
    StrictLaunch(const Origin& origin, const Function& function, const KernelInfo& info, const Grid& grid,
                 std::span<const backend::Argument> arguments);

private:
    /// The launch's copy of its range of memory that the host sees.
    struct Shadow {
        Use use;
        const RangeInFlight* range = nullptr;
        std::vector<std::byte> taken;
        bool alone = false;      ///< At the time of the copy.
        std::uint64_t count = 0; ///< RangeInFlight::count() at that time.
        std::unique_ptr<Fence> copy;
    };
    struct Slot {
        std::vector<std::byte> value;
        void* address = nullptr;
        const StrictBlock* block = nullptr; ///< Of a buffer. Null for a null pointer.
        std::size_t offset = 0;
        std::size_t local_bytes = 0;
    };
    /// The direction of the groups in their order, and of the work-items in their group.
    struct Way {
        bool groups_backwards = false;
        bool items_backwards = false;
        std::size_t in_a_row = 0; ///< run that many groups by one thread; 0: all, by several threads
    };
    /// The numbers of StrictBlock::quiet(). Empty if another command writes to a device buffer of this one.
    using Quiet = std::optional<std::vector<std::uint64_t>>;
    /// Memory that the kernel may write to, one for each such use.
    struct Written {
        std::size_t use = 0;
        std::vector<std::byte> before;  ///< Before the launch.
        std::unique_ptr<Fence> trial{}; ///< The memory of the second run.
        std::vector<std::byte> other{}; ///< The result of the backward run.
    };

    /// Memory for running the kernel again.
    struct Trial {
        std::size_t use = 0;
        std::size_t first = 0; ///< the number of its first byte: those of all trials are counted through
        std::vector<std::byte> before;     ///< the launch
        UndefinedBytes::Marks undefined{}; ///< empty if there are none
        bool untouched = false;            ///< nothing ever wrote to the buffer
        std::unique_ptr<Fence> memory{};
    };
    /// The end of a run on the trials' memory.
    struct Outcome {
        std::optional<std::string> failure;
        std::vector<std::vector<std::byte>> left{}; ///< by the trials that the kernel may write to
    };
    /// The value of an undefined byte with that number and value.
    using Values = std::function<std::byte(std::size_t number, std::byte before)>;
    class UnwrittenReads;

    static std::vector<Use> uses_of(const KernelInfo& info, std::span<const backend::Argument> arguments);
    void act() override;
    const char* call() const noexcept override { return "launch"; }
    void bring_in(Shadow& shadow) const;
    void bring_back(Shadow& shadow) const;
    void act_on(const std::vector<std::byte*>& bases, Way way);
    void run_groups(std::size_t first, std::size_t last, Way way);
    Quiet quiet() const;
    std::vector<Trial> trials(const std::vector<std::byte*>& bases) const;
    void check_unwritten(const std::vector<std::byte*>& bases, std::vector<Trial> trials);
    /// The kernel may have written all that it may write to.
    void define_all() const;
    bool has_orders() const noexcept;
    std::vector<Written> written(const std::vector<std::byte*>& bases) const;
    void compare_orders(const std::vector<std::byte*>& bases, std::vector<Written>& written);
    void try_way(const std::vector<std::byte*>& bases, std::vector<Written>& written, Way way);
    void note(std::string what);
    /// The one that comes after `turn` others.
    Dim3 group_of(std::size_t turn) const noexcept {
        const std::size_t n = (turn * step_ + first_) % count_;
        return {n % grid_.groups.x, n / grid_.groups.x % grid_.groups.y, n / grid_.groups.x / grid_.groups.y};
    }

    const Function function_;
    const Grid grid_;
    std::size_t count_;
    std::size_t step_ = 1; ///< Group number i of the order is (i * step_ + first_) % count_.
    std::size_t first_ = 0;
    std::vector<Slot> slots_;
    std::vector<Shadow> shadows_;
    std::vector<void*> addresses_;
    std::size_t local_bytes_ = 0; ///< Of all local arguments, each with its guard bytes.
    std::atomic<bool> failed_{false};
    std::mutex mutex_;
    std::optional<std::string> failure_;
};

} // namespace ferry::host
