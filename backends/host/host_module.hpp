// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/host_kernel.hpp>
#include <ferry/kernel.hpp>

#include <cstddef>
#include <vector>

namespace ferry::host {

// The table of kernels that translated code ends with, as src/translate/prelude/workitem.inc declares it
// (fy_module): C types only, because the code is compiled by itself.
struct ModuleParameter {
    const char* name;
    const char* type;
    int kind;            ///< detail::Argument::Kind
    int scalar;          ///< ScalarType
    unsigned long bytes; ///< of the value, or of one element
    int read_only;       ///< 1: a pointer to const, 2: to __constant memory
};
struct ModuleKernel {
    const char* name;
    /// `count` groups side by side in x, the first of which is `group`.
    void (*run)(const HostGroup& group, void* const* arguments, unsigned long count);
    const ModuleParameter* parameters;
    unsigned long parameter_count;
    unsigned long local_bytes;
    unsigned long required_local[3];
};
struct Module {
    static constexpr unsigned long current_abi = 2;

    unsigned long abi;
    unsigned long kernel_count;
    const ModuleKernel* kernels;
};

// What the kernels get is what fy_group is.
static_assert(sizeof(HostGroup) == 9 * sizeof(unsigned long));

KernelInfo info_of(const ModuleKernel& kernel);

} // namespace ferry::host
