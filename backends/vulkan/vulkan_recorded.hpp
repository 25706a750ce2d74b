// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan_commands.hpp"
#include "vulkan_memory.hpp"
#include "vulkan_retired.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace ferry::vulkan {

class Stream;
class VulkanDevice;

/// The command buffers of a recording, with the memory for patterns and long argument lists. A buffer may be
/// pending any number of times, on any streams, and is not recorded again until all of that is done.
class RecordedBuffers final : public UsedObjects {
public:
    /// A command buffer. It takes commands after begin().
    class Form final : public Commands {
    public:
        Form(VulkanDevice& device, CommandBuffer buffer) : device_(device), buffer_(buffer) {}

        void begin();
        void end();
        /// After a failure.
        void abandon() noexcept;
        /// The next command runs after all before it. Otherwise only its further steps do.
        void separate() noexcept { separate_ = true; }
        void begin_next() noexcept { steps_ = 0; }

        CommandBuffer begin_command(const Work& work) override;
        Piece stage(std::size_t least, std::size_t most, std::size_t alignment) override;

        CommandBuffer buffer() const noexcept { return buffer_; }
        /// The stream uses it up to this value. Called before the submit, because it may fail.
        void used_by(Stream& stream, std::uint64_t value);
        bool is_pending();
        void wait();

        bool in_use = false; ///< A part of the recording has it.

    private:
        struct Use {
            Stream* stream = nullptr;
            std::uint64_t value = 0;
        };
        struct Block {
            std::unique_ptr<VulkanMemory> memory;
            std::size_t bytes = 0;
        };

        VulkanDevice& device_;
        CommandBuffer buffer_;
        bool is_recording_ = false;
        bool separate_ = false;
        Barriers barriers_;
        unsigned steps_ = 0; ///< Of the present command.
        std::vector<Use> uses_;
        std::vector<Block> blocks_;
        std::size_t block_ = 0, taken_ = 0; ///< The present block, and its bytes in use.
    };

    explicit RecordedBuffers(VulkanDevice& device);
    ~RecordedBuffers() override;

    /// A form that no part has and that is not pending. Waits for one if there are many.
    Form& lease(std::size_t parts);

private:
    VulkanDevice& device_;
    CommandPool pool_ = nullptr;
    std::deque<Form> forms_; ///< In the order of their first use.
};

} // namespace ferry::vulkan
