// SPDX-License-Identifier: Apache-2.0
#include "../ferry_double.h"
#include "forward.hpp"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <optional>

// A device that is lost at a submit. FERRY_DOUBLE_VULKAN_LOST and ferry_double_inject() say at which.
namespace vulkan_double {
namespace {

struct Loss {
    unsigned submits = 0; ///< Until the device is lost, this one included. 0: never.
    bool is_late = false; ///< That submit succeeds, and its work does not run.
};

std::mutex mutex; // Also because several queues may be one of the driver's, which takes one call at a time.
Loss loss;        // Guarded by the mutex, as is the next one.
bool is_lost = false; ///< For good.

/// "lost@3", "late@1", or empty. Nothing if it is not understood.
std::optional<Loss> parse(const std::string& text) {
    if (text.empty()) {
        return Loss();
    }
    const bool late = text.starts_with("late@");
    unsigned submits = 0;
    const char* const begin = text.data() + std::min<std::size_t>(text.size(), 5);
    const char* const end = text.data() + text.size();
    if ((!late && !text.starts_with("lost@")) || std::from_chars(begin, end, submits).ptr != end ||
        submits == 0) {
        return std::nullopt;
    }
    return Loss{submits, late};
}

Result submit(Queue queue, std::uint32_t count, const SubmitInfo* submits, Fence fence) {
    const std::lock_guard lock(mutex);
    if (is_lost) {
        return constant::lost;
    }
    if (loss.submits == 0 || --loss.submits != 0) {
        return real().vkQueueSubmit(driver_queue(queue), count, submits, fence);
    }
    is_lost = true;
    // The work before it ends, because the program may release its memory now.
    static_cast<void>(wait_idle(queue));
    return loss.is_late ? constant::success : constant::lost;
}

bool lost() {
    const std::lock_guard lock(mutex);
    return is_lost;
}

Result wait(Device device, const SemaphoreWaitInfo* info, std::uint64_t timeout) {
    return lost() ? constant::lost : real().vkWaitSemaphores(device, info, timeout);
}

Result counter(Device device, Semaphore semaphore, std::uint64_t* value) {
    return lost() ? constant::lost : real().vkGetSemaphoreCounterValue(device, semaphore, value);
}

Result query(Device device, QueryPool pool, std::uint32_t first, std::uint32_t count, std::size_t bytes,
             void* data, std::uint64_t stride, std::uint32_t flags) {
    return lost() ? constant::lost
                  : real().vkGetQueryPoolResults(device, pool, first, count, bytes, data, stride, flags);
}

} // namespace

std::span<const Override> loss_functions() {
    static const bool is_set = [] {
        const std::string named = setting("FERRY_DOUBLE_VULKAN_LOST");
        const std::optional<Loss> wanted = parse(named);
        if (!wanted) {
            stop("FERRY_DOUBLE_VULKAN_LOST=" + named + " is none of lost@N, late@N");
        }
        const std::lock_guard lock(mutex);
        loss = *wanted;
        return true;
    }();
    static_cast<void>(is_set);
    static const Override list[] = {
        replacing(real().vkQueueSubmit, submit),
        replacing(real().vkWaitSemaphores, wait),
        replacing(real().vkGetSemaphoreCounterValue, counter),
        replacing(real().vkGetQueryPoolResults, query),
    };
    return list;
}

} // namespace vulkan_double

extern "C" __attribute__((visibility("default"))) int ferry_double_inject(const char* spec) {
    using namespace vulkan_double;
    const std::optional<Loss> wanted = parse(spec != nullptr ? spec : "");
    if (!wanted) {
        return 0;
    }
    const std::lock_guard lock(mutex);
    loss = *wanted; // A lost device stays lost.
    return 1;
}
