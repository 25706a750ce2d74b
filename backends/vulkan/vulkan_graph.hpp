// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "vulkan_commands.hpp"
#include "vulkan_recorded.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ferry::vulkan {

class Stream;
class VulkanDevice;

/// Recorded work as command buffers, which each replay submits again. The commands are divided into parts:
/// one submit each. A change makes only its part be recorded again, in another buffer while replays of the
/// old one are pending. A recording with a kernel that prints has no command buffers, because each replay
/// needs buffers of its own for the messages.
class VulkanGraph final : public backend::Graph {
public:
    VulkanGraph(VulkanDevice& device, std::span<const backend::RecordedCommand> commands);
    ~VulkanGraph() override;

    void change(std::size_t place, const backend::RecordedCommand& command) override;
    /// The stream's mutex is held. Sets `taken` when the driver has accepted a part.
    void replay(Stream& stream, backend::Queue::Taken& taken);

private:
    /// A command with its data.
    struct Command {
        backend::RecordedCommand native; ///< Its pointers are to the members below.
        std::vector<std::byte> values;   ///< The pattern, or the values of the arguments.
        std::vector<backend::Argument> arguments;
        /// A command runs after all commands of lower levels, and in any order with those of its own.
        std::uint32_t level = 0;

        void keep(const backend::RecordedCommand& command);
        bool is_empty() const noexcept;
    };
    struct Part {
        std::size_t first = 0, end = 0;        ///< In the order of `order_`.
        std::vector<Work> works;               ///< Of its commands.
        RecordedBuffers::Form* form = nullptr; ///< Null: it has to be recorded.
    };

    void set_levels();
    Work work_of(const Command& command) const;
    Launch launch_of(const Command& command) const;
    std::vector<Part> divide() const;
    bool is_badly_divided() const;
    void forget(Part& part) noexcept;
    void record(Part& part);
    void add(const Command& command, Commands& to) const;

    static constexpr std::size_t most_commands = 64; ///< Of a part.

    VulkanDevice& device_;
    std::vector<Command> commands_;
    std::vector<std::size_t> order_; ///< The commands that do something, by level.
    bool prints_ = false;
    std::vector<Part> parts_; ///< Empty if a kernel prints.
    std::unique_ptr<RecordedBuffers> buffers_;
};

} // namespace ferry::vulkan
