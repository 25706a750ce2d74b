// SPDX-License-Identifier: Apache-2.0
#include "emit_spirv/vulkan_interface.hpp"
#include "vulkan_device.hpp"
#include "vulkan_kernel.hpp"
#include "vulkan_queue.hpp"

#include <algorithm>
#include <cstring>

namespace ferry::vulkan {
namespace {

namespace convention = emit_spirv::vulkan;
using ArgumentKind = ferry::detail::Argument::Kind;

/// Each local array starts at a multiple of it, and has a multiple of it.
constexpr std::size_t local_step = 16;
constexpr std::size_t most_constants = 3 + max_arguments;

using Sizes = std::array<std::size_t, 3>;

/// The specialisation constants of a launch: the group size, then the bytes of each local parameter.
struct Constants {
    Constants(const Dim3& local, std::span<const backend::Argument> arguments) {
        values = {static_cast<std::uint32_t>(local.x), static_cast<std::uint32_t>(local.y),
                  static_cast<std::uint32_t>(local.z)};
        for (const backend::Argument& argument : arguments) {
            if (argument.kind == ArgumentKind::local) {
                const std::size_t bytes = (argument.bytes + local_step - 1) / local_step * local_step;
                values[count++] = static_cast<std::uint32_t>(bytes);
            }
        }
    }
    std::span<const std::uint32_t> span() const noexcept { return {values.data(), count}; }

    std::array<std::uint32_t, most_constants> values{};
    std::size_t count = 3;
};

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

} // namespace

void VulkanQueue::launch(backend::Kernel& kernel, const Grid& grid,
                         std::span<const backend::Argument> arguments) {
    auto& entry = static_cast<VulkanKernel&>(kernel);
    const EntryLayout& layout = entry.layout();
    const DeviceApi& api = device_.api();
    const std::array<std::uint32_t, 3>& most = device_.traits().max_groups;
    const Sizes groups{grid.groups.x, grid.groups.y, grid.groups.z};
    const bool divided = groups[0] > most[0] || groups[1] > most[1] || groups[2] > most[2];
    if (divided && !layout.launch_offset && !entry.is_compiled()) {
        throw Error(
            Code::unsupported,
            "The device takes at most " + std::to_string(most[0]) + " x " + std::to_string(most[1]) + " x " +
                std::to_string(most[2]) +
                " groups in one launch, and the module has no struct ferry_launch, with which a larger "
                "one can be divided");
    }
    const Constants constants(grid.local, arguments);
    const Pipeline pipeline = entry.pipeline(constants.span());
    alignas(16) std::array<std::byte, most_push_bytes> push{};

    const std::lock_guard lock(stream_.mutex());
    if (layout.has_block) {
        const Piece piece = stream_.stage(layout.block_bytes, layout.block_bytes, 256);
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
    const CommandBuffer buffer = stream_.begin_command();
    api.vkCmdBindPipeline.function(buffer, constant::bind_compute, pipeline);
    const auto dispatch = [&](const Sizes& base) {
        if (layout.launch_offset) {
            for (std::size_t d = 0; d < 3; ++d) {
                launch.group_base[d] = static_cast<std::uint32_t>(base[d]);
            }
            std::memcpy(push.data() + *layout.launch_offset, &launch, sizeof launch);
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
    taken.kernel = true;
}

} // namespace ferry::vulkan
