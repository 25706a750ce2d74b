// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_device.hpp"
#include "opencl_queue.hpp"

namespace ferry::opencl {

template <class Command>
void OpenclQueue::hand_over(Command command) {
    if (mapped_.empty()) {
        command();
        return;
    }
    const std::lock_guard lock(device_.handover_mutex());
    try {
        unmap_all();
        command();
    } catch (...) {
        map_all();
        throw;
    }
    map_all();
}

} // namespace ferry::opencl
