// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "strict/strict_fence.hpp"

#include <memory>
#include <type_traits>

namespace ferry::host {

/// Installs the fault handler, once in a process. A fault (SIGSEGV, SIGBUS, SIGFPE of an integer division)
/// inside trapped() ends there. A fault of the program itself in fenced memory is described on standard
/// error, and then the signal is handled as before: by the earlier handler, or by the end of the process.
void install_fault_handler();

/// Calls `work(context)`. Returns false, with the fault, if a fault ended it. Objects of the interrupted code
/// are not destroyed, so it may only call a kernel or a copy.
bool trapped(void (*work)(void* context), void* context, Fault& fault);
/// For the work inside trapped(): ends it with this fault. Returns only outside of it.
void end_trapped(const Fault& fault);

template <class Work>
bool trapped(const Work& work, Fault& fault) {
    return trapped([](void* context) { (*static_cast<const Work*>(context))(); },
                   const_cast<void*>(static_cast<const void*>(std::addressof(work))), fault);
}

} // namespace ferry::host
