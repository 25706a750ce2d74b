// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <shared_mutex>

namespace ferry::vulkan {

class VulkanMemory;

/// The memory of a device that the host can access, by its host addresses. Copies from and to it need no
/// staging, and would lose their place in the order of commands with it. An import may end while a copy uses
/// its pages as ordinary memory, so such a copy is staged, but between waits.
class HostRanges {
public:
    enum class Match : std::uint8_t {
        none,
        waits, ///< Imported memory, or only a part of the bytes is in a range.
        whole,
    };
    struct Found {
        Match match = Match::none;
        VulkanMemory* memory = nullptr; ///< Match::whole: contains all of the bytes.
        std::size_t offset = 0;
    };

    void add(const void* start, std::size_t bytes, VulkanMemory& memory, bool imported);
    void remove(const VulkanMemory& memory) noexcept;
    Found find(const void* start, std::size_t bytes) const;

private:
    struct Entry {
        std::size_t bytes = 0;
        VulkanMemory* memory = nullptr;
        bool imported = false;
    };

    mutable std::shared_mutex mutex_;
    std::multimap<std::uintptr_t, Entry> entries_; ///< Imports may overlap each other.
    std::size_t longest_ = 0;
};

} // namespace ferry::vulkan
