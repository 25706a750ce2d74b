// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Numbers of the SPIR-V specification (unified1) that the emitter uses. Numbers of extended instructions are
// in extended_table.cpp.
namespace ferry::emit_spirv {

enum class Opcode : std::uint16_t {
    undef = 1,
    name = 5,
    member_name = 6,
    string = 7,
    extension = 10,
    ext_inst_import = 11,
    ext_inst = 12,
    memory_model = 14,
    entry_point = 15,
    execution_mode = 16,
    capability = 17,
    type_void = 19,
    type_bool = 20,
    type_int = 21,
    type_float = 22,
    type_vector = 23,
    type_array = 28,
    type_struct = 30,
    type_pointer = 32,
    type_function = 33,
    constant_true = 41,
    constant_false = 42,
    constant = 43,
    constant_composite = 44,
    constant_null = 46,
    spec_constant = 50,
    spec_constant_composite = 51,
    spec_constant_op = 52,
    function = 54,
    function_parameter = 55,
    function_end = 56,
    function_call = 57,
    variable = 59,
    load = 61,
    store = 62,
    copy_memory = 63,
    access_chain = 65,
    in_bounds_access_chain = 66,
    in_bounds_ptr_access_chain = 70,
    decorate = 71,
    member_decorate = 72,
    vector_extract_dynamic = 77,
    vector_shuffle = 79,
    composite_construct = 80,
    composite_extract = 81,
    convert_f_to_u = 109,
    convert_f_to_s = 110,
    convert_s_to_f = 111,
    convert_u_to_f = 112,
    u_convert = 113,
    s_convert = 114,
    f_convert = 115,
    convert_ptr_to_u = 117,
    convert_u_to_ptr = 120,
    bitcast = 124,
    s_negate = 126,
    f_negate = 127,
    i_add = 128,
    f_add = 129,
    i_sub = 130,
    f_sub = 131,
    i_mul = 132,
    f_mul = 133,
    u_div = 134,
    s_div = 135,
    f_div = 136,
    u_mod = 137,
    s_rem = 138,
    dot = 148,
    any = 154,
    all = 155,
    is_nan = 156,
    is_inf = 157,
    is_finite = 158,
    is_normal = 159,
    sign_bit_set = 160,
    ordered = 162,
    unordered = 163,
    logical_or = 166,
    logical_and = 167,
    logical_not = 168,
    select = 169,
    i_equal = 170,
    i_not_equal = 171,
    u_greater_than = 172,
    s_greater_than = 173,
    u_greater_than_equal = 174,
    s_greater_than_equal = 175,
    u_less_than = 176,
    s_less_than = 177,
    u_less_than_equal = 178,
    s_less_than_equal = 179,
    f_ord_equal = 180,
    f_ord_not_equal = 182,
    f_unord_not_equal = 183,
    f_ord_less_than = 184,
    f_ord_greater_than = 186,
    f_ord_less_than_equal = 188,
    f_ord_greater_than_equal = 190,
    shift_right_logical = 194,
    shift_right_arithmetic = 195,
    shift_left_logical = 196,
    bitwise_or = 197,
    bitwise_xor = 198,
    bitwise_and = 199,
    bitwise_not = 200,
    bit_count = 205,
    control_barrier = 224,
    memory_barrier = 225,
    atomic_load = 227,
    atomic_exchange = 229,
    atomic_compare_exchange = 230,
    atomic_i_increment = 232,
    atomic_i_decrement = 233,
    atomic_i_add = 234,
    atomic_i_sub = 235,
    atomic_s_min = 236,
    atomic_u_min = 237,
    atomic_s_max = 238,
    atomic_u_max = 239,
    atomic_and = 240,
    atomic_or = 241,
    atomic_xor = 242,
    phi = 245,
    loop_merge = 246,
    selection_merge = 247,
    label = 248,
    branch = 249,
    branch_conditional = 250,
    switch_ = 251,
    return_ = 253,
    return_value = 254,
    unreachable = 255,
    group_all = 261,
    group_any = 262,
    group_broadcast = 263,
    group_i_add = 264,
    group_f_add = 265,
    group_f_min = 266,
    group_u_min = 267,
    group_s_min = 268,
    group_f_max = 269,
    group_u_max = 270,
    group_s_max = 271,
    group_non_uniform_all = 334,
    group_non_uniform_any = 335,
    group_non_uniform_ballot = 339,
    group_non_uniform_inverse_ballot = 340,
    group_non_uniform_ballot_bit_extract = 341,
    group_non_uniform_ballot_bit_count = 342,
    group_non_uniform_ballot_find_lsb = 343,
    group_non_uniform_ballot_find_msb = 344,
    group_non_uniform_shuffle = 345,
    group_non_uniform_shuffle_xor = 346,
    group_non_uniform_shuffle_up = 347,
    group_non_uniform_shuffle_down = 348,
    group_non_uniform_i_add = 349,
    group_non_uniform_f_add = 350,
    group_non_uniform_s_min = 353,
    group_non_uniform_u_min = 354,
    group_non_uniform_f_min = 355,
    group_non_uniform_s_max = 356,
    group_non_uniform_u_max = 357,
    group_non_uniform_f_max = 358,
    subgroup_shuffle_intel = 5571,
    subgroup_shuffle_down_intel = 5572,
    subgroup_shuffle_up_intel = 5573,
    subgroup_shuffle_xor_intel = 5574,
};

enum class Capability : std::uint32_t {
    addresses = 4,
    linkage = 5,
    kernel = 6,
    vector16 = 7,
    float16_buffer = 8,
    float16 = 9,
    float64 = 10,
    int64 = 11,
    shader = 1,
    int64_atomics = 12,
    groups = 18,
    int16 = 22,
    int8 = 39,
    group_non_uniform = 61,
    group_non_uniform_vote = 62,
    group_non_uniform_arithmetic = 63,
    group_non_uniform_ballot = 64,
    group_non_uniform_shuffle = 65,
    group_non_uniform_shuffle_relative = 66,
    storage_buffer_16bit_access = 4433,
    storage_push_constant16 = 4435,
    storage_buffer_8bit_access = 4448,
    storage_push_constant8 = 4450,
    denorm_preserve = 4464,
    signed_zero_inf_nan_preserve = 4466,
    rounding_mode_rte = 4467,
    physical_storage_buffer_addresses = 5347,
    subgroup_shuffle_intel = 5568,
};

enum class StorageClass : std::uint32_t {
    uniform_constant = 0,
    input = 1,
    workgroup = 4,
    cross_workgroup = 5,
    private_ = 6,
    function = 7,
    push_constant = 9,
    physical_storage_buffer = 5349,
};

enum class Decoration : std::uint32_t {
    spec_id = 1,
    block = 2,
    array_stride = 6,
    c_packed = 10,
    built_in = 11,
    constant = 22,
    saturated_conversion = 28,
    func_param_attr = 38,
    fp_rounding_mode = 39,
    offset = 35,
    no_contraction = 42,
    alignment = 44,
};

enum class BuiltIn : std::uint32_t {
    num_workgroups = 24,
    workgroup_size = 25,
    workgroup_id = 26,
    local_invocation_id = 27,
    global_invocation_id = 28,
    work_dim = 30,
    global_size = 31,
    global_offset = 33,
    subgroup_size = 36,
    subgroup_max_size = 37,
    num_subgroups = 38,
    num_enqueued_subgroups = 39,
    subgroup_id = 40,
    subgroup_local_invocation_id = 41,
    subgroup_eq_mask = 4416,
    subgroup_ge_mask = 4417,
    subgroup_gt_mask = 4418,
    subgroup_le_mask = 4419,
    subgroup_lt_mask = 4420,
};

inline constexpr std::uint32_t magic_number = 0x07230203;
inline constexpr std::uint32_t addressing_physical64 = 2;
inline constexpr std::uint32_t addressing_physical_storage_buffer64 = 5348;
inline constexpr std::uint32_t memory_model_glsl450 = 1;
inline constexpr std::uint32_t memory_model_opencl = 2;
inline constexpr std::uint32_t execution_model_gl_compute = 5;
inline constexpr std::uint32_t execution_model_kernel = 6;
inline constexpr std::uint32_t execution_mode_local_size = 17;
inline constexpr std::uint32_t execution_mode_contraction_off = 31;
inline constexpr std::uint32_t execution_mode_preserve_denorm = 4459;
inline constexpr std::uint32_t execution_mode_preserve_special = 4461;
inline constexpr std::uint32_t execution_mode_round_nearest = 4462;
inline constexpr std::uint32_t param_by_val = 2;
inline constexpr std::uint32_t param_no_alias = 4;
inline constexpr std::uint32_t memory_volatile = 1;
inline constexpr std::uint32_t memory_aligned = 2;
inline constexpr std::uint32_t loop_unroll = 1;
inline constexpr std::uint32_t loop_dont_unroll = 2;

inline constexpr std::uint32_t scope_device = 1;
inline constexpr std::uint32_t scope_workgroup = 2;
inline constexpr std::uint32_t scope_subgroup = 3;

inline constexpr std::uint32_t semantics_acquire = 0x2;
inline constexpr std::uint32_t semantics_release = 0x4;
inline constexpr std::uint32_t semantics_acquire_release = 0x8;
inline constexpr std::uint32_t semantics_sequential = 0x10;
inline constexpr std::uint32_t semantics_uniform_memory = 0x40;
inline constexpr std::uint32_t semantics_workgroup_memory = 0x100;
inline constexpr std::uint32_t semantics_global_memory = 0x200;

inline constexpr std::uint32_t group_reduce = 0;
inline constexpr std::uint32_t group_inclusive_scan = 1;
inline constexpr std::uint32_t group_exclusive_scan = 2;

} // namespace ferry::emit_spirv
