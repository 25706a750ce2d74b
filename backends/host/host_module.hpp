// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/host_kernel.hpp>
#include <ferry/kernel.hpp>
#include <ferry/program.hpp>

#include <cstddef>
#include <vector>

namespace ferry::host {

// The table of kernels at the end of translated code, as declared in src/translate/prelude/workitem.inc
// (fy_module). C types only, because the code is compiled separately.
struct ModuleParameter {
    const char* name;
    const char* type;
    int kind;            ///< detail::ArgumentKind.
    int scalar;          ///< ScalarType.
    unsigned long bytes; ///< Of the value, or of one element.
    int read_only;       ///< 1: a pointer to const, 2: to __constant memory.
};
/// fy_group.
struct ModuleGroup : HostGroup {
    Dim3 offset{0, 0, 0};
    const char** failure = nullptr; ///< Set to a sentence if the group cannot continue; it then ends.
    unsigned long backwards = 0;    ///< 1: from the last work-item to the first; FY_STRICT code only.
    /// Ends the launch because of an error of this work-item. Does not return. FY_STRICT code only.
    void (*stop)(const char* what, const char* where, const unsigned long* item) = nullptr;
};
/// The sentence of a kernel that stopped in the middle of a group. It lives as long as its module.
struct Stopped {
    const char* why;
};
struct ModuleKernel {
    const char* name;
    /// `count` groups adjacent in x, starting with `group`.
    void (*run)(const ModuleGroup& group, void* const* arguments, unsigned long count);
    const ModuleParameter* parameters;
    unsigned long parameter_count;
    unsigned long local_bytes;
    unsigned long required_local[3];
};
struct Module {
    static constexpr unsigned long without_offsets = 4;
    static constexpr unsigned long with_offsets = 5;
    static constexpr unsigned long has_stack_bytes = 8; ///< A bit in addition to either version.

    unsigned long abi; ///< First, because it determines the layout of the rest.
    unsigned long kernel_count;
    const ModuleKernel* kernels;
    unsigned long stack_bytes = 0; ///< Only with has_stack_bytes: the maximum that any of the kernels needs.

    unsigned long version() const noexcept { return abi & ~has_stack_bytes; }
    /// Bytes. 0 if not known.
    unsigned long stack() const noexcept { return (abi & has_stack_bytes) != 0 ? stack_bytes : 0; }
};

static_assert(sizeof(HostGroup) == 9 * sizeof(unsigned long));
static_assert(sizeof(ModuleGroup) == 15 * sizeof(unsigned long));

/// The same. Throws Error (build_failed) if its version differs from the one that the options require.
const Module& checked(const Module* module, const BuildOptions& options);

KernelInfo info_of(const ModuleKernel& kernel);

} // namespace ferry::host
