// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_api.hpp"

#include <ferry/device.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace ferry::opencl {

/// Which of the caller's memory a device is sure to use in place, and how.
enum class InPlace : std::uint8_t {
    never,
    intels_rule,  ///< CL_MEM_USE_HOST_PTR of integrated GPUs: multiples of intels_alignment and intels_sizes
    always,       ///< CL_MEM_USE_HOST_PTR of processors
    svm_pointers, ///< any pointer, by the commands of SVM
    usm_pointers, ///< any pointer, by those of cl_intel_unified_shared_memory
};
constexpr std::size_t intels_alignment = 4096, intels_sizes = 64; ///< bytes

/// What Ferry's own code needs to know of a device beyond DeviceInfo.
struct Traits {
    int version = 0;         ///< the lower one of platform and device, 12 for 1.2
    std::string device_name; ///< CL_DEVICE_NAME, which identifies binaries
    std::string platform_name;
    cl_device_svm_capabilities svm = 0; ///< 0 also where the entry points are missing
    bool usm_device = false;            ///< cl_intel_unified_shared_memory, by kind
    bool usm_host = false;
    bool usm_shared = false;
    int spirv = -1; ///< the highest SPIR-V version taken, 10 for 1.0; -1 for none
    /// clFinish after a clFlush, and a blocking call that another thread's clFlush comes into, do not wait
    /// (Mesa 22.3).
    bool blocks_too_short = false;
    /// clFinish and a blocking map also wait for what other threads enqueue meanwhile (PoCL).
    bool finish_waits_on = false;
    bool unmaps_late = false; ///< refuses to unmap before the earlier mapping was executed (the same)
    /// Takes the rows of a box for one where both of its ends have as many bytes from one row to the next as
    /// it has rows (Mesa 25.2).
    bool merges_rows = false;
    bool keeps_programs = false; ///< it has a cache of its own on disk
    bool binaries_take_options =
        false;                      ///< its binaries are a text that is still to be compiled (NVIDIA: PTX)
    bool miscounts_grids = false;   ///< PoCL before 6, see LaunchRecord
    bool lacks_group_waits = false; ///< a kernel that calls wait_group_events() ends the process (PoCL 5.0)
    /// Runs a linker as a process, and aborts where it cannot wait for that (PoCL 3.1).
    bool waits_for_linker = false;
    bool shares_buffers = false;  ///< the host sees a buffer's bytes without mapping them again (processors)
    bool parts_go_wrong = false;  ///< what commands do with sub-buffers that overlap is lost (NVIDIA 580)
    bool short_offsets = false;   ///< takes the offset of a launch for a signed 32-bit number (NVIDIA 580)
    bool captures_writes = false; ///< see HostReads (NVIDIA 580)
    InPlace imports = InPlace::never;
    bool group_size_is_hint = false; ///< CL_KERNEL_WORK_GROUP_SIZE states less than runs
    /// Characters of a kernel's name; with more the driver ends the process. PoCL (3.1, 5.0) makes a
    /// file's name of it, and NVIDIA 580 writes beyond its own memory (met at 1200).
    std::size_t longest_name = std::numeric_limits<std::size_t>::max();
    /// What stands before a name that is also a built-in function's, which PoCL's macros put there.
    std::string_view builtin_prefix;
};

/// Whether the driver puts Traits::builtin_prefix before this name of the user's.
bool has_prefix(std::string_view name, const Traits& traits);
/// A name of the user's, of a kernel or a parameter, from what the driver calls it.
std::string_view users_name(std::string_view name, const Traits& traits);

/// Reads everything, without a context. `api` is restricted to the device, see restrict_to().
Traits read_traits(const Api& api, cl_platform_id platform, cl_device_id device);
/// All but DeviceInfo::index.
DeviceInfo read_info(const Api& api, cl_device_id device, const Traits& traits);

} // namespace ferry::opencl
