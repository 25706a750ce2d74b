// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache/cache_key.hpp"
#include "emit_spirv/print_texts.hpp"
#include "hal/backend.hpp"
#include "vulkan_pace.hpp"
#include "vulkan_reflection.hpp"
#include "vulkan_types.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace ferry::vulkan {

class VulkanDevice;

/// The specialisation constants of a launch: the group size, then the bytes of each local parameter.
class LaunchConstants {
public:
    explicit LaunchConstants(const Dim3& local) noexcept
        : values_{static_cast<std::uint32_t>(local.x), static_cast<std::uint32_t>(local.y),
                  static_cast<std::uint32_t>(local.z)} {}
    /// Each local array starts at a multiple of 16 bytes.
    void add_local(std::size_t bytes) noexcept {
        values_[count_++] = static_cast<std::uint32_t>((bytes + 15) / 16 * 16);
    }
    std::span<const std::uint32_t> span() const noexcept { return {values_.data(), count_}; }

private:
    std::array<std::uint32_t, 3 + max_arguments> values_;
    std::size_t count_ = 3;
};

/// An entry point of a program with its pipelines, which all kernels of this name share.
class VulkanEntry {
public:
    /// `module` outlives it. `program`: a digest of the module's words.
    VulkanEntry(VulkanDevice& device, ShaderModule module, std::string program, EntryLayout layout,
                std::shared_ptr<const emit_spirv::PrintTexts> print_texts, KernelInfo info, bool is_compiled,
                bool optimised);
    VulkanEntry(const VulkanEntry&) = delete;
    VulkanEntry& operator=(const VulkanEntry&) = delete;
    ~VulkanEntry();

    const KernelInfo& info() const noexcept { return info_; }
    const EntryLayout& layout() const noexcept { return layout_; }
    /// The formats of its module.
    const std::shared_ptr<const emit_spirv::PrintTexts>& print_texts() const noexcept { return print_texts_; }
    PipelineLayout pipeline_layout() const noexcept;
    /// Whether the module is written by Ferry's compiler.
    bool is_compiled() const noexcept { return is_compiled_; }
    /// Made at the first call with these constants, which takes 10 to 100 ms.
    Pipeline pipeline(const LaunchConstants& constants);
    std::size_t pipelines();
    std::size_t local_parameters() const noexcept { return local_parameters_.size(); }
    const std::shared_ptr<Pace>& pace() const noexcept { return pace_; }

private:
    struct Objects;

    Pipeline make(std::span<const std::uint32_t> constants);
    cache::Key key(std::span<const std::uint32_t> constants) const;

    VulkanDevice& device_;
    ShaderModule module_;
    std::string program_;
    EntryLayout layout_;
    std::shared_ptr<const emit_spirv::PrintTexts> print_texts_;
    KernelInfo info_;
    bool is_compiled_;
    bool optimised_;
    std::vector<std::uint32_t> local_parameters_; ///< By index.
    std::shared_ptr<Pace> pace_;
    std::mutex mutex_; ///< Of the pipelines.
    std::unique_ptr<Objects> objects_;
};

class VulkanKernel final : public backend::Kernel {
public:
    explicit VulkanKernel(VulkanEntry& entry) noexcept : entry_(entry) {}

    const KernelInfo& info() const override { return entry_.info(); }
    void prepare(const Dim3& local, std::span<const std::size_t> local_bytes) override;
    void* native() override { return entry_.pipeline_layout(); }
    /// A module of the program without the struct of a launch has no place for an offset.
    std::size_t most_offset() const override {
        return entry_.is_compiled() || entry_.layout().launch_offset ? Kernel::most_offset() : 0;
    }

    VulkanEntry& entry() const noexcept { return entry_; }

private:
    VulkanEntry& entry_;
};

/// The description of a kernel of the user, as far as its module has one.
KernelInfo describe(const VulkanDevice& device, const EntryLayout& layout);

} // namespace ferry::vulkan
