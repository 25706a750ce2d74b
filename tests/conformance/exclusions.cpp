// SPDX-License-Identifier: Apache-2.0
#include "exclusions.hpp"

#include "child/tool.hpp"
#include "devices.hpp"

#include <cstdlib>

namespace conformance {
namespace {

bool no_host_memory(const ferry::DeviceInfo& info) {
    return !info.host_memory;
}
bool no_shared_memory(const ferry::DeviceInfo& info) {
    return !info.shared_memory;
}
bool no_double(const ferry::DeviceInfo& info) {
    return !info.fp64;
}
// NVIDIA's OpenCL supports half but does not report cl_khr_fp16.
bool no_half(const ferry::DeviceInfo& info) {
    return !info.fp16 && info.platform != "NVIDIA CUDA";
}
bool old_compiler(const ferry::DeviceInfo&) { // assumes that the tests and the stand-in use the same compiler
    return __GNUC__ < 13;
}
bool no_int64_atomics(const ferry::DeviceInfo& info) {
    return !info.int64_atomics;
}

bool nvidia_gpu(const ferry::DeviceInfo& info) {
    return info.kind == ferry::DeviceKind::gpu && info.name.find("NVIDIA") != std::string::npos;
}
bool mesa_22(const ferry::DeviceInfo& info) {
    return std::atoi(info.driver_version.c_str()) <= 22; // NOLINT(cert-err34-c): it begins with a number
}
bool takes_no_spirv(const ferry::DeviceInfo& info) {
    // Drivers known to accept SPIR-V. No query answers this without the driver.
    const bool intel = info.platform.find("Intel") != std::string::npos;
    // version 25.2 does
    const bool rusticl = info.platform.find("rusticl") != std::string::npos && !mesa_22(info);
    return info.backend != ferry::Backend::opencl || !(intel || rusticl);
}
bool is_opencl(const ferry::DeviceInfo& info) {
    return info.backend == ferry::Backend::opencl;
}
bool not_opencl(const ferry::DeviceInfo& info) {
    return !is_opencl(info);
}
bool compiles_nothing(const ferry::DeviceInfo& info) {
    return !info.compiles;
}
bool driver_on_processor(const ferry::DeviceInfo& info) {
    return info.backend != ferry::Backend::host && info.kind == ferry::DeviceKind::cpu;
}
bool not_cuda(const ferry::DeviceInfo& info) {
    return info.backend != ferry::Backend::cuda;
}
bool not_vulkan(const ferry::DeviceInfo& info) {
    return info.backend != ferry::Backend::vulkan;
}
bool has_no_second_api(const ferry::DeviceInfo& info) {
    return not_vulkan(info) ||
           (std::getenv("FERRY_CUDA_LIBRARY") == nullptr && std::getenv("FERRY_HIP_LIBRARY") == nullptr);
}
bool not_host(const ferry::DeviceInfo& info) {
    return info.backend != ferry::Backend::host;
}
bool has_no_tool(const ferry::DeviceInfo&) {
    return ferry::detail::child_run::find_tool().path.empty();
}
bool is_sanitized(const ferry::DeviceInfo&) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#else
    return false;
#endif
}
bool not_double(const ferry::DeviceInfo& info) {
    return info.name.find(" double on the CPU") == std::string::npos;
}
bool not_strict(const ferry::DeviceInfo& info) {
    return info.name.find(", strict") == std::string::npos;
}
bool not_small(const ferry::DeviceInfo& info) {
    return not_double(info) && not_strict(info);
}
// Whether the device is emulated in each process.
bool is_emulated(const ferry::DeviceInfo& info) {
    return info.name.find("Emulated AMD GPU") != std::string::npos;
}
bool knows_no_others(const ferry::DeviceInfo& info) {
    const std::string id = std::string(ferry::to_string(info.backend)) + ":" + std::to_string(info.index);
    return !not_small(info) || is_emulated(info) || !ferry::find_device(id).memory().free;
}
bool not_opencl_12(const ferry::DeviceInfo& info) {
    const char* const opencl = std::getenv("FERRY_OPENCL_LIBRARY");
    return !is_opencl(info) || opencl == nullptr ||
           std::string_view(opencl).find("libferry_opencl_12") == std::string_view::npos;
}
bool cannot_fail(const ferry::DeviceInfo& info) {
    return not_host(info) && not_double(info) && not_opencl_12(info);
}
bool never_exits(const ferry::DeviceInfo& info) {
    return not_double(info) && not_opencl_12(info);
}
bool not_vulkan_double(const ferry::DeviceInfo& info) {
    const char* const library = std::getenv("FERRY_VULKAN_LIBRARY");
    return not_vulkan(info) || library == nullptr ||
           std::string_view(library).find("libferry_vulkan") == std::string_view::npos;
}
bool not_lost_by_faults(const ferry::DeviceInfo& info) {
    return not_vulkan_double(info) && not_cuda(info) && not_double(info) &&
           info.architecture != "gfx000" && // HIP on CUDA
           !(info.platform == "NVIDIA CUDA" && info.kind == ferry::DeviceKind::gpu);
}
bool reads_during_the_call(const ferry::DeviceInfo& info) {
    return info.backend == ferry::Backend::cuda || info.backend == ferry::Backend::hip;
}
bool checks_races(const ferry::DeviceInfo&) {
    const char* const check = std::getenv("FERRY_CHECK");
    return check != nullptr && std::string_view(check) == "races";
}
bool finds_nothing_freed(const ferry::DeviceInfo& info) {
    return !checks_races(info) || no_host_memory(info);
}
constexpr std::string_view cuda_double = "CUDA double on the CPU";
constexpr std::string_view on_doubles = "only the stand-ins of CUDA and HIP on the CPU do that";
constexpr std::string_view no_pool = "the strict host device watches each allocation and has no pool";
bool imports_nothing(const ferry::DeviceInfo& info) {
    const std::string id = std::string(ferry::to_string(info.backend)) + ":" + std::to_string(info.index);
    return !ferry::find_device(id)
                .capabilities(ferry::MemoryKind::imported, ferry::Probe::declared)
                .available;
}
constexpr std::string_view no_alias = "the strict host device shares no memory in place";
constexpr std::string_view own_programs = "the driver keeps programs on disk itself, and Ferry does not";
constexpr std::string_view no_translation = "Ferry's own compiler takes milliseconds, and nothing is kept";
constexpr std::string_view no_faults = "a launch cannot be made to fail there without losing the device";

} // namespace

const std::vector<Exclusion>& exclusions() {
    static const std::vector<Exclusion> rows{
        {"memory kind host:*", "*", Why::unsupported,
         "the device has no page-locked memory (DeviceInfo::host_memory)", no_host_memory},
        {"memory kind shared:*", "*", Why::unsupported,
         "the device has no memory of one address for both sides (DeviceInfo::shared_memory)",
         no_shared_memory},
        {"pool: memory in flight is waited for before*", "*", Why::unsupported,
         "the device has no page-locked memory (DeviceInfo::host_memory)", no_host_memory},
        {"pool: a wait for a queue whose command fails*", "*", Why::unsupported,
         "only the host's kernels can be made to throw", not_host},
        {"pool: memory in flight is waited for before*", ", strict", Why::unsupported, no_pool},
        {"pool: a wait for a queue whose command fails*", ", strict", Why::unsupported, no_pool},
        {"pool: another queue waits where*", ", strict", Why::unsupported, no_pool},
        {"pool: one queue uses the same memory again*", ", strict", Why::unsupported, no_pool},
        {"pool: the double*", "*", Why::unsupported, on_doubles, not_double},
        {"pool: trim gives back*", ", strict", Why::unsupported, no_pool},
        {"pool: what is idle makes room*", ", strict", Why::unsupported, no_pool},
        {"kernel: double precision", "*", Why::expected_failure,
         "the device has no double precision (DeviceInfo::fp64)", no_double},
        {"kernel: half precision", "*", Why::expected_failure,
         "the device has no half precision (DeviceInfo::fp16)", no_half},
        {"kernel: half precision", "HIP double on the CPU", Why::sometimes,
         "the host's compiler builds its kernels, which has half types from g++ 13 on", old_compiler},
        {"kernel: 64-bit atomics*", "*", Why::expected_failure,
         "the device has no 64-bit atomics (DeviceInfo::int64_atomics)", no_int64_atomics},
        {"program: binary*", "host", Why::unsupported, "functions of the program have no binary"},
        {"intermediate: SPIR-V*", "*", Why::unsupported, "the driver takes no SPIR-V", takes_no_spirv},
        {"intermediate: PTX*", "*", Why::unsupported, "PTX is CUDA's", not_cuda},
        {"intermediate: PTX*", cuda_double, Why::expected_failure,
         "the processor runs no PTX; the stand-in takes its own compiler's alone"},
        {"handles of Vulkan*", "*", Why::expected_failure, "the device has no handles of Vulkan", not_vulkan},
        {"interop: Vulkan's handles of other*", "vulkan", Why::unsupported, "the device has these handles"},
        {"vulkan submits: *", "*", Why::unsupported, "only Vulkan submits with vkQueueSubmit", not_vulkan},
        {"interop *", "host", Why::unsupported, "no vendor has handles for the processor"},
        {"interop native: borrowed memory stays its owner's*", "vulkan", Why::expected_failure,
         "Vulkan does not report whether adopted memory exists"},
        {"exported: CUDA's or HIP's*", "*", Why::unsupported,
         "no stand-in of CUDA or HIP is named for memory of Vulkan", has_no_second_api},
        {"exported: *", "*", Why::unsupported, "only Vulkan devices export memory", not_vulkan},
        {"exported by no device*", "vulkan", Why::expected_failure, "Vulkan devices export memory"},
        {"external memory: a file of the test*", "*", Why::unsupported,
         "only the stand-ins take a file as memory", not_double},
        {"interop order, completed by the program*", "*", Why::unsupported,
         "only OpenCL has events that the program completes", not_opencl},
        {"lifetime: exit from*", "rusticl", Why::sometimes,
         "Mesa 22.3: its compiler's exit handlers may run before Ferry's, by exit() on another thread while "
         "the "
         "first launches compile; 2 of 1462 processes that ended at a random moment crashed",
         mesa_22},
        {"lifetime: exit while threads enqueue", "rusticl", Why::sometimes,
         "Mesa 22.3: the same while threads enqueue", // docs/design/queues.md
         mesa_22},
        {"lifetime: the vendor calls exit()*", "*", Why::unsupported,
         "only the stand-ins of CUDA, HIP and OpenCL 1.2 call exit()", never_exits},
        {"lifetime: exit handlers registered before the first wait*", "*", Why::expected_failure,
         "the driver's compiler may register exit handlers in the first launch, and Ferry's must run before "
         "them",
         driver_on_processor},
        {"memory debug: a write to memory of a buffer that is gone", ", strict", Why::expected_failure,
         "the strict host device ends the process at the write itself, with words of its own"},
        {"error: a failed launch*", "*", Why::unsupported, no_faults, cannot_fail},
        {"error: the queue works*", "*", Why::unsupported, no_faults, cannot_fail},
        {"error: other queues*", "*", Why::unsupported, no_faults, cannot_fail},
        {"error: a queue that waits*", "*", Why::unsupported, no_faults, cannot_fail},
        {"error: nobody asks*", "*", Why::unsupported, no_faults, cannot_fail},
        {"error: map throws*", "*", Why::unsupported, no_faults, cannot_fail},
        {"error: read and copy_and_wait*", "*", Why::unsupported, no_faults, cannot_fail},
        {"error: one that throws something else*", "*", Why::unsupported,
         "only the host runs C++ that can throw", not_host},
        {"error: work-items that part*", "*", Why::unsupported,
         "only the host sees it; elsewhere it is undefined", not_host},
        {"error: a lost device*", "*", Why::unsupported,
         "a kernel that writes to null ends the process there, or nothing says what it does",
         not_lost_by_faults},
        {"error: the double*", "*", Why::unsupported, on_doubles, not_double},
        {"share order: on the host*", "*", Why::unsupported, "only the host's queues are held by a function",
         not_host},
        {"batch: takes from host memory what*", "*", Why::unsupported,
         "a batch's ordinary memory is read during the call (batch.hpp), there without a wait",
         reads_during_the_call},
        {"share: the race check finds a buffer that ends*", "*", Why::unsupported,
         "without FERRY_CHECK=races, or page-locked memory, nothing finds it", finds_nothing_freed},
        {"import: *", "*", Why::unsupported,
         "the device takes no memory of the program's (MemoryCapabilities::available)", imports_nothing},
        {"import: the double*", "*", Why::unsupported, on_doubles, not_double},
        {"pool, late: so does one that a thread of the library carries out", "*", Why::sometimes,
         "with FERRY_CHECK=races a recorded staged copy is seldom late", checks_races},
        {"pool, late: so does one that a thread of the library carries out", "vulkan", Why::sometimes,
         "Mesa's driver for processors runs the work of all queues in one order", driver_on_processor},
        {"pool, late: so does one that a thread of the library carries out", "rusticl", Why::sometimes,
         "Mesa's driver for processors runs the work of all queues in one order (22.3)", mesa_22},
        {"private memory: the group that a launch chooses*", "vulkan", Why::expected_failure,
         "NVIDIA's Vulkan driver makes no pipeline for 64 KiB of private memory and groups of 256 (580)",
         nvidia_gpu},
        {"import: mapped, its share is refused*", "*", Why::sometimes,
         "FERRY_CHECK=races reports the mapping itself, which writes past the share", checks_races},
        {"map: the double*", "*", Why::unsupported, on_doubles, not_double},
        {"queue: the double*", "*", Why::unsupported, on_doubles, not_double},
        {"share order: on the host, a fresh version has*", ", strict", Why::unsupported, no_alias},
        {"share order: on the host, a version whose*", ", strict", Why::unsupported, no_alias},
        {"share order: the double*", "*", Why::unsupported, on_doubles, not_double},
        {"capabilities: the double*", "*", Why::unsupported,
         "only the stand-ins of CUDA and HIP on the CPU count their calls", not_double},
        {"capabilities: the double is measured once*", "*", Why::unsupported,
         "nothing is measured without the ferry tool", has_no_tool},
        {"private memory: what the system does not give*", "*", Why::unsupported,
         "a sanitizer needs more addresses while the limit leaves none", is_sanitized},
        {"device: what is free *", "*", Why::unsupported,
         "only the stand-ins on the CPU and the strict host device are small enough to be filled up",
         not_small},
        {"stream: more data than the device has memory", "*", Why::unsupported,
         "only the strict host device has so little memory", not_strict},
        {"device: what is held here*", "*", Why::unsupported,
         "what is free is not known there, or another process has a device of its own", knows_no_others},
        {"recording: the double*", "*", Why::unsupported, on_doubles, not_double},
        {"recording: an error in the middle of the double*", "*", Why::unsupported, on_doubles, not_double},
        {"program cache: *", "*", Why::unsupported, "only OpenCL's programs are kept by their backend",
         not_opencl},
        {"translation cache: *", "*", Why::unsupported, "OpenCL's programs are not translated", is_opencl},
        {"translation cache: one is kept*", "vulkan", Why::unsupported, no_translation},
        {"translation cache: an entry*", "vulkan", Why::unsupported, no_translation},
        {"program cache: an OpenCL program*", "rusticl", Why::unsupported, own_programs},
        {"program cache: code that the driver*", "rusticl", Why::unsupported, own_programs},
        {"embedded: macros of the build options*", "*", Why::unsupported,
         "there is no compiler at run time (DeviceInfo::compiles)", compiles_nothing},
        {"wait: blocking leaves*", "*", Why::unsupported,
         "how OpenCL's one wait waits is the driver's affair", is_opencl},
        {"staging fault: the double*", "*", Why::unsupported, on_doubles, not_double},
        {"transfer fault: the double*", "*", Why::unsupported, on_doubles, not_double},
    };
    return rows;
}

bool excludes(const Exclusion& row, std::string_view test, const ferry::Device& device) {
    const bool begins = !row.test.empty() && row.test.back() == '*';
    const std::string_view wanted = row.test.substr(0, row.test.size() - (begins ? 1 : 0));
    return (begins ? test.substr(0, wanted.size()) == wanted : test == wanted) &&
           matches(device, row.device) && (row.applies == nullptr || row.applies(device.info()));
}

const Exclusion* find_exclusion(std::string_view test, std::initializer_list<ferry::Device> devices) {
    for (const Exclusion& row : exclusions()) {
        for (const ferry::Device& device : devices) {
            if (excludes(row, test, device)) {
                return &row;
            }
        }
    }
    return nullptr;
}

} // namespace conformance
