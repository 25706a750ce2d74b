// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "host_launch.hpp"
#include "host_module.hpp"

#include <ferry/host_kernel.hpp>
#include <ferry/source.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ferry::translate {
struct Translation;
}

namespace ferry::host {

class HostEntry final : public backend::Kernel {
public:
    HostEntry(const HostKernel& kernel, std::size_t group_limit);
    /// `function`: all of it but the code.
    HostEntry(const ModuleKernel& kernel, KernelInfo info, std::size_t group_limit, Function function);
    const KernelInfo& info() const override { return info_; }
    const Function& function() const noexcept { return function_; }
    /// A thread of the pool runs one group at a time.
    std::optional<std::uint32_t> groups_per_unit(std::size_t, std::size_t) override { return 1; }
    /// Translated code counts in ints.
    std::size_t most_items() const override {
        return translated_ ? std::numeric_limits<std::int32_t>::max() : Kernel::most_items();
    }

private:
    Function function_;
    KernelInfo info_;
    bool translated_ = false;
};

/// Translated kernels, compiled into the application or by the system's compiler.
class TranslatedProgram final : public backend::Program {
public:
    TranslatedProgram(const Module& module, std::size_t group_limit)
        : module_(&module), group_limit_(group_limit) {}
    /// Compiled as strict code, from this translation.
    TranslatedProgram(const Module& module, std::size_t group_limit, const translate::Translation& strict);

    std::unique_ptr<backend::Kernel> kernel(const std::string& name) override;
    std::vector<std::string> kernel_names() override;
    const std::string& log() const override { return log_; }

private:
    const Module* module_;
    std::vector<std::string> any_order_; ///< kernels whose work-items may be run in either order
    bool prints_ = true;                 ///< some kernel may, or it is not known
    bool padded_vectors_ = false;        ///< the text has vectors of three elements
    const std::size_t group_limit_;
    std::string log_;
};

/// A table of functions in the application. Nothing has to be compiled.
class HostProgram final : public backend::Program {
public:
    /// Throws Error (build_failed) if two functions have the same name, or one is null.
    HostProgram(const Source& source, std::size_t group_limit);

    std::unique_ptr<backend::Kernel> kernel(const std::string& name) override;
    std::vector<std::string> kernel_names() override;
    const std::string& log() const override { return log_; }

private:
    std::span<const HostKernel> kernels_;
    const std::size_t group_limit_;
    std::string log_;
};

} // namespace ferry::host
