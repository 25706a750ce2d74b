// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_commands.hpp"
#include "driver/driver_compiler.hpp"
#include "driver/driver_helper_text.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <numeric>
#include <string>

namespace ferry::driver {

/// Ferry's own kernels on one device, loaded at the first need. Where they cannot be had (no compiler, a
/// driver that refuses them) their users go on without; a device is never refused for it.
template <class V>
class Helpers {
public:
    static constexpr std::size_t largest_pattern = 1024;
    static constexpr std::size_t copies_at_once = 160;
    /// Above this size a copy by the vendor is as fast.
    static constexpr std::size_t largest_copy = std::size_t{256} << 10;
    /// The size of a fill, and the number of copies of a batch, that justify loading the kernels.
    static constexpr std::size_t worth_filling = std::size_t{1} << 20;
    static constexpr std::size_t worth_copying = 8;

    struct Copy {
        std::uint64_t to, from, bytes;
    };
    struct Copies {
        Copy copy[copies_at_once];
    };

    Helpers(DeviceContext<V>& context, Compiler<V>& compiler, const DeviceInfo& info)
        : context_(&context), compiler_(&compiler), info_(&info) {}

    /// Loads them the first time, if it is worthwhile.
    bool available(bool worth_loading) {
        if (state_.load(std::memory_order_acquire) == State::not_loaded) {
            if (!worth_loading) {
                return false;
            }
            const std::lock_guard lock(mutex_);
            if (state_.load(std::memory_order_relaxed) == State::not_loaded) { // Stored only under the mutex.
                state_.store(load() ? State::loaded : State::refused, std::memory_order_release);
            }
        }
        // Not before the acquiring load above; after it the state does not change.
        return state_.load(std::memory_order_relaxed) == State::loaded;
    }

    /// Repeats a pattern of at most largest_pattern bytes.
    void fill(Commands<V>& commands, std::uint64_t to, std::size_t bytes, const void* pattern,
              std::size_t size) {
        Pattern kept; // NOLINT: filled as far as used
        std::memcpy(kept.bytes, pattern, size);
        std::uint64_t count = bytes;
        auto length = static_cast<std::uint32_t>(size);
        auto period = static_cast<std::uint32_t>(size / std::gcd(size, std::size_t{16}));
        void* parameters[] = {&to, &count, &length, &period, &kept};
        launch(commands, bytes, fill_, fill_groups(bytes, period, info_->compute_units), 1, parameters);
    }
    /// Each period needs a thread, and each 16 bytes one, until the device is full. A fill that occupies the
    /// device many times over uses short groups: 3 GiB on an H200 in 0.70 ms, or 0.75 if the device is filled
    /// once.
    static unsigned int fill_groups(std::size_t bytes, std::size_t period, unsigned int units) {
        const std::size_t pieces = bytes / 16;
        const std::size_t wanted = std::max(pieces, period) / threads + 1;
        const std::size_t full = std::size_t{std::max(units, 1U)} * groups_per_unit;
        const std::size_t least = period / threads + 1;
        const std::size_t many = std::min(pieces / (threads * stores_of_thread), most_groups);
        return static_cast<unsigned int>(
            std::min(wanted, many >= many_times * full ? many : std::max(full, least)));
    }

    /// Carries out the first `count` of them.
    void copy(Commands<V>& commands, Copies& copies, std::size_t count) {
        std::uint64_t longest = 0;
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < count; ++i) {
            longest = std::max(longest, copies.copy[i].bytes);
            bytes += copies.copy[i].bytes;
        }
        void* parameters[] = {&copies};
        launch(commands, bytes, copies_, static_cast<unsigned int>(count),
               static_cast<unsigned int>((longest + part - 1) / part), parameters);
    }

private:
    struct Pattern {
        unsigned char bytes[largest_pattern];
    };
    static constexpr unsigned int threads = 256;
    static constexpr std::size_t groups_per_unit = 8;
    static constexpr std::size_t stores_of_thread = 8;
    static constexpr std::size_t many_times = 4;
    static constexpr std::size_t most_groups = std::size_t{1} << 22; ///< The kernel counts in 32 bits.
    static constexpr std::size_t part = std::size_t{16} << 10;       ///< Bytes of a copy for one group.

    enum class State : std::uint8_t { not_loaded, loaded, refused };

    bool load() {
        try {
            const std::string image = V::helper_image(context_->api(), *compiler_, *info_);
            if (image.empty()) {
                return false;
            }
            const Api<V>& api = context_->api();
            const Guard<V> guard(*context_);
            handle::Module module = nullptr; // Lives as long as the device.
            return api.module_load(&module, image.c_str(), 0, nullptr, nullptr) == result::success &&
                   api.module_function(&fill_, module, "ferry_fill") == result::success &&
                   api.module_function(&copies_, module, "ferry_copies") == result::success;
        } catch (const std::exception&) { // The compiler's messages are not useful here.
            return false;
        }
    }
    static void launch(Commands<V>& commands, std::size_t bytes, handle::Function function,
                       unsigned int groups_x, unsigned int groups_y, void** parameters) {
        commands.launch_for(bytes, function, {{groups_x, groups_y, 1}, {threads, 1, 1}}, parameters);
    }

    DeviceContext<V>* context_;
    Compiler<V>* compiler_;
    const DeviceInfo* info_;
    std::mutex mutex_;
    std::atomic<State> state_{State::not_loaded};
    handle::Function fill_ = nullptr;
    handle::Function copies_ = nullptr;
};

} // namespace ferry::driver
