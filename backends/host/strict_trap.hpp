// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "strict_fence.hpp"

#include <memory>
#include <type_traits>

namespace ferry::host {

/// Sees to it that a fault (SIGSEGV, SIGBUS, SIGFPE of an integer division) inside trapped() ends there, and
/// that one of the program itself in fenced memory is explained on standard error before the signal goes its
/// usual way: to the handler that stood before, or to the end of the process. Once in a process.
void install_fault_handler();

/// Calls `work(context)`; false, with the fault, if it was cut short by one. Objects that the code in between
/// had are not destroyed then: what it called is a kernel or a copy.
bool trapped(void (*work)(void* context), void* context, Fault& fault);
/// For the work inside trapped(): cuts it short with that fault. Returns only outside of it.
void end_trapped(const Fault& fault);

template <class Work>
bool trapped(const Work& work, Fault& fault) {
    return trapped([](void* context) { (*static_cast<const Work*>(context))(); },
                   const_cast<void*>(static_cast<const void*>(std::addressof(work))), fault);
}

} // namespace ferry::host
