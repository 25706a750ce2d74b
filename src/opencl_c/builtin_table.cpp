// SPDX-License-Identifier: Apache-2.0
#include "builtin_table.hpp"

namespace ferry::opencl_c {
namespace {

constexpr Row rows[] = {
    // 6.12.1 work-items
    {"get_work_dim", Set::none, "uint"},
    {"get_global_size get_global_id get_local_size get_local_id get_num_groups get_group_id "
     "get_global_offset",
     Set::none, "size_t uint"},
    // sub-groups
    {"get_sub_group_size get_max_sub_group_size get_num_sub_groups get_enqueued_num_sub_groups "
     "get_sub_group_id "
     "get_sub_group_local_id",
     Set::none, "uint"},
    {"sub_group_any sub_group_all work_group_any work_group_all", Set::none, "int int"},
    {"sub_group_broadcast sub_group_shuffle sub_group_shuffle_xor sub_group_shuffle_up "
     "sub_group_shuffle_down "
     "intel_sub_group_shuffle intel_sub_group_shuffle_xor",
     Set::reduced, "T T uint"},
    {"intel_sub_group_shuffle_up intel_sub_group_shuffle_down", Set::reduced, "T T T uint"},
    {"sub_group_reduce_add sub_group_reduce_min sub_group_reduce_max sub_group_scan_inclusive_add "
     "sub_group_scan_inclusive_min sub_group_scan_inclusive_max sub_group_scan_exclusive_add "
     "sub_group_scan_exclusive_min sub_group_scan_exclusive_max work_group_reduce_add work_group_reduce_min "
     "work_group_reduce_max work_group_scan_inclusive_add work_group_scan_inclusive_min "
     "work_group_scan_inclusive_max work_group_scan_exclusive_add work_group_scan_exclusive_min "
     "work_group_scan_exclusive_max",
     Set::reduced, "T T"},
    {"work_group_broadcast", Set::reduced, "T T size_t"},
    {"work_group_broadcast", Set::reduced, "T T size_t size_t"},
    {"work_group_broadcast", Set::reduced, "T T size_t size_t size_t"},
    {"sub_group_ballot", Set::none, "uint4 int"},
    {"sub_group_inverse_ballot", Set::none, "int uint4"},
    {"sub_group_ballot_bit_extract", Set::none, "int uint4 uint"},
    {"sub_group_ballot_bit_count sub_group_ballot_inclusive_scan sub_group_ballot_exclusive_scan "
     "sub_group_ballot_find_lsb sub_group_ballot_find_msb",
     Set::none, "uint uint4"},
    {"get_sub_group_eq_mask get_sub_group_ge_mask get_sub_group_gt_mask get_sub_group_le_mask "
     "get_sub_group_lt_mask",
     Set::none, "uint4"},
    // 6.12.2 math
    {"acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp exp2 exp10 "
     "expm1 fabs floor lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi "
     "tgamma trunc degrees radians sign",
     Set::floats, "T T"},
    {"atan2 atan2pi copysign fdim fmod hypot maxmag minmag nextafter pow powr remainder fmax fmin step",
     Set::floats, "T T T"},
    {"fmax fmin", Set::floats, "T T E"},
    {"fma mad mix smoothstep", Set::floats, "T T T T"},
    {"fract modf sincos", Set::floats, "T T *T"},
    {"frexp lgamma_r", Set::floats, "T T *i"},
    {"remquo", Set::floats, "T T T *i"},
    {"ilogb", Set::floats, "i T"},
    {"ldexp pown rootn", Set::floats, "T T i"},
    {"ldexp pown rootn", Set::floats, "T T int"},
    {"nan", Set::floats, "T J"},
    {"native_cos native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_recip "
     "native_rsqrt "
     "native_sin native_sqrt native_tan half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 "
     "half_recip half_rsqrt half_sin half_sqrt half_tan",
     Set::single, "T T"},
    {"native_divide native_powr half_divide half_powr", Set::single, "T T T"},
    // 6.12.3 integers
    {"abs", Set::integers, "U T"},
    {"abs_diff", Set::integers, "U T T"},
    {"add_sat sub_sat hadd rhadd mul_hi rotate", Set::integers, "T T T"},
    {"mad_hi mad_sat", Set::integers, "T T T T"},
    {"clz ctz popcount", Set::integers, "T T"},
    {"upsample", Set::narrow, "W T J"},
    {"mul24", Set::words, "T T T"},
    {"mad24", Set::words, "T T T T"},
    {"dot", Set::none, "uint uchar4 uchar4"},
    {"dot", Set::none, "int char4 char4"},
    {"dot", Set::none, "int uchar4 char4"},
    {"dot", Set::none, "int char4 uchar4"},
    {"dot_acc_sat", Set::none, "uint uchar4 uchar4 uint"},
    {"dot_acc_sat", Set::none, "int char4 char4 int"},
    {"dot_4x8packed_uu_uint", Set::none, "uint uint uint"},
    {"dot_4x8packed_ss_int dot_4x8packed_us_int dot_4x8packed_su_int", Set::none, "int uint uint"},
    {"dot_acc_sat_4x8packed_uu_uint", Set::none, "uint uint uint uint"},
    {"dot_acc_sat_4x8packed_ss_int dot_acc_sat_4x8packed_us_int dot_acc_sat_4x8packed_su_int", Set::none,
     "int uint uint int"},
    // 6.12.4 common
    {"max min", Set::all, "T T T"},
    {"max min", Set::all, "T T E"},
    {"clamp", Set::all, "T T T T"},
    {"clamp", Set::all, "T T E E"},
    {"mix", Set::floats, "T T T E"},
    {"step", Set::floats, "T E T"},
    {"smoothstep", Set::floats, "T E E T"},
    // 6.12.5 geometric
    {"cross", Set::three_or_four, "T T T"},
    {"dot distance", Set::geometric, "E T T"},
    {"length", Set::geometric, "E T"},
    {"normalize", Set::geometric, "T T"},
    {"fast_distance", Set::geometric_single, "E T T"},
    {"fast_length", Set::geometric_single, "E T"},
    {"fast_normalize", Set::geometric_single, "T T"},
    // 6.12.6 relational
    {"isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered isunordered",
     Set::floats, "R T T"},
    {"isfinite isinf isnan isnormal signbit", Set::floats, "R T"},
    {"any all", Set::signed_integers, "int T"},
    {"bitselect", Set::all, "T T T T"},
    {"select", Set::all, "T T T K"},
    {"select", Set::all, "T T T J"},
    // 6.12.8 synchronization
    {"barrier work_group_barrier mem_fence read_mem_fence write_mem_fence sub_group_barrier", Set::none,
     "void uint"},
    {"work_group_barrier sub_group_barrier", Set::none, "void uint uint"},
    // 6.12.10 copies
    {"async_work_group_copy", Set::all, "event_t l*T !g*T size_t event_t"},
    {"async_work_group_copy", Set::all, "event_t g*T !l*T size_t event_t"},
    {"async_work_group_strided_copy", Set::all, "event_t l*T !g*T size_t size_t event_t"},
    {"async_work_group_strided_copy", Set::all, "event_t g*T !l*T size_t size_t event_t"},
    {"wait_group_events", Set::none, "void int *event_t"},
    {"prefetch", Set::all, "void !g*T size_t"},
    // 6.12.11 atomics
    {"atomic_add atomic_sub atomic_xchg atomic_min atomic_max atomic_and atomic_or atomic_xor atom_add "
     "atom_sub "
     "atom_xchg atom_min atom_max atom_and atom_or atom_xor",
     Set::word, "T @T T"},
    {"atomic_inc atomic_dec atom_inc atom_dec", Set::word, "T @T"},
    {"atomic_cmpxchg atom_cmpxchg", Set::word, "T @T T T"},
    {"atomic_xchg ferry_atomic_add_float", Set::none, "float @float float"},
    {"atom_add atom_sub atom_xchg atom_min atom_max atom_and atom_or atom_xor", Set::atomic64, "T @T T"},
    {"atom_inc atom_dec", Set::atomic64, "T @T"},
    {"atom_cmpxchg", Set::atomic64, "T @T T T"},
};

} // namespace

std::span<const Row> builtin_rows() noexcept {
    return rows;
}

} // namespace ferry::opencl_c
