// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/argument.hpp>
#include <ferry/device.hpp>
#include <ferry/export.hpp>
#include <ferry/grid.hpp>
#include <ferry/kernel_info.hpp>
#include <ferry/source_location.hpp>
#include <ferry/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ferry {

namespace detail {
class KernelState;
}

/// An entry point of a program. A handle that is cheap to copy and keeps its program alive. Thread-safe: a
/// kernel stores no arguments; each launch captures its own. A moved-from kernel is empty.
class FERRY_API Kernel {
public:
    Kernel() noexcept = default;

    const std::string& name(SourceLocation where = SourceLocation::current()) const;
    const KernelInfo& info(SourceLocation where = SourceLocation::current()) const;
    /// The parameters in order. Also empty if the backend does not report them: see
    /// KernelInfo::parameters_known.
    std::span<const ParameterInfo> parameters(SourceLocation where = SourceLocation::current()) const;
    Device device(SourceLocation where = SourceLocation::current()) const;
    explicit operator bool() const noexcept { return state_ != nullptr; }

    /// The grid of a launch of this kernel with Grid::covering(items). The group size is the one that the
    /// kernel requires (reqd_work_group_size). Otherwise it is a size that suits the device: up to 256
    /// work-items, within the limits of the kernel and the device, with x a multiple of
    /// KernelInfo::preferred_multiple and no dimension larger than `items`. The launch may have more
    /// work-items than `items`. Zero items give zero groups. If the local arrays of a kernel depend on the
    /// group size, give the group size explicitly instead.
    Grid covering(Dim3 items, SourceLocation where = SourceLocation::current()) const;

    /// The maximum number of work-groups of this size that run at the same time on one compute unit
    /// (DeviceInfo::compute_units), limited by registers, local memory and work-items. 0: a group does not
    /// fit. `local_bytes`: bytes of all local<T>() arguments of the launch, each rounded up to 16. Empty if
    /// the backend cannot tell (OpenCL, Vulkan). On the host device a compute unit is a thread of the pool,
    /// which runs one group at a time: 1. Queries the driver and may initialise the device.
    ///
    /// Throws Error: invalid_argument (the group is larger than the device or the kernel allows, is not the
    /// required one, or needs more local memory than the device has), device_lost.
    std::optional<std::uint32_t> occupancy(Dim3 local, std::size_t local_bytes = 0,
                                           SourceLocation where = SourceLocation::current()) const;

    /// Makes in advance everything that a launch with groups of this shape needs, so that the first such
    /// launch does not wait for it: on Vulkan the pipeline, which takes some 10 ms, and on CUDA and HIP the
    /// permission for much local memory. It does nothing on the host and OpenCL devices. Some drivers (PoCL,
    /// lavapipe) also compile at the first launch with a group size, which cannot be prepared. A Recording
    /// prepares its launches itself.
    ///
    /// `grid`: the grid of the launch, also one of Grid::covering(items). Its number of groups has no effect.
    /// `local_bytes`: the bytes of each local<T>() argument, in order. Blocks until everything is made.
    /// Enqueues nothing. Later launches may have other groups; these are made when they are launched.
    ///
    /// Throws Error: invalid_argument (the launch would be refused for its grid or for its local memory, or
    /// `local_bytes` has another length than the kernel has local parameters), out_of_memory, device_lost, or
    /// another error of the driver.
    void prepare(const Grid& grid, std::span<const std::size_t> local_bytes = {},
                 SourceLocation where = SourceLocation::current()) const;

    /// For use by the library only.
    explicit Kernel(std::shared_ptr<detail::KernelState> state) noexcept : state_(std::move(state)) {}
    const std::shared_ptr<detail::KernelState>& state() const noexcept { return state_; }

private:
    std::shared_ptr<detail::KernelState> state_;
};

} // namespace ferry
