// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_kernel.hpp"
#include "opencl_mapping.hpp"

namespace ferry::opencl {

// A cl_kernel holds its arguments, so no other thread may set them before the command has captured them.
template <class Command>
void OpenclQueue::with_kernel(OpenclKernel& kernel, const Sizes& local, const Sizes& global,
                              const Command& command, bool moved) {
    const std::lock_guard lock(kernel.mutex());
    LaunchRecord* const record = kernel.record();
    const bool alone = record != nullptr && record->has_to_run_alone(local, global, moved);
    if (record != nullptr) {
        keep_apart(*record, alone);
    }
    // A launch may be several commands.
    const auto launched = [&] {
        release_stand_ins();
        if (record != nullptr) {
            record->used_by(number, progress_, commands_.count());
        }
    };
    try {
        hand_over(command);
    } catch (...) {
        launched();
        throw;
    }
    launched();
    if (alone) {
        try {
            record_alone(*record);
            record->launched_alone(local, global, moved);
        } catch (...) {
            record->forget();
            throw;
        }
    }
}

} // namespace ferry::opencl
