// SPDX-License-Identifier: Apache-2.0
#include "device/group_size.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace ferry::detail {
namespace {

using Sizes = std::array<std::size_t, 3>;

// Enough to hide memory latency on GPUs, and few enough for kernels with many registers.
constexpr std::size_t usual_group_size = 256;

std::size_t round_down(std::size_t n, std::size_t multiple) noexcept {
    return n < multiple ? n : n - n % multiple;
}

std::size_t at_most(std::size_t size, std::size_t limit) noexcept {
    return limit != 0 ? std::min(size, limit) : size;
}

Sizes suitable_local(const Sizes& items, const KernelInfo& kernel, const DeviceInfo& device) noexcept {
    const std::size_t multiple = std::max<std::size_t>(kernel.preferred_multiple, 1);
    Sizes limits{};
    for (std::size_t d = 0; d < limits.size(); ++d) {
        const std::size_t limit = device.max_local[d] != 0 ? device.max_local[d] : usual_group_size;
        limits[d] = std::max<std::size_t>(std::min(items[d], limit), 1);
    }
    std::size_t left = at_most(at_most(usual_group_size, device.max_group_size), kernel.max_group_size);
    Sizes local{1, 1, 1};
    const bool flat = limits[1] == 1 && limits[2] == 1;
    const std::size_t row = flat ? left : std::min(left, std::max<std::size_t>(multiple, 16));
    local[0] = round_down(std::min(row, limits[0]), multiple);
    left /= local[0];
    local[1] = std::min({limits[1], left, limits[2] == 1 ? left : std::size_t{4}});
    left /= local[1];
    local[2] = std::min(limits[2], left);
    left /= local[2];
    // The other dimensions may have left room.
    local[0] = round_down(std::min(local[0] * left, limits[0]), multiple);
    return local;
}

} // namespace

std::size_t preferred_group_size(const DeviceInfo& device) noexcept {
    return suitable_local({std::numeric_limits<std::size_t>::max(), 1, 1}, KernelInfo(), device)[0];
}

Grid covering_grid(Dim3 items, const KernelInfo& kernel, const DeviceInfo& device) noexcept {
    Sizes local = kernel.required_local;
    if (local[0] == 0) {
        local = suitable_local({items.x, items.y, items.z}, kernel, device);
    }
    return Grid::covering(items, {local[0], local[1], local[2]});
}

} // namespace ferry::detail
