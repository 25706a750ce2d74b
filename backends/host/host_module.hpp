// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/host_kernel.hpp>
#include <ferry/kernel.hpp>
#include <ferry/program.hpp>

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
/// fy_group.
struct ModuleGroup : HostGroup {
    Dim3 offset{0, 0, 0};
    const char** failure = nullptr; ///< a sentence comes here if the group cannot go on; it ends then
    unsigned long backwards = 0;    ///< 1: from the last work-item to the first; FY_STRICT code only
    /// Ends the launch, because that work-item did something wrong; does not return. FY_STRICT code only.
    void (*stop)(const char* what, const char* where, const unsigned long* item) = nullptr;
};
/// What a kernel that stopped in the middle of a group says: a sentence that lives as long as its module.
struct Stopped {
    const char* why;
};
struct ModuleKernel {
    const char* name;
    /// `count` groups side by side in x, the first of which is `group`.
    void (*run)(const ModuleGroup& group, void* const* arguments, unsigned long count);
    const ModuleParameter* parameters;
    unsigned long parameter_count;
    unsigned long local_bytes;
    unsigned long required_local[3];
};
struct Module {
    static constexpr unsigned long without_offsets = 4;
    static constexpr unsigned long with_offsets = 5;
    static constexpr unsigned long has_stack_bytes = 8; ///< a bit beside either

    unsigned long abi; ///< before the rest, whose form it tells
    unsigned long kernel_count;
    const ModuleKernel* kernels;
    unsigned long stack_bytes = 0; ///< only with has_stack_bytes: what any of the kernels needs, at most

    unsigned long version() const noexcept { return abi & ~has_stack_bytes; }
    /// Bytes; 0 if it is not known.
    unsigned long stack() const noexcept { return (abi & has_stack_bytes) != 0 ? stack_bytes : 0; }
};

static_assert(sizeof(HostGroup) == 9 * sizeof(unsigned long));
static_assert(sizeof(ModuleGroup) == 15 * sizeof(unsigned long));

/// The same. Throws Error (build_failed) if its version is another than the options ask for.
const Module& checked(const Module* module, const BuildOptions& options);

KernelInfo info_of(const ModuleKernel& kernel);

} // namespace ferry::host
