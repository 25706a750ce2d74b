// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emit_spirv/print_texts.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ferry::vulkan {

class Stream;
class VulkanDevice;
class VulkanMemory;

/// The output of printf in kernels. Each launch that prints writes into a buffer of its own
/// (emit_spirv/print_texts.hpp). The host prints it to stdout before anyone learns that the launch is done.
/// Thread-safe.
class Prints {
public:
    /// Of a launch, with the header.
    static constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

    struct Launch {
        Stream* stream = nullptr;
        std::uint64_t value = 0; ///< Of the stream, when the launch is done.
        std::unique_ptr<VulkanMemory> buffer;
        std::shared_ptr<const emit_spirv::PrintTexts> texts;
        std::string kernel;
    };

    explicit Prints(VulkanDevice& device);
    ~Prints();

    /// An empty buffer. Afterwards add() needs no memory.
    std::unique_ptr<VulkanMemory> lease();
    void add(Launch launch) noexcept;
    /// Prints the messages of all launches that are done. Those of a stream are in its order. Throws Error.
    void drain();
    /// The value of the stream after which a further launch may print: that of its oldest launch if it has
    /// many. Otherwise 0.
    std::uint64_t free_at(const Stream& stream);

private:
    static constexpr std::size_t most_pending = 16; ///< Of a stream.

    VulkanDevice& device_;
    std::atomic<std::size_t> count_{0}; ///< Of the pending launches.
    std::mutex mutex_;
    std::vector<Launch> pending_; ///< In the order of their calls.
    std::vector<std::unique_ptr<VulkanMemory>> free_;
};

} // namespace ferry::vulkan
