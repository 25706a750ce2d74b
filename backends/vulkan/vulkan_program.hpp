// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emit_spirv/print_texts.hpp"
#include "hal/backend.hpp"
#include "vulkan_reflection.hpp"
#include "vulkan_types.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace ferry::vulkan {

class Module;
struct Traits;
class VulkanDevice;
class VulkanEntry;

class VulkanProgram final : public backend::Program {
public:
    /// The description of a kernel in OpenCL C by the compiler.
    using Described = std::vector<KernelInfo>;
    /// The kernels that the compiler could not express, and the reason of each.
    using Refused = std::map<std::string, std::string>;

    /// `described`: empty for a module of the user. `optimised`: whether the driver optimises its pipelines.
    VulkanProgram(VulkanDevice& device, std::span<const std::uint32_t> words, Described described,
                  Refused refused, std::string log, bool optimised = true);
    ~VulkanProgram() override;

    std::unique_ptr<backend::Kernel> kernel(const std::string& name) override;
    std::vector<std::string> kernel_names() override;
    const std::string& log() const override { return log_; }
    /// The SPIR-V module.
    std::vector<std::byte> binary() override;

private:
    std::unique_ptr<VulkanEntry> make_entry(const EntryLayout& layout) const;

    VulkanDevice& device_;
    std::vector<std::uint32_t> words_;
    std::vector<EntryLayout> layouts_;
    std::shared_ptr<const emit_spirv::PrintTexts> print_texts_;
    Described described_;
    Refused refused_;
    std::string log_;
    bool optimised_;
    std::string digest_;
    ShaderModule module_ = nullptr;
    std::mutex mutex_;
    std::map<std::string, std::unique_ptr<VulkanEntry>> entries_; ///< By name. Made when they are asked for.
};

/// The capabilities of a module that need a feature that the device lacks, as a list. The driver checks all
/// other capabilities.
std::string missing_capabilities(const Module& module, const Traits& traits);

backend::Fit fit_source(const VulkanDevice& device, const Source& source);
std::unique_ptr<backend::Program> build_program(VulkanDevice& device, const Source& source,
                                                const BuildOptions& options);

} // namespace ferry::vulkan
