// SPDX-License-Identifier: Apache-2.0
#include "opencl_info.hpp"

#include "base/uuid_text.hpp"
#include "opencl_query.hpp"
#include "system/thread.hpp"
#include "translate/prelude.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <span>

namespace ferry::opencl {
namespace {

// Not in every version of the headers.
constexpr cl_device_info pci_bus_nv = 0x4008;
constexpr cl_device_info pci_slot_nv = 0x4009;
constexpr cl_device_info pci_domain_nv = 0x400A;
constexpr cl_device_info topology_amd = 0x4037;
constexpr cl_device_info board_name_amd = 0x4038;
constexpr cl_device_info wavefront_amd = 0x4043;
constexpr cl_device_info sub_group_sizes_intel = 0x4108;
constexpr cl_device_info uuid_khr = 0x106A;
constexpr cl_device_info pci_bus_info_khr = 0x410F;
constexpr cl_device_info il_version = 0x105B;

std::string format_pci(unsigned domain, unsigned bus, unsigned device, unsigned function) {
    char text[32];
    std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", domain, bus, device, function);
    return text;
}

std::string pci_address(const Api& api, cl_device_id device, const std::string& extensions) {
    if (has_word(extensions, "cl_khr_pci_bus_info")) {
        const auto parts = device_values<cl_uint>(api, device, pci_bus_info_khr);
        if (parts.size() == 4) {
            return format_pci(parts[0], parts[1], parts[2], parts[3]);
        }
    }
    if (has_word(extensions, "cl_nv_device_attribute_query")) {
        const auto bus = device_values<cl_uint>(api, device, pci_bus_nv);
        const auto slot = device_values<cl_uint>(api, device, pci_slot_nv);
        if (!bus.empty() && !slot.empty()) {
            return format_pci(device_value<cl_uint>(api, device, pci_domain_nv), bus[0], slot[0] >> 3 & 0x1F,
                              slot[0] & 7);
        }
    }
    if (has_word(extensions, "cl_amd_device_attribute_query")) {
        const auto bytes = device_values<unsigned char>(api, device, topology_amd);
        if (bytes.size() == 24 && bytes[0] == 1) { // The PCIe form of a union.
            return format_pci(0, bytes[21], bytes[22], bytes[23]);
        }
    }
    return {};
}

std::string uuid(const Api& api, cl_device_id device, const std::string& extensions) {
    if (!has_word(extensions, "cl_khr_device_uuid")) {
        return {};
    }
    const auto bytes = device_values<unsigned char>(api, device, uuid_khr);
    if (bytes.size() != 16) {
        return {};
    }
    return detail::uuid_text(std::span<const unsigned char, 16>(bytes.data(), 16));
}

std::uint32_t sub_group_width(const Api& api, cl_device_id device, const std::string& extensions) {
    if (has_word(extensions, "cl_nv_device_attribute_query")) {
        return device_value<cl_uint>(api, device, CL_DEVICE_WARP_SIZE_NV);
    }
    if (has_word(extensions, "cl_amd_device_attribute_query")) {
        return device_value<cl_uint>(api, device, wavefront_amd);
    }
    if (has_word(extensions, "cl_intel_required_subgroup_size")) {
        // If there are several, the compiler chooses one for each kernel.
        const auto sizes = device_values<std::size_t>(api, device, sub_group_sizes_intel);
        return sizes.size() == 1 ? static_cast<std::uint32_t>(sizes[0]) : 0;
    }
    return 0;
}

DeviceKind kind_of(cl_device_type type) {
    // oclgrind sets every bit, and is a processor.
    return (type & CL_DEVICE_TYPE_CPU) != 0   ? DeviceKind::cpu
           : (type & CL_DEVICE_TYPE_GPU) != 0 ? DeviceKind::gpu
                                              : DeviceKind::accelerator;
}

int highest_spirv(const std::string& versions) {
    int highest = -1;
    for (std::size_t at = versions.find("SPIR-V_"); at != std::string::npos;
         at = versions.find("SPIR-V_", at + 1)) {
        int major = 0;
        int minor = 0;
        if (std::sscanf(versions.c_str() + at, "SPIR-V_%d.%d", &major, &minor) == 2) {
            highest = std::max(highest, major * 10 + minor);
        }
    }
    return highest;
}

void read_limits(const Api& api, cl_device_id device, DeviceInfo& info) {
    const auto limited = [](const char* call, const char* what, std::uint64_t value, std::uint64_t least,
                            std::uint64_t most) {
        return backend::plausible(Backend::opencl, call, what, value, least, most);
    };
    info.total_memory =
        limited("clGetDeviceInfo(CL_DEVICE_GLOBAL_MEM_SIZE)", "bytes of memory",
                device_value<cl_ulong>(api, device, CL_DEVICE_GLOBAL_MEM_SIZE), 1, backend::most_memory);
    info.max_allocation =
        limited("clGetDeviceInfo(CL_DEVICE_MAX_MEM_ALLOC_SIZE)", "bytes of one allocation",
                device_value<cl_ulong>(api, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE), 1, backend::most_memory);
    info.compute_units = device_value<cl_uint>(api, device, CL_DEVICE_MAX_COMPUTE_UNITS);
    info.clock_mhz = device_value<cl_uint>(api, device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    info.max_group_size = limited(
        "clGetDeviceInfo(CL_DEVICE_MAX_WORK_GROUP_SIZE)", "work-items of the largest group",
        device_value<std::size_t>(api, device, CL_DEVICE_MAX_WORK_GROUP_SIZE), 1, backend::most_group_items);
    info.local_memory =
        limited("clGetDeviceInfo(CL_DEVICE_LOCAL_MEM_SIZE)", "bytes of local memory",
                device_value<cl_ulong>(api, device, CL_DEVICE_LOCAL_MEM_SIZE), 0, backend::most_group_bytes);
    info.max_argument_bytes = limited("clGetDeviceInfo(CL_DEVICE_MAX_PARAMETER_SIZE)", "bytes of arguments",
                                      device_value<std::size_t>(api, device, CL_DEVICE_MAX_PARAMETER_SIZE), 0,
                                      backend::most_memory);
    const auto local = device_values<std::size_t>(api, device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
    const cl_uint bits = device_value<cl_uint>(api, device, CL_DEVICE_ADDRESS_BITS);
    // The standard limits only the number of work-items, which is a size_t of the device.
    const std::uint64_t items =
        bits == 32 ? std::numeric_limits<std::uint32_t>::max() : std::numeric_limits<std::uint64_t>::max();
    for (std::size_t i = 0; i < 3; ++i) {
        info.max_local[i] = limited("clGetDeviceInfo(CL_DEVICE_MAX_WORK_ITEM_SIZES)",
                                    "work-items of a group in one dimension", i < local.size() ? local[i] : 1,
                                    1, std::numeric_limits<std::uint64_t>::max());
        info.max_groups[i] = items / std::max<std::size_t>(info.max_local[i], 1);
    }
}

bool takes_system_usm(const Api& api, cl_device_id device) {
    return api.clSetKernelArgMemPointerINTEL != nullptr && api.clEnqueueMemcpyINTEL != nullptr &&
           api.clEnqueueMemFillINTEL != nullptr &&
           (device_value<cl_bitfield>(api, device, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL) &
            CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL) != 0;
}

InPlace imports_of(const Api& api, cl_device_id device, const Traits& traits, bool cpu) {
    if ((traits.svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0 && api.clEnqueueSVMMemcpy != nullptr &&
        api.clEnqueueSVMMemFill != nullptr) {
        return InPlace::svm_pointers;
    }
    if (takes_system_usm(api, device)) {
        return InPlace::usm_pointers;
    }
    if (cpu) {
        return InPlace::always;
    }
    const bool rule = traits.platform_name.find("Intel") != std::string::npos &&
                      device_value<cl_bool>(api, device, CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE;
    return rule ? InPlace::intels_rule : InPlace::never;
}

} // namespace

bool has_prefix(std::string_view name, const Traits& traits) {
    return !traits.builtin_prefix.empty() &&
           (name == "ctz" || name.starts_with("atomic_") || name.starts_with("read_image") ||
            name.starts_with("write_image") || name.starts_with("get_image_") ||
            translate::prelude_provides(translate::Dialect::host, name));
}

std::string_view users_name(std::string_view name, const Traits& traits) {
    const std::size_t prefix = name.starts_with(traits.builtin_prefix) ? traits.builtin_prefix.size() : 0;
    return name.substr(has_prefix(name.substr(prefix), traits) ? prefix : 0);
}

Traits read_traits(const Api& api, cl_platform_id platform, cl_device_id device) {
    Traits traits;
    traits.version = std::min(version_number(platform_text(api, platform, CL_PLATFORM_VERSION)),
                              version_number(device_text(api, device, CL_DEVICE_VERSION)));
    traits.device_name = device_name(api, device);
    traits.platform_name = platform_text(api, platform, CL_PLATFORM_NAME);
    if (api.clSVMAlloc != nullptr && api.clSVMFree != nullptr && api.clSetKernelArgSVMPointer != nullptr) {
        traits.svm = device_value<cl_device_svm_capabilities>(api, device, CL_DEVICE_SVM_CAPABILITIES);
    }
    // PoCL 5 offers both kinds of pointers; SVM is the established one.
    const bool pocl_svm = traits.platform_name == "Portable Computing Language" &&
                          (traits.svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0;
    if (!pocl_svm && api.clSetKernelArgMemPointerINTEL != nullptr && api.clEnqueueMemcpyINTEL != nullptr &&
        api.clEnqueueMemFillINTEL != nullptr && api.clMemFreeINTEL != nullptr) {
        const auto allows = [&](cl_device_info what) {
            return (device_value<cl_bitfield>(api, device, what) & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL) !=
                   0;
        };
        traits.usm_device =
            api.clDeviceMemAllocINTEL != nullptr && allows(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL);
        traits.usm_host = api.clHostMemAllocINTEL != nullptr && allows(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL);
        traits.usm_shared = api.clSharedMemAllocINTEL != nullptr &&
                            allows(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL);
        traits.usm_migrates =
            api.clEnqueueMigrateMemINTEL != nullptr &&
            extension_version(api, device, "cl_intel_unified_shared_memory") >= CL_MAKE_VERSION(1, 2, 0);
    }
    if (api.clCreateProgramWithIL != nullptr || api.clCreateProgramWithILKHR != nullptr) {
        traits.spirv = highest_spirv(device_text(api, device, il_version));
    }
    const bool mesa = traits.platform_name == "rusticl" || traits.platform_name == "Clover";
    const bool cpu = kind_of(required_value<cl_device_type>(api, device, CL_DEVICE_TYPE)) == DeviceKind::cpu;
    const bool nvidia = traits.platform_name == "NVIDIA CUDA";
    traits.keeps_programs = mesa;
    traits.binaries_take_options = nvidia;
    traits.parts_go_wrong = nvidia;
    traits.captures_writes = nvidia;
    traits.short_offsets = nvidia;
    traits.blocks_too_short = mesa;
    traits.unmaps_late = mesa;
    traits.merges_rows = mesa;
    const std::string version = platform_text(api, platform, CL_PLATFORM_VERSION);
    int pocl = 0;
    const std::size_t at = version.find("PoCL ");
    const bool is_pocl = at != std::string::npos && std::sscanf(version.c_str() + at, "PoCL %d", &pocl) == 1;
    traits.finish_waits_on = is_pocl;
    traits.miscounts_grids = is_pocl && pocl < 6;
    traits.lacks_group_waits = is_pocl && pocl == 5;
    traits.waits_for_linker = is_pocl;
    if (nvidia || is_pocl) {
        traits.longest_name = nvidia ? 1000 : 200;
    }
    const std::size_t stack = detail::stack_of_new_threads();
    constexpr std::size_t frames = std::size_t{64} << 10U; // Of the driver's own functions.
    if (cpu && (is_pocl || mesa) && stack > frames) {
        traits.private_bytes = stack - frames;
        traits.private_items = is_pocl ? 0 : 8;
    }
    traits.builtin_prefix = is_pocl ? "_cl_" : "";
    traits.shares_buffers = cpu;
    traits.imports = imports_of(api, device, traits, cpu);
    traits.group_size_is_hint = mesa || cpu;
    return traits;
}

DeviceInfo read_info(const Api& api, cl_device_id device, const Traits& traits) {
    const std::string extensions = device_text(api, device, CL_DEVICE_EXTENSIONS);
    DeviceInfo info;
    info.backend = Backend::opencl;
    info.name = traits.device_name;
    info.vendor = device_text(api, device, CL_DEVICE_VENDOR);
    info.platform = traits.platform_name;
    info.driver_version = device_text(api, device, CL_DRIVER_VERSION);
    info.api_version =
        "OpenCL " + std::to_string(traits.version / 10) + "." + std::to_string(traits.version % 10);
    info.kind = kind_of(required_value<cl_device_type>(api, device, CL_DEVICE_TYPE));
    if (info.kind == DeviceKind::cpu) {
        info.integrated = true;
    } else if (info.kind == DeviceKind::gpu) {
        info.integrated = device_value<cl_bool>(api, device, CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE;
    }
    read_limits(api, device, info);
    info.sub_group_width = sub_group_width(api, device, extensions);
    info.fp16 = has_word(extensions, "cl_khr_fp16");
    info.fp64 = has_word(extensions, "cl_khr_fp64") ||
                device_value<cl_device_fp_config>(api, device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    info.int64_atomics = has_word(extensions, "cl_khr_int64_base_atomics");
    // Time stamps of drivers with steps of zero nanoseconds are meaningless.
    info.timing = (device_value<cl_command_queue_properties>(api, device, CL_DEVICE_QUEUE_PROPERTIES) &
                   CL_QUEUE_PROFILING_ENABLE) != 0 &&
                  device_value<std::size_t>(api, device, CL_DEVICE_PROFILING_TIMER_RESOLUTION) != 0;
    info.compiles = required_value<cl_bool>(api, device, CL_DEVICE_COMPILER_AVAILABLE) != CL_FALSE;
    info.compile_note =
        info.compiles ? "the driver's compiler for " + device_text(api, device, CL_DEVICE_OPENCL_C_VERSION)
                      : "the driver brings no compiler (CL_DEVICE_COMPILER_AVAILABLE is false)";
    info.host_memory = true;
    info.shared_memory = traits.usm_shared || (traits.svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0;
    info.prefetch = info.shared_memory &&
                    (traits.usm_shared ? traits.usm_migrates : api.clEnqueueSVMMigrateMem != nullptr);
    info.queue_priority =
        api.clCreateCommandQueueWithProperties != nullptr && has_word(extensions, "cl_khr_priority_hints");
    info.pci_address = pci_address(api, device, extensions);
    info.uuid = uuid(api, device, extensions);
    if (has_word(extensions, "cl_nv_device_attribute_query")) {
        info.architecture =
            "sm_" +
            std::to_string(device_value<cl_uint>(api, device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV)) +
            std::to_string(device_value<cl_uint>(api, device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV));
    } else if (has_word(extensions, "cl_amd_device_attribute_query") && info.name.rfind("gfx", 0) == 0) {
        info.architecture = info.name;
        const std::string board = device_text(api, device, board_name_amd);
        info.name = board.empty() ? info.name : board;
    }
    return info;
}

} // namespace ferry::opencl
