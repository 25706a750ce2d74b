// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ferry {

/// A size in up to three dimensions; a missing dimension is 1. x runs fastest.
struct Dim3 {
    std::size_t x = 1;
    std::size_t y = 1;
    std::size_t z = 1;

    constexpr Dim3() = default;
    constexpr Dim3(std::size_t nx, std::size_t ny = 1, std::size_t nz = 1) noexcept : x(nx), y(ny), z(nz) {}
    friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

/// The shape of a launch: how many work-groups, and how many work-items each of them has. The number of
/// work-items is exactly groups x local in each dimension; nothing is rounded. A launch refuses a grid that
/// has only groups or only local; covering() makes grids from a number of work-items.
struct Grid {
    Dim3 groups{0, 0, 0}; ///< work-groups (CUDA: the grid), each at least 1
    Dim3 local{0, 0, 0};  ///< work-items in a group (CUDA: the block), each at least 1
    /// Work-items by which the launch is moved: get_global_id(d) begins with it, and get_global_offset(d) is
    /// it; local ids, group ids and all sizes stay as they are. For programs of OpenCL C built with
    /// BuildOptions::global_offsets (ferry_add_kernels: GLOBAL_OFFSETS), SPIR-V and binaries of OpenCL.
    /// offset + groups x local fits size_t; on the host it is at most 2147483647, and so is an offset on
    /// NVIDIA's OpenCL.
    Dim3 offset{0, 0, 0};
    /// Set by covering(items), instead of groups and local: the work-items that the launch has to cover.
    Dim3 items{0, 0, 0};

    /// Whether the launch chooses groups and local.
    constexpr bool has_items() const noexcept { return (items.x | items.y | items.z) != 0; }
    /// Whether it is moved at all.
    constexpr bool has_offset() const noexcept { return (offset.x | offset.y | offset.z) != 0; }

    /// The smallest whole number of groups of size `local` that covers `items` work-items. The launch may
    /// have more work-items than `items`, and the kernel must not let those beyond the end do any work. Put
    /// `if (i < n) { ... }` around the work and keep barriers outside of it. `if (i >= n) return;` is correct
    /// only in a kernel without barriers: a work-item that returns before a barrier which others reach is
    /// undefined in OpenCL C, and some drivers end the process. Zero items give zero groups, which a launch
    /// refuses.
    static constexpr Grid covering(Dim3 items, Dim3 local) noexcept {
        return {{groups_for(items.x, local.x), groups_for(items.y, local.y), groups_for(items.z, local.z)},
                local};
    }

    /// The same with the group size that the launch chooses for its kernel and device: Kernel::covering().
    static constexpr Grid covering(Dim3 items) noexcept { return {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, items}; }

    friend constexpr bool operator==(const Grid&, const Grid&) = default;

private:
    // Zero work-items per group stay zero, so that the launch can refuse them by name.
    static constexpr std::size_t groups_for(std::size_t items, std::size_t local) noexcept {
        return local == 0 ? 0 : items / local + (items % local != 0);
    }
};

} // namespace ferry
