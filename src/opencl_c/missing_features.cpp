// SPDX-License-Identifier: Apache-2.0
#include "missing_features.hpp"

#include <algorithm>
#include <iterator>

namespace ferry::opencl_c {
namespace {

constexpr std::string_view atomics = "atomic functions of OpenCL C 2.0";
constexpr std::string_view enqueued = "kernels that enqueue kernels";
constexpr std::string_view uneven = "groups of different sizes";
constexpr std::string_view linear = "linear indices";

struct Row {
    std::string_view front; ///< Of the name. The whole name if `whole`.
    std::string_view feature;
    bool whole = false;
};
constexpr Row rows[] = {
    {"image1d_", "images"},
    {"image2d_", "images"},
    {"image3d_", "images"},
    {"sampler_t", "samplers", true},
    {"read_imagef", "images", true},
    {"read_imagei", "images", true},
    {"read_imageui", "images", true},
    {"read_imageh", "images", true},
    {"write_imagef", "images", true},
    {"write_imagei", "images", true},
    {"write_imageui", "images", true},
    {"write_imageh", "images", true},
    {"read_only", "images", true},
    {"__read_only", "images", true},
    {"write_only", "images", true},
    {"__write_only", "images", true},
    {"pipe", "pipes", true},
    {"read_pipe", "pipes", true},
    {"write_pipe", "pipes", true},
    {"reserve_read_pipe", "pipes", true},
    {"reserve_write_pipe", "pipes", true},
    {"commit_read_pipe", "pipes", true},
    {"commit_write_pipe", "pipes", true},
    {"work_group_reserve_", "pipes"},
    {"work_group_commit_", "pipes"},
    {"sub_group_reserve_", "pipes"},
    {"sub_group_commit_", "pipes"},
    {"is_valid_reserve_id", "pipes", true},
    {"get_pipe_", "pipes"},
    {"reserve_id_t", "pipes", true},
    {"enqueue_kernel", enqueued, true},
    {"enqueue_marker", enqueued, true},
    {"get_kernel_", enqueued},
    {"get_default_queue", enqueued, true},
    {"ndrange_", enqueued},
    {"create_user_event", enqueued, true},
    {"set_user_event_status", enqueued, true},
    {"is_valid_event", enqueued, true},
    {"retain_event", enqueued, true},
    {"release_event", enqueued, true},
    {"capture_event_profiling_info", enqueued, true},
    {"queue_t", enqueued, true},
    {"clk_event_t", enqueued, true},
    {"get_enqueued_local_size", uneven, true},
    {"get_global_linear_id", linear, true},
    {"get_local_linear_id", linear, true},
    {"atomic_load", atomics},
    {"atomic_store", atomics},
    {"atomic_exchange", atomics},
    {"atomic_compare_exchange_", atomics},
    {"atomic_fetch_", atomics},
    {"atomic_init", atomics, true},
    {"atomic_flag", atomics},
    {"atomic_work_item_fence", atomics, true},
    {"atomic_int", atomics},
    {"atomic_uint", atomics},
    {"atomic_long", atomics, true},
    {"atomic_ulong", atomics, true},
    {"atomic_float", atomics, true},
    {"atomic_double", atomics, true},
    {"atomic_size_t", atomics, true},
    {"atomic_ptrdiff_t", atomics, true},
    {"memory_order", atomics},
    {"memory_scope", atomics},
    {"ATOMIC_VAR_INIT", atomics, true},
    {"ATOMIC_FLAG_INIT", atomics, true},
    {"__asm__", "assembler", true},
    {"asm", "assembler", true},
    {"__asm", "assembler", true},
    {"__generic", "generic address space", true},
    {"generic", "generic address space", true},
    {"to_global", "generic address space", true},
    {"to_local", "generic address space", true},
    {"to_private", "generic address space", true},
    {"get_fence", "generic address space", true},
};

} // namespace

std::string_view missing_feature(std::string_view name) noexcept {
    const auto* const row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& one) {
        return one.whole ? name == one.front : name.starts_with(one.front);
    });
    return row == std::end(rows) ? std::string_view() : row->feature;
}

std::string advice(std::string_view what) {
    if (what == "images" || what == "samplers") {
        return "; use a buffer and compute the index, or keep this kernel as native OpenCL C for OpenCL "
               "devices";
    }
    if (what == atomics) {
        return "; use atomic_add(), atomic_xchg(), atomic_cmpxchg() and mem_fence()";
    }
    if (what == uneven) {
        return "; use get_local_size()";
    }
    if (what == linear) {
        return "; compute the index from get_global_id() or get_local_id()";
    }
    return what == "assembler" ? "; keep this kernel in the vendor's own language" : "";
}

} // namespace ferry::opencl_c
