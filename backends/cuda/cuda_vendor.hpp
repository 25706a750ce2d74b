// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda/cuda_types.hpp"
#include "driver/driver_box.hpp"
#include "driver/driver_info.hpp"
#include "translate/dialect.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace ferry::cuda {

/// CUDA in the form that the templates of backends/driver take.
struct Vendor : Types {
    using SharedRows = driver::SharedSymbols<Types>;
    using OwnRows = driver::CudaSymbols<Types>;
    struct Symbols : SharedRows, OwnRows {};
    using CompilerSymbols = driver::CompilerSymbols<Types>;
    using OwnCompilerSymbols = driver::NvrtcSymbols<Types>;
    using Api = driver::Api<Vendor>;
    using Compiler = driver::Compiler<Vendor>;
    using Pointer = Types::Pointer;

    static constexpr Backend backend = Backend::cuda;
    static constexpr Language language = Language::cuda;
    static constexpr const char* vendor_name = "NVIDIA Corporation";
    static constexpr driver::Attributes attributes = cuda::attributes;
    static constexpr unsigned int host_memory_flags = host_portable_mapped;
    static constexpr int unregisters_any_memory = 0; ///< From this version on.
    static constexpr bool unregistering_frees = false;
    static constexpr bool imports_take_descriptors = true; ///< Of external memory, according to the manual.
    static constexpr int fills_short_ranges = 0;           ///< From this version on.
    static constexpr int captures_launches = 0;            ///< From this version on.
    static constexpr int sleeps_for_events = 0;            ///< From this version on.
    static constexpr bool load_takes_options = true;
    static constexpr bool local_memory_has_opt_in = true;
    static constexpr std::size_t local_memory_without_opt_in = std::size_t{48} * 1024;

    // The library
    static constexpr std::array library_names{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "libcuda.so"};
    static constexpr const char* library_variable = "FERRY_CUDA_LIBRARY";
    static constexpr const char* too_old_hint = "The driver is too old; install NVIDIA driver 450 or later.";
    static constexpr const char* no_device_hint =
        "See whether nvidia-smi lists the device, and whether CUDA_VISIBLE_DEVICES hides it.";
    static constexpr auto library_override = &backend::Libraries::cuda;
    static constexpr const char* api_name = "CUDA";
    static constexpr driver::VersionNumber version_number{1000, 10, 11000};
    static const auto& version_symbol(const Symbols& symbols) { return symbols.driver_version; }
    static std::string error_name(const Symbols& symbols, int code);
    static std::string error_text(const Symbols& symbols, int code);

    // Devices and contexts
    static void complete(const Api& api, int ordinal, DeviceInfo& info);
    static Context make_context(const Api& api, int ordinal, Device device);
    static void* native_context(Context context) { return context; }
    static constexpr bool handles_name_the_context = true;
    static constexpr bool graphs_outlive_their_handle =
        true; // Freed after they have run, according to the driver's manual.
    static constexpr bool graphs_need_one_root = false;

    // Memory
    static std::uint64_t to_number(Pointer pointer) noexcept { return pointer; }
    static Pointer to_pointer(std::uint64_t address) noexcept { return address; }
    static void* host_pointer(Pointer pointer) noexcept { return reinterpret_cast<void*>(pointer); }
    static UploadSource upload_source(const void* from) noexcept { return from; }
    static Pointer host_source(const void* memory) noexcept { return reinterpret_cast<Pointer>(memory); }
    static PeerSource peer_source(Pointer from) noexcept { return from; }
    static int copy_any(const Symbols& symbols, Pointer to, Pointer from, std::size_t bytes, Stream stream) {
        return symbols.copy_any(to, from, bytes, stream);
    }
    /// driver::helper_text in a form that the driver loads. Empty if there is none.
    static std::string helper_image(const Api& api, Compiler& compiler, const DeviceInfo& info);
    static constexpr const char* copy_box_peer_name = "cuMemcpy3DPeerAsync";
    static BoxCopy::End box_end(const driver::BoxEnd& end, bool peer);
    static int copy_box(const Symbols& symbols, const driver::BoxEnd& from, const driver::BoxEnd& to,
                        const backend::Box& box, Stream stream);
    static bool copies_boxes_between_devices(const Symbols& symbols) noexcept {
        return static_cast<bool>(symbols.copy_box_peer);
    }
    static int copy_box_peer(const Symbols& symbols, const driver::BoxEnd& from, const driver::BoxEnd& to,
                             const backend::Box& box, Stream stream);

    // Programs
    static constexpr bool takes_other_images = false; ///< See driver::image_problem().
    static bool takes(Language form) noexcept { return form == Language::ptx || form == Language::cubin; }
    static backend::Fit fit_binary(const Source& source, const DeviceInfo& info);
    static std::vector<KernelInfo> reflect_image(const std::string& image, const DeviceInfo& info);
    static void reflect_function(const Api& api, Function function, KernelInfo& info);
    static std::vector<std::string> function_names(const Api& api, Module module);
    static void opt_in_local_memory(const Api& api, Function function, int bytes);

    // The compiler
    static constexpr const char* compiler_name = "NVRTC";
    static constexpr bool compiler_is_serial = false;
    static void open_compiler(const Api& api, const backend::Libraries& libraries, Compiler& compiler);
    static const std::string& compiler_text(const Source& source) { return source.contents(); }
    static constexpr auto compiler_options = &BuildOptions::cuda;
    static constexpr translate::Dialect dialect = translate::Dialect::cuda;
    /// NVRTC has the version numbers of CUDA.
    static std::string compiler_release(int major, int minor, const std::string&) {
        return std::to_string(major) + '.' + std::to_string(minor);
    }
    static std::string translated_options(const Compiler& compiler);
    static constexpr const char* fast_math_option = " --use_fast_math";
    static void prepare_offline(Api& api, const backend::Libraries&) { api.version = 20000; } // Any NVRTC.
    static std::string oldest_architecture(const Compiler& compiler);
    static std::string oldest_machine(const Compiler& compiler);
    static std::vector<KernelInfo> code_kernels(const std::string& image);
    static std::string architecture_option(const std::string& architecture) {
        return "--gpu-architecture=" + architecture;
    }
    static Language code_language(const std::string& architecture) {
        return architecture.starts_with("sm_") ? Language::cubin : Language::ptx;
    }
    static constexpr const char* no_contraction_option = " --fmad=false";
    static constexpr auto source_of = &Source::cuda;
    static driver::Target compile_target(const Compiler& compiler, const std::string& architecture,
                                         const std::vector<std::string>& options);
    static void add_include_directories(const Compiler& compiler, std::vector<std::string>& options);
    static auto image_symbols(const CompilerSymbols& shared, const OwnCompilerSymbols& own,
                              bool machine_code) {
        return machine_code ? std::pair{own.cubin_size, own.cubin} : std::pair{shared.code_size, shared.code};
    }
};

} // namespace ferry::cuda
