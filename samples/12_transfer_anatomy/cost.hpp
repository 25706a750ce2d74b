// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

/// The cost of one copy in all threads of the process, including the driver's and the library's.
struct Cost {
    double wall_us = 0;
    double user_us = 0;   ///< processor time in the program and its libraries
    double system_us = 0; ///< processor time in the kernel, on behalf of this process
    double page_faults = 0;
    double switches = 0; ///< times a thread gave the processor away to wait
    /// Most systems learn at a clock's tick whether a thread is in the kernel. Times below two ticks, divided
    /// by the copies, cannot be told from none.
    double noise_us = 0;
};

/// Repeats `copy` until it has used `processor_seconds`, or `seconds` have passed, and divides.
Cost measure(const std::function<void()>& copy, double processor_seconds, double seconds);
