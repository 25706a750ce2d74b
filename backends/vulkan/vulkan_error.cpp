// SPDX-License-Identifier: Apache-2.0
#include "vulkan_error.hpp"

#include <algorithm>
#include <array>

namespace ferry::vulkan {
namespace {

struct Row {
    Result code;
    std::string_view name;
    Code portable;
};

constexpr std::array rows{
    Row{-1, "VK_ERROR_OUT_OF_HOST_MEMORY", Code::out_of_memory},
    Row{-2, "VK_ERROR_OUT_OF_DEVICE_MEMORY", Code::out_of_memory},
    Row{-3, "VK_ERROR_INITIALIZATION_FAILED", Code::unavailable},
    Row{-4, "VK_ERROR_DEVICE_LOST", Code::device_lost},
    Row{-5, "VK_ERROR_MEMORY_MAP_FAILED", Code::out_of_memory},
    Row{-6, "VK_ERROR_LAYER_NOT_PRESENT", Code::unavailable},
    Row{-7, "VK_ERROR_EXTENSION_NOT_PRESENT", Code::unavailable},
    Row{-8, "VK_ERROR_FEATURE_NOT_PRESENT", Code::unavailable},
    Row{-9, "VK_ERROR_INCOMPATIBLE_DRIVER", Code::unavailable},
    Row{-10, "VK_ERROR_TOO_MANY_OBJECTS", Code::out_of_memory},
    Row{-12, "VK_ERROR_FRAGMENTED_POOL", Code::out_of_memory},
    Row{-13, "VK_ERROR_UNKNOWN", Code::internal},
    Row{-1000012000, "VK_ERROR_INVALID_SHADER_NV", Code::build_failed},
    Row{-1000069000, "VK_ERROR_OUT_OF_POOL_MEMORY", Code::out_of_memory},
    Row{-1000072003, "VK_ERROR_INVALID_EXTERNAL_HANDLE", Code::unsupported},
    Row{-1000161000, "VK_ERROR_FRAGMENTATION", Code::out_of_memory},
    Row{-1000257000, "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS", Code::internal},
};

const Row* find(Result code) noexcept {
    const auto* row = std::find_if(rows.begin(), rows.end(), [code](const Row& r) { return r.code == code; });
    return row != rows.end() ? row : nullptr;
}

} // namespace

std::string_view code_name(Result code) noexcept {
    const Row* const row = find(code);
    return row != nullptr ? row->name : std::string_view();
}

Code portable_code(Result code) noexcept {
    const Row* const row = find(code);
    return row != nullptr ? row->portable : Code::internal;
}

std::string call_text(const char* call, Result code) {
    const std::string_view name = code_name(code);
    return std::string(call) + " returned " + std::to_string(code) +
           (name.empty() ? "" : " (" + std::string(name) + ")");
}

Error vendor_error(Code code, const char* call, Result result, std::string_view what) {
    return {code, std::string(what) + (what.empty() ? "" : ": ") + call_text(call, result),
            VendorCall{Backend::vulkan, call, result, std::string(code_name(result))}};
}

} // namespace ferry::vulkan
