// SPDX-License-Identifier: Apache-2.0
#include "vulkan_long_kernels.hpp"

#include "trace/trace.hpp"

#include <ferry/source_location.hpp>

#include <utility>

namespace ferry::vulkan {

void LongKernels::add(const std::string& kernel, std::uint64_t nanoseconds) {
    std::string text = "Kernel '" + kernel + "' ran for " + std::to_string(nanoseconds / 1'000'000) +
                       " ms, and drivers of GPUs that draw the screen end kernels of more than some seconds "
                       "(amdgpu 2 s, xe 5 s)";
    if (trace::active()) {
        trace::write_range("warning: " + text, SourceLocation::current(), trace::now());
    }
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
}

std::string LongKernels::text() const {
    const std::lock_guard lock(mutex_);
    return text_;
}

} // namespace ferry::vulkan
