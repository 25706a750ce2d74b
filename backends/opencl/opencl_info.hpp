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

/// Memory of the caller that a device is certain to use in place, and the method.
enum class InPlace : std::uint8_t {
    never,
    intels_rule,  ///< CL_MEM_USE_HOST_PTR of integrated GPUs: multiples of intels_alignment and intels_sizes.
    always,       ///< CL_MEM_USE_HOST_PTR of processors.
    svm_pointers, ///< Any pointer, with the commands of SVM.
    usm_pointers, ///< Any pointer, with the commands of cl_intel_unified_shared_memory.
};
constexpr std::size_t intels_alignment = 4096, intels_sizes = 64; ///< In bytes.

/// Properties of a device that Ferry's own code needs beyond DeviceInfo.
struct Traits {
    int version = 0;         ///< The lower one of platform and device, 12 for 1.2.
    std::string device_name; ///< CL_DEVICE_NAME, which identifies binaries.
    std::string platform_name;
    cl_device_svm_capabilities svm = 0; ///< Also 0 if the entry points are missing.
    bool usm_device = false;            ///< cl_intel_unified_shared_memory, by kind.
    bool usm_host = false;
    bool usm_shared = false;
    /// clEnqueueMigrateMemINTEL takes flags of zero, which name the device. Before version 1.2 of the
    /// extension they were an error (Intel's CPU runtime 2026.2).
    bool usm_migrates = false;
    int spirv = -1; ///< The highest accepted SPIR-V version, 10 for 1.0; -1 for none.
    /// clFinish after a clFlush, and a blocking call during another thread's clFlush, do not wait (Mesa
    /// 22.3).
    bool blocks_too_short = false;
    /// clFinish and a blocking map also wait for commands that other threads enqueue meanwhile (PoCL).
    bool finish_waits_on = false;
    bool unmaps_late = false; ///< Refuses to unmap before the earlier mapping was executed (PoCL).
    /// Copies a box wrongly, as merged rows, if its number of rows equals the row pitch in bytes at both ends
    /// (Mesa 25.2).
    bool merges_rows = false;
    bool keeps_programs = false; ///< It has its own cache on disk.
    bool binaries_take_options =
        false;                      ///< Its binaries are text that still has to be compiled (NVIDIA: PTX).
    bool miscounts_grids = false;   ///< PoCL before 6, see LaunchRecord.
    bool lacks_group_waits = false; ///< A kernel that calls wait_group_events() ends the process (PoCL 5.0).
    /// Runs a linker as a process, and aborts if it cannot wait for it (PoCL 3.1).
    bool waits_for_linker = false;
    bool shares_buffers = false;  ///< The host sees a buffer's bytes without mapping them again (processors).
    bool parts_go_wrong = false;  ///< Writes through overlapping sub-buffers are lost (NVIDIA 580).
    bool short_offsets = false;   ///< Treats the offset of a launch as a signed 32-bit number (NVIDIA 580).
    bool captures_writes = false; ///< See HostReads (NVIDIA 580).
    InPlace imports = InPlace::never;
    bool group_size_is_hint = false; ///< CL_KERNEL_WORK_GROUP_SIZE is less than the actual limit.
    /// Maximum length of a kernel name; the driver ends the process for longer ones. PoCL (3.1, 5.0) makes a
    /// file name from it, and NVIDIA 580 writes outside its own memory (seen at 1200).
    std::size_t longest_name = std::numeric_limits<std::size_t>::max();
    /// Bytes of private memory of all work-items that a worker thread runs at a time; the driver ends the
    /// process if a kernel needs more. 0: no such limit.
    std::size_t private_bytes = 0;
    /// How many work-items that are. 0: a whole group (PoCL); 8: llvmpipe.
    std::size_t private_items = 0;
    /// The prefix that PoCL's macros put before a name that is also a built-in function's.
    std::string_view builtin_prefix;
};

/// Whether the driver puts Traits::builtin_prefix before this name of the user.
bool has_prefix(std::string_view name, const Traits& traits);
/// The user's name of a kernel or a parameter, from the driver's name.
std::string_view users_name(std::string_view name, const Traits& traits);

/// Reads everything, without a context. `api` is restricted to the device, see restrict_to().
Traits read_traits(const Api& api, cl_platform_id platform, cl_device_id device);
/// All but DeviceInfo::index.
DeviceInfo read_info(const Api& api, cl_device_id device, const Traits& traits);

} // namespace ferry::opencl
