// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "vulkan_reflection.hpp"
#include "vulkan_types.hpp"

#include <mutex>
#include <span>
#include <vector>

namespace ferry::vulkan {

class VulkanDevice;

class VulkanKernel final : public backend::Kernel {
public:
    /// `module` outlives it.
    VulkanKernel(VulkanDevice& device, ShaderModule module, EntryLayout layout, KernelInfo info,
                 bool is_compiled);
    ~VulkanKernel() override;

    const KernelInfo& info() const override { return info_; }
    void* native() override { return layout_handle_; }
    /// A module of the program without the struct of a launch has no place for an offset.
    std::size_t most_offset() const override {
        return is_compiled_ || layout_.launch_offset ? Kernel::most_offset() : 0;
    }

    const EntryLayout& layout() const noexcept { return layout_; }
    PipelineLayout pipeline_layout() const noexcept { return layout_handle_; }
    /// Whether the module is written by Ferry's compiler.
    bool is_compiled() const noexcept { return is_compiled_; }
    /// The pipeline for a group size followed by the bytes of each local parameter. Made at the first call,
    /// which takes 10 to 100 ms.
    Pipeline pipeline(std::span<const std::uint32_t> constants);

private:
    struct Made {
        std::vector<std::uint32_t> constants;
        Pipeline pipeline = nullptr;
    };

    Pipeline make(std::span<const std::uint32_t> constants);

    VulkanDevice& device_;
    ShaderModule module_;
    EntryLayout layout_;
    KernelInfo info_;
    bool is_compiled_;
    std::vector<std::uint32_t> local_parameters_; ///< By index.
    PipelineLayout layout_handle_ = nullptr;
    std::mutex mutex_;
    std::vector<Made> pipelines_;
};

/// The description of a kernel of the user, as far as its module has one.
KernelInfo describe(const VulkanDevice& device, const EntryLayout& layout);

} // namespace ferry::vulkan
