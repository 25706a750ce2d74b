// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

/// The cost of one copy in all threads of the process, including the driver's and the library's.
struct Cost {
    double wall_us = 0;
    double user_us = 0;   ///< processor time in the program and its libraries
    double system_us = 0; ///< processor time in the kernel, on behalf of this process
    double page_faults = 0;
    double switches = 0; ///< how often a thread gave up the processor to wait
    /// Most systems find out only at a clock tick whether a thread is in the kernel. Times below two ticks,
    /// divided by the number of copies, cannot be distinguished from 0.
    double noise_us = 0;
};

/// Repeats `copy` until it has used `processor_seconds` or `seconds` have passed, and divides by the
/// repetitions.
Cost measure(const std::function<void()>& copy, double processor_seconds, double seconds);
