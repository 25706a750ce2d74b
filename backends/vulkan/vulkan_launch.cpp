// SPDX-License-Identifier: Apache-2.0
#include "emit_spirv/vulkan_interface.hpp"
#include "vulkan_commands.hpp"
#include "vulkan_device.hpp"
#include "vulkan_kernel.hpp"

#include <algorithm>
#include <cstring>

namespace ferry::vulkan {
namespace {

namespace convention = emit_spirv::vulkan;
using ArgumentKind = ferry::detail::ArgumentKind;

using Sizes = std::array<std::size_t, 3>;

/// Writes the arguments to their places in a block of `limit` bytes.
void place_arguments(const EntryLayout& layout, std::span<const backend::Argument> arguments, std::byte* to,
                     std::size_t limit) {
    auto place = layout.members.begin();
    for (const backend::Argument& argument : arguments) {
        if (argument.kind == ArgumentKind::local || place == layout.members.end()) {
            continue;
        }
        if (argument.kind == ArgumentKind::buffer) {
            const backend::Place& from = argument.place;
            const std::uint64_t address = from.memory != nullptr ? from.memory->address + from.offset : 0;
            std::memcpy(to + place->offset, &address, std::min(sizeof address, limit - place->offset));
        } else { // A vector of three components takes the place of four.
            std::memcpy(to + place->offset, argument.value, std::min(argument.bytes, limit - place->offset));
        }
        ++place;
    }
}

std::uint32_t dimensions_of(const Grid& grid) noexcept {
    const auto uses = [](std::size_t groups, std::size_t local, std::size_t offset) {
        return groups > 1 || local > 1 || offset != 0;
    };
    return uses(grid.groups.z, grid.local.z, grid.offset.z)   ? 3
           : uses(grid.groups.y, grid.local.y, grid.offset.y) ? 2
                                                              : 1;
}

Sizes groups_of(const Grid& grid) noexcept {
    return {grid.groups.x, grid.groups.y, grid.groups.z};
}

} // namespace

Launch::Launch(VulkanDevice& device, VulkanKernel& of, const Grid& over,
               std::span<const backend::Argument> with)
    : kernel(of), grid(over), arguments(with) {
    const std::array<std::uint32_t, 3>& most = device.traits().max_groups;
    const Sizes groups = groups_of(grid);
    const bool divided = groups[0] > most[0] || groups[1] > most[1] || groups[2] > most[2];
    VulkanEntry& entry = kernel.entry();
    if (divided && !entry.layout().launch_offset && !entry.is_compiled()) {
        throw Error(
            Code::unsupported,
            "The device takes at most " + std::to_string(most[0]) + " x " + std::to_string(most[1]) + " x " +
                std::to_string(most[2]) +
                " groups in one launch, and the module has no struct ferry_launch, with which a larger "
                "one can be divided");
    }
    LaunchConstants constants(grid.local);
    for (const backend::Argument& argument : arguments) {
        if (argument.kind == ArgumentKind::local) {
            constants.add_local(argument.bytes);
        }
    }
    pipeline = entry.pipeline(constants);
}

bool Launch::prints() const noexcept {
    return kernel.entry().layout().prints;
}

void Launch::add(VulkanDevice& device, Commands& to, std::uint64_t print_buffer) const {
    const VulkanEntry& entry = kernel.entry();
    const EntryLayout& layout = entry.layout();
    const DeviceApi& api = device.api();
    const std::array<std::uint32_t, 3>& most = device.traits().max_groups;
    const Sizes groups = groups_of(grid);
    alignas(16) std::array<std::byte, most_push_bytes> push{};
    if (layout.has_block) {
        const Piece piece = to.stage(layout.block_bytes, layout.block_bytes, 256);
        place_arguments(layout, arguments, piece.host, layout.block_bytes);
        std::memcpy(push.data(), &piece.address, sizeof piece.address);
    } else {
        place_arguments(layout, arguments, push.data(), layout.push_bytes);
    }
    convention::Launch launch;
    launch.dimensions = dimensions_of(grid);
    for (std::size_t d = 0; d < 3; ++d) {
        launch.groups[d] = static_cast<std::uint32_t>(groups[d]);
    }
    launch.offset = {grid.offset.x, grid.offset.y, grid.offset.z};
    launch.print_buffer = print_buffer;
    const std::size_t launch_bytes =
        layout.prints ? convention::printing_launch_bytes : convention::launch_bytes;
    const CommandBuffer buffer = to.begin_command(work());
    api.vkCmdBindPipeline.function(buffer, constant::bind_compute, pipeline);
    const auto dispatch = [&](const Sizes& base) {
        if (layout.launch_offset) {
            for (std::size_t d = 0; d < 3; ++d) {
                launch.group_base[d] = static_cast<std::uint32_t>(base[d]);
            }
            std::memcpy(push.data() + *layout.launch_offset, &launch, launch_bytes);
        }
        if (layout.push_bytes != 0) {
            api.vkCmdPushConstants.function(buffer, entry.pipeline_layout(), constant::compute_stage, 0,
                                            layout.push_bytes, push.data());
        }
        const auto part = [&](std::size_t d) {
            return static_cast<std::uint32_t>(std::min<std::size_t>(groups[d] - base[d], most[d]));
        };
        api.vkCmdDispatch.function(buffer, part(0), part(1), part(2));
    };
    for (std::size_t z = 0; z < groups[2]; z += most[2]) {
        for (std::size_t y = 0; y < groups[1]; y += most[1]) {
            for (std::size_t x = 0; x < groups[0]; x += most[0]) {
                dispatch({x, y, z});
            }
        }
    }
}

Work Launch::work_of(const VulkanKernel& kernel, const Grid& grid) noexcept {
    return {&kernel.entry().pace(),
            grid.groups.x * grid.groups.y * grid.groups.z * grid.local.x * grid.local.y * grid.local.z,
            kernel_work};
}

} // namespace ferry::vulkan
