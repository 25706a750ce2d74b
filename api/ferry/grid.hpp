// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ferry {

/// A size in up to three dimensions. A missing dimension is 1. x varies fastest.
struct Dim3 {
    std::size_t x = 1;
    std::size_t y = 1;
    std::size_t z = 1;

    constexpr Dim3() = default;
    constexpr Dim3(std::size_t nx, std::size_t ny = 1, std::size_t nz = 1) noexcept : x(nx), y(ny), z(nz) {}
    friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

/// The shape of a launch: the number of work-groups, and the number of work-items in each of them. A launch
/// has exactly groups x local work-items in each dimension; nothing is rounded. A launch rejects a grid that
/// has only groups or only local. covering() makes a grid from a number of work-items.
struct Grid {
    Dim3 groups{0, 0, 0}; ///< Work-groups (CUDA: the grid). Each at least 1.
    Dim3 local{0, 0, 0};  ///< Work-items in a group (CUDA: the block). Each at least 1.
    /// Offset of the launch, in work-items: get_global_id(d) starts at it, and get_global_offset(d) returns
    /// it. Local ids, group ids and all sizes do not change. Valid for OpenCL C programs built with
    /// BuildOptions::global_offsets (ferry_add_kernels: GLOBAL_OFFSETS), for SPIR-V and for OpenCL binaries.
    /// offset + groups x local must fit in size_t. On the host this sum is at most 2147483647; on NVIDIA's
    /// OpenCL the offset is at most 2147483647.
    Dim3 offset{0, 0, 0};
    /// Set by covering(items) instead of groups and local: the work-items that the launch has to cover.
    Dim3 items{0, 0, 0};

    /// True if the launch chooses groups and local.
    constexpr bool has_items() const noexcept { return (items.x | items.y | items.z) != 0; }
    /// True if the launch has an offset.
    constexpr bool has_offset() const noexcept { return (offset.x | offset.y | offset.z) != 0; }

    /// The smallest number of whole groups of size `local` that covers `items` work-items.
    ///
    /// The launch may have more work-items than `items`, and the kernel must do no work for those beyond the
    /// end. Put `if (i < n) { ... }` around the work and keep barriers outside of it. `if (i >= n) return;`
    /// is correct only in a kernel without barriers. If a work-item returns before a barrier that others
    /// reach, the behaviour is undefined in OpenCL C, and some drivers end the process. Zero items give zero
    /// groups, which a launch rejects.
    static constexpr Grid covering(Dim3 items, Dim3 local) noexcept {
        return {{groups_for(items.x, local.x), groups_for(items.y, local.y), groups_for(items.z, local.z)},
                local};
    }

    /// Like covering(items, local), but the launch chooses the group size for its kernel and device:
    /// Kernel::covering().
    static constexpr Grid covering(Dim3 items) noexcept { return {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, items}; }

    friend constexpr bool operator==(const Grid&, const Grid&) = default;

private:
    // Zero work-items per group give zero groups, so that the launch can reject them by name.
    static constexpr std::size_t groups_for(std::size_t items, std::size_t local) noexcept {
        return local == 0 ? 0 : items / local + (items % local != 0);
    }
};

} // namespace ferry
