// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/backend.hpp>
#include <ferry/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ferry {

enum class DeviceKind : std::uint8_t { gpu, cpu, accelerator };

/// "gpu", "cpu" or "accelerator".
FERRY_API std::string_view to_string(DeviceKind kind) noexcept;

/// The properties of one device, as the vendor reports them. They are constant for the life of the process. A
/// field for which the vendor has no answer is empty (optional, string) or zero (number), as its comment
/// states. No value is a guess.
struct DeviceInfo {
    Backend backend{};
    std::uint32_t index = 0;    ///< among the devices of this backend; "opencl:1" is index 1
    std::string name;           ///< the vendor's name of the device
    std::string vendor;         ///< "NVIDIA Corporation", "Intel(R) Corporation"
    std::string platform;       ///< OpenCL: the platform's name; Vulkan: the driver's; else empty
    std::string driver_version; ///< the vendor's own text
    std::string api_version;    ///< of the vendor API: "13.0", "6.2", "OpenCL 3.0"
    std::string architecture;   ///< "sm_90", "gfx90a:sramecc+:xnack-"; empty if the backend has no such name
    DeviceKind kind{};
    std::optional<bool> integrated;   ///< shares its memory chips with the processor; empty if not known
    std::uint64_t total_memory = 0;   ///< bytes
    std::uint64_t max_allocation = 0; ///< bytes, largest single allocation
    std::uint32_t compute_units = 0;  ///< multiprocessors, compute units or cores; 0 if not known
    std::uint32_t clock_mhz = 0;      ///< peak clock, MHz; 0 if not known
    std::size_t max_group_size = 0;   ///< work-items in a work-group, all dimensions multiplied
    /// Work-items in a work-group: the size that Ferry chooses for a large one-dimensional launch without a
    /// group size (Grid::covering()). It is 256 or, if smaller, the limit of the device. A kernel may have
    /// lower limits, a required size, or a preferred multiple, which take precedence.
    std::size_t preferred_group_size = 0;
    std::array<std::size_t, 3> max_local{};    ///< work-items in a work-group, per dimension
    std::array<std::uint64_t, 3> max_groups{}; ///< work-groups in a launch, per dimension
    std::size_t local_memory = 0;              ///< bytes of local (shared) memory a work-group can use
    std::size_t max_argument_bytes = 0;        ///< bytes of all kernel arguments of one launch
    std::uint32_t sub_group_width = 0;         ///< warp, wavefront or sub-group width; 0 if not known
    bool fp16 = false;                         ///< half precision arithmetic
    bool fp64 = false;                         ///< double precision arithmetic
    bool int64_atomics = false;                ///< 64-bit integer atomics
    bool queue_priority = false;               ///< distinguishes QueuePriority (ferry/hints.hpp)
    bool prefetch = false;                     ///< Queue::prefetch() moves shared memory
    bool timing = false;                       ///< events carry device times, see elapsed()
    bool compiles = false;    ///< source can be built at run time (the vendor's compiler was found)
    std::string compile_note; ///< which compiler, or why there is none
    /// Of the compiler, in the numbers of `api_version`: "13.2" of CUDA, "7" of HIP; empty if not known.
    std::string compiler_version;
    bool host_memory = false;   ///< has MemoryKind::host
    bool shared_memory = false; ///< has MemoryKind::shared
    std::string pci_address;    ///< "0000:17:00.0" (domain:bus:device.function); empty if not known
    std::string uuid;           ///< 32 hex digits in 8-4-4-4-12 groups; empty if not known
};

} // namespace ferry
