// SPDX-License-Identifier: Apache-2.0
#include "vulkan_long_kernels.hpp"

#include "trace/trace.hpp"

#include <ferry/source_location.hpp>

#include <algorithm>
#include <utility>

namespace ferry::vulkan {
namespace {

const char* const limit_text =
    "drivers of GPUs that draw the screen end kernels of more than some seconds (amdgpu 2 s, xe 5 s)";

} // namespace

void LongKernels::add(const std::string& kernel, std::uint64_t nanoseconds) {
    std::string text = "Kernel '" + kernel + "' ran for " + std::to_string(nanoseconds / 1'000'000) +
                       " ms, and " + limit_text;
    if (trace::active()) {
        trace::write_range("warning: " + text, SourceLocation::current(), trace::now());
    }
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
}

void LongKernels::begin_first_run(const std::shared_ptr<Pace>& kernel) {
    const std::lock_guard lock(mutex_);
    first_runs_.push_back(kernel);
}

void LongKernels::end_first_run(const Pace& kernel) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(first_runs_.begin(), first_runs_.end(),
                                    [&](const std::shared_ptr<Pace>& one) { return one.get() == &kernel; });
    if (found != first_runs_.end()) {
        first_runs_.erase(found);
    }
}

std::string LongKernels::text() const {
    const std::lock_guard lock(mutex_);
    if (first_runs_.empty()) {
        return text_;
    }
    std::string names;
    for (const std::shared_ptr<Pace>& kernel : first_runs_) {
        const std::string name = "'" + kernel->name() + "'";
        if (names.find(name) == std::string::npos) {
            names += (names.empty() ? "" : ", ") + name;
        }
    }
    return "The first run of " + names + " may not have ended, and " + limit_text;
}

} // namespace ferry::vulkan
