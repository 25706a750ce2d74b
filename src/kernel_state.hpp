// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"
#include "device_state.hpp"

#include <ferry/kernel.hpp>

#include <memory>
#include <span>
#include <string>

namespace ferry::detail {

class ProgramState {
public:
    DeviceState* device = nullptr;
    std::unique_ptr<backend::Program> native;
    Language language{};
    std::string explanation;
};

class KernelState {
public:
    KernelState(std::shared_ptr<ProgramState> program, std::unique_ptr<backend::Kernel> native)
        : program_(std::move(program)), native_(std::move(native)) {}

    DeviceState& device() const noexcept { return *program_->device; }
    backend::Kernel& native() const noexcept { return *native_; }
    const KernelInfo& info() const noexcept { return native_->info(); }

    /// Checks a launch as far as the kernel is known. Throws Error.
    void check(const Grid& grid, std::span<const Argument> arguments, SourceLocation where) const;

private:
    void check_grid(const Grid& grid, SourceLocation where) const;
    void check_arguments(std::span<const Argument> arguments, SourceLocation where) const;

    std::shared_ptr<ProgramState> program_; // kernels are destroyed before their program
    std::unique_ptr<backend::Kernel> native_;
};

} // namespace ferry::detail
