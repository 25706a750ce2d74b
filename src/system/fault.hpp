// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ferry::detail {

/// An invalid memory access or a division without a result, as reported by the processor or the kernel's
/// code.
struct Fault {
    enum class Kind : std::uint8_t { access, read, write, division, reported };
    std::uintptr_t address = 0; ///< Of the memory.
    Kind kind{};
    const char* what = "";  ///< reported: "divided an integer by zero". Lives as long as the process.
    const char* where = ""; ///< reported: "kernel.cl:3:5". Lives as long as the process.
    std::array<unsigned long, 3> item{}; ///< reported: its global id.
};

/// Describes a fault that no trapped() ends, in the signal handler, before the signal is handled as without
/// Ferry.
using DescribeFault = void (*)(const Fault& fault) noexcept;

/// Installs the fault handler, once in a process. A fault (SIGSEGV, SIGBUS, SIGFPE of an integer division)
/// inside trapped() ends there. Another invalid access is described, and then the signal is handled as
/// before: by the earlier handler, or by the end of the process.
void install_fault_handler(DescribeFault describe);

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

/// Writes to standard error. Safe in a signal handler.
void write_error(const char* text, std::size_t bytes) noexcept;

} // namespace ferry::detail
