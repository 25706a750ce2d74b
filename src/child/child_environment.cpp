// SPDX-License-Identifier: Apache-2.0
#include "child/child_environment.hpp"

#include "base/settings.hpp"
#include "system/environment.hpp"

#include <algorithm>
#include <string_view>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FERRY_WITH_ASAN 1
#elif __has_feature(thread_sanitizer)
#define FERRY_WITH_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define FERRY_WITH_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define FERRY_WITH_TSAN 1
#endif

namespace ferry::detail::child_run {
namespace {

// Under a sanitizer, faults end the child by their own signals, and reports on drivers leave its exit status
// unchanged.
#define FERRY_OWN_SIGNALS ":handle_segv=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:handle_sigbus=0"
#if defined(FERRY_WITH_ASAN)
constexpr std::string_view sanitizer_variable = "ASAN_OPTIONS";
constexpr std::string_view for_sanitizer = ":detect_leaks=0" FERRY_OWN_SIGNALS;
#elif defined(FERRY_WITH_TSAN)
constexpr std::string_view sanitizer_variable = "TSAN_OPTIONS";
constexpr std::string_view for_sanitizer = ":exitcode=0" FERRY_OWN_SIGNALS;
#else
constexpr std::string_view sanitizer_variable;
constexpr std::string_view for_sanitizer;
#endif

Variables settings_for(Backend backend) {
    const backend::Libraries libraries = library_settings();
    return {
        {"FERRY_BACKEND", std::string(to_string(backend))},
        {"FERRY_TOOL", "off"},
        {"FERRY_CUDA_LIBRARY", libraries.cuda.value},
        {"FERRY_NVRTC_LIBRARY", libraries.nvrtc.value},
        {"FERRY_HIP_LIBRARY", libraries.hip.value},
        {"FERRY_HIPRTC_LIBRARY", libraries.hiprtc.value},
        {"FERRY_OPENCL_LIBRARY", libraries.opencl.value},
        {"FERRY_VULKAN_LIBRARY", libraries.vulkan.value},
        {"FERRY_HOST_MODE", libraries.host_mode.value},
        {"FERRY_HOST_SEED", libraries.host_seed.value},
        {"FERRY_DEVICE", {}},
        {"FERRY_CALIBRATION", {}},
        {"FERRY_CHECK", {}},
        {"FERRY_SYNC", {}},
        {"FERRY_TRACE", {}},
        {"FERRY_MEMORY_DEBUG", {}},
    };
}

} // namespace

std::vector<std::string> child_environment(Backend backend, const Variables& changes) {
    Variables set = settings_for(backend);
    for (const auto& change : changes) {
        std::erase_if(set, [&](const auto& pair) { return pair.first == change.first; });
        set.push_back(change);
    }
    std::vector<std::string> all;
    std::string sanitizer = std::string(sanitizer_variable) + '=';
    for (const std::string& text : environment()) {
        const std::string_view name = std::string_view(text).substr(0, text.find('='));
        if (!for_sanitizer.empty() && name == sanitizer_variable) {
            sanitizer = text;
        } else if (std::none_of(set.begin(), set.end(),
                                [&](const auto& pair) { return pair.first == name; })) {
            all.push_back(text);
        }
    }
    for (const auto& [name, value] : set) {
        if (!value.empty()) {
            all.push_back(name + '=' + value);
        }
    }
    if (!for_sanitizer.empty()) {
        all.push_back(sanitizer.append(for_sanitizer));
    }
    return all;
}

} // namespace ferry::detail::child_run
