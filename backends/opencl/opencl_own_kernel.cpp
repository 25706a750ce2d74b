// SPDX-License-Identifier: Apache-2.0
#include "opencl_own_kernel.hpp"

#include "opencl_device.hpp"
#include "opencl_kernel.hpp"
#include "opencl_program.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <string>

namespace ferry::opencl {

OpenclKernel* OwnKernel::get(OpenclDevice& device, bool worth_building) {
    if (state_.load(std::memory_order_acquire) == State::not_built) {
        if (!worth_building) {
            return nullptr;
        }
        const std::lock_guard lock(mutex_);
        if (state_.load(std::memory_order_relaxed) == State::not_built) { // Stored only under the mutex.
            state_.store(build(device) ? State::built : State::refused, std::memory_order_release);
        }
    }
    // Not before the acquiring load above; after it the state does not change.
    return state_.load(std::memory_order_relaxed) == State::built ? static_cast<OpenclKernel*>(kernel_.get())
                                                                  : nullptr;
}

bool OwnKernel::build(OpenclDevice& device) {
    constexpr std::size_t most = 256;
    try {
        program_ = build_program(device, Source::opencl_c(text_, std::string(name_) + ".cl"), {});
        kernel_ = program_->kernel(name_);
        if (kernel_ == nullptr) {
            return false;
        }
        const KernelInfo& info = kernel_->info();
        const std::size_t allowed = info.max_group_size != 0 ? std::min(info.max_group_size, most) : most;
        group_size_ = std::bit_floor(std::min<std::size_t>(allowed, device.info().max_local[0]));
        return group_size_ >= least_group;
    } catch (const std::exception&) { // The compiler's messages are not useful here.
        return false;
    }
}

} // namespace ferry::opencl
