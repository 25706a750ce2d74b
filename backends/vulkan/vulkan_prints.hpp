// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emit_spirv/print_texts.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace ferry::vulkan {

class Stream;
class VulkanDevice;
class VulkanMemory;

/// The output of printf in kernels. Each launch that prints writes into a buffer of its own
/// (emit_spirv/print_texts.hpp). The host prints it to stdout before any call reports that the launch is
/// done. Thread-safe.
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
        bool is_done = false;
    };
    using Launches = std::list<Launch>;

    explicit Prints(VulkanDevice& device);
    ~Prints();

    /// One launch with an empty buffer.
    Launches lease();
    /// A leased launch, whose members are complete.
    void add(Launches launch) noexcept;
    /// Prints the messages of all launches that are done, in the order of their calls. Blocks while the
    /// standard output takes nothing. Throws Error.
    void drain();
    /// The device is lost: prints what the buffers of all launches have.
    void drain_lost() noexcept;
    /// The value of the stream after which a further launch may print: that of its oldest launch if it has
    /// many. Otherwise 0.
    std::uint64_t free_at(const Stream& stream);

private:
    /// Whether they are done.
    std::exception_ptr ask() noexcept;
    void print(bool is_lost);

    static constexpr std::size_t most_pending = 16; ///< Of a stream.
    static constexpr std::size_t most_free = 16;    ///< Buffers that wait for a launch.

    VulkanDevice& device_;
    std::atomic<std::size_t> count_{0}; ///< Of the pending launches.
    std::mutex mutex_;
    Launches pending_; ///< In the order of their calls.
    Launches free_;    ///< With empty buffers.
};

} // namespace ferry::vulkan
