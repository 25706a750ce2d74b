// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_device.hpp"
#include "opencl_queue.hpp"

namespace ferry::opencl {

template <class Command>
void OpenclQueue::hand_over(Command command) {
    if (lent_.empty()) {
        command();
        return;
    }
    const std::lock_guard lock(device_.handover_mutex());
    try {
        lend_all();
        command();
    } catch (...) {
        take_all_back(false);
        throw;
    }
    take_all_back(true);
}

} // namespace ferry::opencl
