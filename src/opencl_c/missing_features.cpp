// SPDX-License-Identifier: Apache-2.0
#include "missing_features.hpp"

#include <unordered_map>

namespace ferry::opencl_c {

std::string_view missing_feature(std::string_view name) noexcept {
    static const std::unordered_map<std::string_view, std::string_view> words{
        {"image1d_t", "images"},
        {"image1d_array_t", "images"},
        {"image1d_buffer_t", "images"},
        {"image2d_t", "images"},
        {"image2d_array_t", "images"},
        {"image3d_t", "images"},
        {"image2d_depth_t", "images"},
        {"sampler_t", "samplers"},
        {"read_imagef", "images"},
        {"read_imagei", "images"},
        {"read_imageui", "images"},
        {"write_imagef", "images"},
        {"write_imagei", "images"},
        {"write_imageui", "images"},
        {"read_only", "images"},
        {"__read_only", "images"},
        {"write_only", "images"},
        {"__write_only", "images"},
        {"pipe", "pipes"},
        {"read_pipe", "pipes"},
        {"write_pipe", "pipes"},
        {"enqueue_kernel", "kernels that enqueue kernels"},
        {"queue_t", "kernels that enqueue kernels"},
        {"ndrange_t", "kernels that enqueue kernels"},
        {"clk_event_t", "kernels that enqueue kernels"},
        {"__asm__", "assembler"},
        {"asm", "assembler"},
        {"__asm", "assembler"},
        {"__generic", "generic address space"}};
    const auto found = words.find(name);
    return found == words.end() ? std::string_view() : found->second;
}

std::string advice(std::string_view what) {
    if (what == "images" || what == "samplers") {
        return "; use a buffer and compute the index, or keep this kernel as native OpenCL C for OpenCL "
               "devices";
    }
    return what == "assembler" ? "; keep this kernel in the vendor's own language" : "";
}

} // namespace ferry::opencl_c
