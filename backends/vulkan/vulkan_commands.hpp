// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "vulkan_pace.hpp"
#include "vulkan_staging.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace ferry::vulkan {

struct DeviceApi;
class VulkanDevice;
class VulkanKernel;
class VulkanMemory;

/// One side of a barrier.
struct Side {
    std::uint32_t stages, access;
};
inline constexpr Side everything{constant::stage_all,
                                 static_cast<std::uint32_t>(constant::access_read | constant::access_write)};
inline constexpr Side host_access{
    constant::stage_host,
    static_cast<std::uint32_t>(constant::access_host_read | constant::access_host_write)};
inline constexpr Side kernel_work{
    constant::stage_compute,
    static_cast<std::uint32_t>(constant::access_shader_read | constant::access_shader_write)};
/// Copies and fills.
inline constexpr Side copy_work{
    constant::stage_transfer,
    static_cast<std::uint32_t>(constant::access_transfer_read | constant::access_transfer_write)};
constexpr Side operator|(const Side& a, const Side& b) noexcept {
    return {a.stages | b.stages, a.access | b.access};
}
inline constexpr Side device_work = kernel_work | copy_work;

/// What is known of a command before it runs.
struct Work {
    const std::shared_ptr<Pace>* pace = nullptr; ///< Null: it takes hardly any time.
    std::uint64_t size = 0;                      ///< Work-items or bytes.
    Side side = device_work;
};

/// The commands of `after` that follow see the effects of those of `before`.
void add_barrier(const DeviceApi& api, CommandBuffer buffer, const Side& before = everything,
                 const Side& after = everything);

/// The barriers between the commands of one buffer. They name only the kinds of commands on both sides, since
/// a barrier between kernels alone takes less time. Effects of commands before the last barrier are made
/// available by that one, and commands around each barrier keep the order.
class Barriers {
public:
    /// The first barrier of the buffer has all commands and the host on both sides.
    void reset() noexcept { is_first_ = true; }
    /// The command runs after all earlier ones.
    void add(const DeviceApi& api, CommandBuffer buffer, const Side& command);
    /// The command has no order with those since the last barrier.
    void join(const Side& command) noexcept { before_ = before_ | command; }

private:
    Side before_{}; ///< The commands since the last barrier.
    bool is_first_ = true;
};

/// Takes commands: a stream, which submits them, or a recording, which keeps them.
class Commands {
public:
    Commands() = default;
    Commands(const Commands&) = delete;
    Commands& operator=(const Commands&) = delete;

    /// Begins a command, or a step of one, after the effects of everything before it.
    virtual CommandBuffer begin_command(const Work& work) = 0;
    /// Staging memory that the device may use until the next command is done.
    virtual Piece stage(std::size_t least, std::size_t most, std::size_t alignment) = 0;

protected:
    ~Commands() = default;
};

/// The copies between two memory objects.
void add_copies(VulkanDevice& device, Commands& to, const VulkanMemory& source, const VulkanMemory& target,
                std::span<const BufferCopy> regions);
/// Offsets are those of the memory objects.
void add_copy(VulkanDevice& device, Commands& to, const backend::Place& from, const backend::Place& target,
              std::size_t bytes);
void add_fill(VulkanDevice& device, Commands& to, const backend::Place& target, std::size_t bytes,
              const void* pattern, std::size_t size);
/// A launch whose arguments are valid while this lives. The constructor makes the pipeline if there is none.
struct Launch {
    Launch(VulkanDevice& device, VulkanKernel& of, const Grid& over, std::span<const backend::Argument> with);
    /// `print_buffer`: its address, if the kernel prints.
    void add(VulkanDevice& device, Commands& to, std::uint64_t print_buffer = 0) const;
    bool prints() const noexcept;
    Work work() const noexcept { return work_of(kernel, grid); }
    static Work work_of(const VulkanKernel& kernel, const Grid& grid) noexcept;

    VulkanKernel& kernel;
    const Grid& grid;
    std::span<const backend::Argument> arguments;
    Pipeline pipeline = nullptr;
};

} // namespace ferry::vulkan
