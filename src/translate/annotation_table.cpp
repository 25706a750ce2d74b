// SPDX-License-Identifier: Apache-2.0
#include "annotations.hpp"

#include <array>

namespace ferry::translate {
namespace {

using enum Treatment;

constexpr std::array pragmas{
    Annotation{"once", implemented, "a file is included once"},
    Annotation{"push_macro, pop_macro", implemented, "keeps and restores the definition of a macro"},
    Annotation{"pack", implemented,
               "the alignment of structs defined at file scope, as in clang: pack(n), pack(), pack(push), "
               "pack(push, n), pack(pop); n is 1, 2, 4, 8 or 16. A vector in such a struct is refused"},
    Annotation{"unroll", implemented, "for the next loop. The host unrolls up to 16 times without a number"},
    Annotation{"OPENCL FP_CONTRACT, STDC FP_CONTRACT", implemented,
               "OFF: a * b + c is rounded twice, in the whole file. ON and DEFAULT have no effect"},
    Annotation{"OPENCL EXTENSION", harmless, "no extension beyond the macros below is there"},
    Annotation{"nounroll, clang loop, GCC unroll, GCC ivdep, ivdep, GCC novector, loop_opt, vector, novector",
               harmless, "hints for loops"},
    Annotation{"simd, omp, acc", harmless, "hints for loops"},
    Annotation{
        "message, region, endregion, mark, ident, comment, GCC diagnostic, clang diagnostic, GCC warning",
        harmless, "messages and other things that generate no code"},
    Annotation{"GCC system_header, clang system_header, GCC poison, warning, diag_suppress, "
               "nv_diag_suppress, nv_diag_default",
               harmless, "messages and other things that generate no code"},
    Annotation{"nv_diagnostic, GCC visibility, clang assume_nonnull", harmless,
               "messages and other things that generate no code"},
    Annotation{"STDC CX_LIMITED_RANGE, STDC FENV_ACCESS", harmless,
               "there are no complex numbers, and kernels cannot reach the floating-point environment"},
    Annotation{"GCC push_options, GCC pop_options, GCC reset_options", harmless,
               "the options themselves are refused"},
    Annotation{"GCC error", refused, "the text asks for an error here"},
    Annotation{"GCC optimize, GCC target, clang optimize, optimize", refused,
               "compiler options belong in BuildOptions"},
    Annotation{"OPENCL SELECT_ROUNDING_MODE, STDC FENV_ROUND, clang fp, float_control, fp_contract, "
               "fenv_access",
               refused, "the rounding of a part of a text cannot be set; use #pragma OPENCL FP_CONTRACT"},
    Annotation{"clang attribute, clang section, redefine_extname, weak", refused,
               "it changes declarations in a way that is not implemented"},
    Annotation{"align, options, ms_struct, scalar_storage_order", refused,
               "this layout of structs is not implemented; use #pragma pack or __attribute__((packed))"},
};

constexpr std::array attributes{
    Annotation{"reqd_work_group_size", implemented,
               "of a kernel; a launch with another group is an error that names both"},
    Annotation{"aligned, packed", implemented,
               "of structs, members, variables and types. Refused: a vector in a packed struct, and an "
               "alignment of a vector type in a typedef"},
    Annotation{"may_alias", implemented, "of a typedef"},
    Annotation{"opencl_unroll_hint", implemented, "before a loop, as #pragma unroll"},
    Annotation{"work_group_size_hint, vec_type_hint, max_work_group_size, amdgpu_flat_work_group_size, "
               "amdgpu_waves_per_eu, amdgpu_num_sgpr, amdgpu_num_vgpr, num_simd_work_items",
               harmless, "hints for the size of a work-group or the use of the hardware"},
    Annotation{"num_compute_units, max_global_work_dim", harmless,
               "hints for the size of a work-group or the use of the hardware"},
    Annotation{"always_inline, gnu_inline, noinline, flatten, hot, cold, leaf, artificial, const, pure, "
               "convergent, optnone, noclone, nothrow, noreturn, returns_nonnull",
               harmless, "hints for the compiler; those that are promises change no correct kernel"},
    Annotation{"nonnull, malloc, alloc_size, assume_aligned, no_instrument_function, no_sanitize, no_builtin",
               harmless, "hints for the compiler; those that are promises change no correct kernel"},
    Annotation{"unused, maybe_unused, used, deprecated, unavailable, warn_unused_result, warning, "
               "fallthrough, annotate, nodebug, format, format_arg, sentinel, visibility",
               harmless, "warnings and other things that generate no code"},
    Annotation{"nosvm, no_address_safety_analysis", harmless,
               "warnings and other things that generate no code"},
    Annotation{"endian", harmless, "every device has the byte order of the host"},
    Annotation{"overloadable", implemented, "of functions with one name and different parameters"},
    Annotation{"ext_vector_type", implemented, "of a typedef; 2, 3, 4, 8 or 16 components, as in float4"},
    Annotation{"vector_size, neon_vector_type", refused,
               "these vectors are not those of OpenCL C; use float4 and its like, or ext_vector_type"},
    Annotation{"mode", refused, "types are named by their words; use char, short, int or long"},
    Annotation{"intel_reqd_sub_group_size, qcom_reqd_sub_group_size, reqd_sub_group_size", refused,
               "the width of a sub-group is the device's; read get_sub_group_size()"},
    Annotation{"ms_struct, gcc_struct, scalar_storage_order, transparent_union", refused,
               "this layout of structs is not implemented; use packed and aligned"},
    Annotation{"optimize, target", refused, "compiler options belong in BuildOptions"},
    Annotation{"address_space, section, alias, weak, cleanup, constructor, destructor, asm", refused,
               "it changes a declaration in a way that is not implemented"},
};

} // namespace

std::span<const Annotation> known_pragmas() noexcept {
    return pragmas;
}

std::span<const Annotation> known_attributes() noexcept {
    return attributes;
}

} // namespace ferry::translate
