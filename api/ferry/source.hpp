// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/export.hpp>
#include <ferry/host_kernel.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ferry {

/// The language of a variant of a program.
enum class Language : std::uint8_t {
    opencl_c,      ///< OpenCL C text: built by the OpenCL driver, or translated (docs/kernel-language.md).
    cuda,          ///< CUDA C++ text, built by NVRTC.
    hip,           ///< HIP C++ text, built by hipRTC.
    ptx,           ///< NVIDIA PTX text, built by the CUDA driver.
    cubin,         ///< NVIDIA machine code (cubin or fatbin).
    code_object,   ///< AMD code object.
    opencl_binary, ///< A result of Program::binary() on the same OpenCL device and driver.
    spirv,         ///< SPIR-V, for OpenCL drivers that support it, or for Vulkan.
    host,          ///< Functions of this program, for the host backend.
};

/// "OpenCL C", "CUDA C++", "PTX" and so on.
FERRY_API std::string_view to_string(Language language) noexcept;

/// One variant of a program: code in one language. A Program is made from one or more variants and uses the
/// best one that its device can run. A Source owns a copy of its text or bytes. Language::host is the
/// exception: it refers to the caller's table, which must outlive the programs made from it, so make the
/// table static.
class FERRY_API Source {
public:
    /// `name` is the file name in diagnostics.
    static Source opencl_c(std::string_view text, std::string_view name = "kernel.cl");
    static Source cuda(std::string_view text, std::string_view name = "kernel.cu");
    static Source hip(std::string_view text, std::string_view name = "kernel.hip");
    /// One text for both NVRTC and hipRTC, written in the common subset of CUDA and HIP. Returns two
    /// variants.
    static std::vector<Source> cuda_and_hip(std::string_view text, std::string_view name = "kernel.cu");
    static Source ptx(std::string_view text, std::string_view name = "kernel.ptx");
    /// `architecture` is the compilation target ("sm_90", "gfx90a"). It decides whether a device can use the
    /// binary. Empty means unknown; such a binary is used only if no other variant fits.
    static Source cubin(std::span<const std::byte> bytes, std::string_view architecture);
    static Source code_object(std::span<const std::byte> bytes, std::string_view architecture);
    /// `architecture` is the name of the device that the binary was built on, as in DeviceInfo::name.
    static Source opencl_binary(std::span<const std::byte> bytes, std::string_view architecture);
    static Source spirv(std::span<const std::byte> bytes);
    static Source host(std::span<const HostKernel> kernels);
    /// Translated kernels inside the program itself: a result of EmbeddedKernels::HostCode. For embedded
    /// kernels.
    static Source host_module(const void* module);
    /// The same code together with its OpenCL C source, which provides the names and types of parameters.
    Source compiled_from(std::string_view text, std::string_view name) const;
    /// The same OpenCL C, to be built with BuildOptions::global_offsets, or code that was compiled from it
    /// with that option. No effect on other languages.
    Source with_global_offsets() const;

    Language language() const noexcept { return language_; }
    const std::string& name() const noexcept { return name_; }
    const std::string& architecture() const noexcept { return architecture_; }
    /// The text or bytes. Empty for Language::host.
    const std::string& contents() const noexcept { return contents_; }
    std::span<const HostKernel> host_kernels() const noexcept { return host_kernels_; }
    const void* host_module() const noexcept { return host_module_; }
    /// The text passed to compiled_from(), otherwise empty.
    const std::string& text() const noexcept { return text_; }
    /// True if made by with_global_offsets().
    bool global_offsets() const noexcept { return global_offsets_; }

private:
    Source(Language language, std::string contents, std::string_view name, std::string_view architecture);

    Language language_{};
    std::string contents_;
    std::string name_;
    std::string architecture_;
    std::span<const HostKernel> host_kernels_;
    const void* host_module_ = nullptr;
    std::string text_;
    bool global_offsets_ = false;
};

} // namespace ferry
