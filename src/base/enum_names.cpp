// SPDX-License-Identifier: Apache-2.0
#include <ferry/backend.hpp>
#include <ferry/capabilities.hpp>
#include <ferry/device.hpp>
#include <ferry/error.hpp>
#include <ferry/hints.hpp>
#include <ferry/memory.hpp>
#include <ferry/placement.hpp>
#include <ferry/source.hpp>

#include <array>

namespace ferry {
namespace {

template <std::size_t N, class E>
constexpr std::string_view name_of(const std::array<std::string_view, N>& names, E value) noexcept {
    const auto i = static_cast<std::size_t>(value);
    return i < N ? names[i] : std::string_view("?");
}

constexpr std::array<std::string_view, 5> backend_names{"cuda", "hip", "opencl", "vulkan", "host"};

} // namespace

std::string_view to_string(Backend backend) noexcept {
    return name_of(backend_names, backend);
}

std::optional<Backend> backend_from_name(std::string_view name) noexcept {
    for (std::size_t i = 0; i < backend_names.size(); ++i) {
        if (backend_names[i] == name) {
            return static_cast<Backend>(i);
        }
    }
    return std::nullopt;
}

std::string_view to_string(DeviceKind kind) noexcept {
    return name_of(std::array<std::string_view, 3>{"gpu", "cpu", "accelerator"}, kind);
}

std::string_view to_string(MemoryKind kind) noexcept {
    return name_of(std::array<std::string_view, 4>{"device", "host", "shared", "imported"}, kind);
}

std::string_view to_string(Placement placement) noexcept {
    return name_of(std::array<std::string_view, 5>{"alias", "link", "migrate", "copy", "stage"}, placement);
}

std::string_view to_string(Access access) noexcept {
    return name_of(std::array<std::string_view, 3>{"device_reads", "device_writes", "device_updates"},
                   access);
}

std::string_view to_string(Map access) noexcept {
    return name_of(std::array<std::string_view, 4>{"read", "write", "read_write", "discard"}, access);
}

std::string_view to_string(QueuePriority priority) noexcept {
    return name_of(std::array<std::string_view, 3>{"normal", "low", "high"}, priority);
}

std::string_view to_string(Prefetch to) noexcept {
    return name_of(std::array<std::string_view, 2>{"to_device", "to_host"}, to);
}

std::string_view to_string(Advice advice) noexcept {
    return name_of(std::array<std::string_view, 5>{"none", "read_mostly", "prefer_device", "prefer_host",
                                                   "device_access"},
                   advice);
}

std::string_view to_string(Reach reach) noexcept {
    return name_of(std::array<std::string_view, 4>{"none", "copy", "link", "local"}, reach);
}

std::string_view to_string(Coherence coherence) noexcept {
    return name_of(std::array<std::string_view, 4>{"exclusive", "map", "kernel_boundary", "concurrent"},
                   coherence);
}

std::string_view to_string(Atomics atomics) noexcept {
    return name_of(std::array<std::string_view, 3>{"none", "device", "system"}, atomics);
}

std::string_view to_string(Confidence confidence) noexcept {
    return name_of(std::array<std::string_view, 4>{"unknown", "inferred", "declared", "measured"},
                   confidence);
}

std::string_view to_string(Interruption interruption) noexcept {
    return name_of(std::array<std::string_view, 4>{"none", "late", "killed", "crashed"}, interruption);
}

std::string_view to_string(BackendProblem problem) noexcept {
    return name_of(std::array<std::string_view, 14>{"failed", "not_selected", "invalid_setting", "no_library",
                                                    "named_library", "stub_library", "wrong_library",
                                                    "untested_library", "unsound_library", "missing_driver",
                                                    "no_device", "empty_platform", "device_unavailable",
                                                    "device_unsupported"},
                   problem);
}

std::string_view to_string(Code code) noexcept {
    return name_of(std::array<std::string_view, 11>{"invalid_argument", "out_of_range", "invalid_state",
                                                    "out_of_memory", "unavailable", "unsupported",
                                                    "not_found", "build_failed", "command_failed",
                                                    "device_lost", "internal"},
                   code);
}

std::string_view to_string(Language language) noexcept {
    return name_of(std::array<std::string_view, 9>{"OpenCL C", "CUDA C++", "HIP C++", "PTX", "cubin",
                                                   "AMD code object", "OpenCL binary", "SPIR-V",
                                                   "host functions"},
                   language);
}

} // namespace ferry
