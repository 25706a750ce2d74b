// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_box.hpp"
#include "driver/driver_info.hpp"
#include "hip/hip_metadata.hpp"
#include "hip/hip_types.hpp"
#include "translate/dialect.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace ferry::hip {

/// HIP in the form that the templates of backends/driver take.
struct Vendor : Types {
    using Pointer = void*;
    using Symbols = struct AllSymbols;
    using OwnRows = driver::HipSymbols<Types>;
    using SharedRows = driver::SharedSymbols<Types>;
    using OwnCompilerSymbols = driver::NoMoreSymbols<Types>;
    using CompilerSymbols = driver::CompilerSymbols<Types>;
    using Compiler = driver::Compiler<Vendor>;
    using Api = driver::Api<Vendor>;

    // Programs
    static backend::Fit fit_binary(const Source& source, const DeviceInfo& info);
    static constexpr bool takes_other_images = true; ///< See driver::image_problem().
    static constexpr bool takes(Language form) { return form == Language::code_object; }
    static std::vector<KernelInfo> reflect_image(const std::string& image, const DeviceInfo& info);
    static void reflect_function(const Api&, Function, KernelInfo&) {} // The image has all information.
    static std::vector<std::string> function_names(const Api&, Module) { return {}; }
    static constexpr bool load_takes_options = false; // AMD's loader ignores them, others reject them.
    static constexpr bool local_memory_has_opt_in = false;

    // hipRTC
    static constexpr bool compiler_is_serial = true;
    static constexpr const char* compiler_name = "hipRTC";
    static std::string compiler_text(const Source& source);
    static constexpr auto compiler_options = &BuildOptions::hip;
    static constexpr translate::Dialect dialect = translate::Dialect::hip;
    /// hipRTC has version numbers of its own. The number of its file is that of HIP.
    static std::string compiler_release(int major, int minor, const std::string& library);
    static std::string translated_options(const Compiler&) {
        return "-std=c++17 -O3 -Wno-c++11-narrowing -fno-strict-aliasing -Werror=undefined-internal";
    }
    static constexpr const char* fast_math_option = " -ffast-math";
    static void prepare_offline(Api& api, const backend::Libraries& libraries);
    static std::string oldest_architecture(const Compiler&) { return "gfx90a"; }
    static std::string oldest_machine(const Compiler&) { return "gfx90a"; }
    static std::vector<KernelInfo> code_kernels(const std::string& image) {
        return parse_code_object(image).kernels;
    }
    static std::string architecture_option(const std::string& architecture) {
        return "--offload-arch=" + architecture;
    }
    static Language code_language(const std::string&) { return Language::code_object; }
    static constexpr const char* no_contraction_option = " -ffp-contract=off";
    static constexpr auto source_of = &Source::hip;
    static void open_compiler(const Api& api, const backend::Libraries& libraries, Compiler& compiler);
    static driver::Target compile_target(const Compiler&, const std::string& architecture,
                                         const std::vector<std::string>& options);
    static void add_include_directories(const Compiler&, std::vector<std::string>&) {
    } // hipRTC has its own headers.
    static auto image_symbols(const CompilerSymbols& shared, const OwnCompilerSymbols&, bool) {
        return std::pair{shared.code_size, shared.code};
    }

    // Memory
    static constexpr unsigned int host_memory_flags = host_mapped;
    static constexpr int unregisters_any_memory = 50400000; ///< From this version on.
    /// hipHostRegister takes memory of hipHostMalloc, and hipHostUnregister then frees it:
    /// SvmBuffer::malloced() in ihipHostUnregister() of AMD's hip_memory.cpp.
    static constexpr bool unregistering_frees = true;
    static constexpr bool imports_take_descriptors = false; ///< HSA's import of a dma-buf leaves it open.
    /// From this version on a fill may end before the next multiple of 8 bytes. Earlier ones go on to the end
    /// of the memory: FillBufferInfo::PackInfo() in ROCclr's blit.cpp.
    static constexpr int fills_short_ranges = 50300000;
    /// From this version on. In earlier ones a launch runs at once on a stream that is captured.
    static constexpr int captures_launches = 50300000;
    /// From this version on a wait for an event with hipEventBlockingSync sleeps. Earlier ones spin:
    /// Device::IsHwEventReady() in ROCclr's rocdevice.cpp has no event flags up to ROCm 6.2.2.
    static constexpr int sleeps_for_events = 60300000;
    static void* host_pointer(void* pointer) noexcept { return pointer; }
    static void* host_source(const void* memory) noexcept { return const_cast<void*>(memory); }
    static void* upload_source(const void* from) noexcept { return const_cast<void*>(from); }
    static const void* peer_source(const void* from) noexcept { return from; }
    static void* to_pointer(std::uint64_t address) noexcept { return reinterpret_cast<void*>(address); }
    static std::uint64_t to_number(const void* pointer) noexcept {
        return reinterpret_cast<std::uint64_t>(pointer);
    }
    static int copy_any(const OwnRows& rows, void* to, const void* from, std::size_t bytes, Stream stream) {
        return rows.copy_any(to, from, bytes, copy_default, stream);
    }
    static int copy_box(const SharedRows& rows, const driver::BoxEnd& from, const driver::BoxEnd& to,
                        const backend::Box& box, Stream stream);
    /// driver::helper_text in a form that the driver loads. Empty if there is none.
    static std::string helper_image(const Api& api, Compiler& compiler, const DeviceInfo& info);
    static constexpr const char* copy_box_peer_name = "hipMemcpy3DAsync";
    // Whether hipMemcpy3DAsync reaches from one device to another, AMD does not say.
    static bool copies_boxes_between_devices(const SharedRows&) noexcept { return false; }
    static int copy_box_peer(const SharedRows&, const driver::BoxEnd&, const driver::BoxEnd&,
                             const backend::Box&, Stream) {
        return driver::result::invalid_value;
    }

    // Devices. HIP does not expose its contexts.
    static constexpr const char* vendor_name = "Advanced Micro Devices, Inc.";
    static constexpr Backend backend = Backend::hip;
    static constexpr Language language = Language::hip;
    static constexpr driver::Attributes attributes = hip::attributes;
    static void complete(const Api& api, int ordinal, DeviceInfo& info);
    static Context make_context(const Api&, int ordinal, Device) noexcept { return ordinal; }
    static void* native_context(Context) noexcept { return nullptr; }
    static constexpr bool handles_name_the_context = false; // This is not documented, and the query is cheap.
    static constexpr bool graphs_outlive_their_handle = false;
    // HIP 5.7 orders only the first of several roots after earlier work of the stream.
    static constexpr bool graphs_need_one_root = true;

    // The library
    static std::string error_text(const OwnRows& rows, int code);
    static std::string error_name(const OwnRows& rows, int code);
    // Before HIP 5.0 all numbers of device attributes differed.
    static constexpr driver::VersionNumber version_number{10000000, 100000, 50000000};
    static const auto& version_symbol(const OwnRows& rows) { return rows.runtime_version; }
    static constexpr const char* api_name = "HIP";
    static constexpr auto library_override = &backend::Libraries::hip;
    static constexpr const char* no_device_hint =
        "See whether rocminfo lists the device, whether this user may open /dev/kfd and /dev/dri/renderD*, "
        "and "
        "whether HIP_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES hides it.";
    static constexpr const char* too_old_hint = "ROCm 5.0 or later is needed.";
    static constexpr const char* library_variable = "FERRY_HIP_LIBRARY";
    static constexpr std::array library_names{"libamdhip64.so.7", "/opt/rocm/lib/libamdhip64.so.7",
                                              "libamdhip64.so.6", "/opt/rocm/lib/libamdhip64.so.6",
                                              "libamdhip64.so.5", "/opt/rocm/lib/libamdhip64.so.5",
                                              "libamdhip64.so",   "/opt/rocm/lib/libamdhip64.so"};
};

struct AllSymbols : Vendor::SharedRows, Vendor::OwnRows {};

} // namespace ferry::hip
