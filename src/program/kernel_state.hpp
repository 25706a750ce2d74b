// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device_state.hpp"
#include "hal/backend.hpp"

#include <ferry/kernel.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ferry::detail {

/// Whether a program's launches may have a Grid::offset.
enum class Offsets : std::uint8_t {
    taken,
    not_built,  ///< OpenCL C, built without BuildOptions::global_offsets.
    not_native, ///< In another language, where kernels read their indices themselves.
};

class ProgramState {
public:
    DeviceState* device = nullptr;
    std::unique_ptr<backend::Program> native;
    Language language{};
    Offsets offsets = Offsets::not_native;
    std::string explanation;
};

/// Whether a launch may write to the buffer in argument `i`: neither the caller nor the kernel's parameter
/// promises not to.
inline bool may_write(const KernelInfo& kernel, std::size_t i, const Argument& argument) noexcept {
    return !argument.constant && !(i < kernel.parameters.size() && kernel.parameters[i].read_only);
}

class KernelState {
public:
    KernelState(std::shared_ptr<ProgramState> program, std::unique_ptr<backend::Kernel> native);

    DeviceState& device() const noexcept { return *program_->device; }
    backend::Kernel& native() const noexcept { return *native_; }
    const KernelInfo& info() const noexcept { return *info_; }
    /// True once, if the first launch makes the driver compile in this process. Relaxed: the exchange admits
    /// one caller, and no data depends on it.
    bool is_new() noexcept {
        return new_.load(std::memory_order_relaxed) && new_.exchange(false, std::memory_order_relaxed);
    }

    /// Throws Error (invalid_argument) for more arguments than any launch takes.
    void check_count(std::size_t arguments, const SourceLocation& where) const {
        if (arguments > max_arguments) [[unlikely]] {
            refuse_count(arguments, where);
        }
    }
    /// Checks a launch as far as the kernel is known. Throws Error.
    void check(const Grid& grid, std::span<const Argument> arguments, SourceLocation where) const {
        if (!clearly_right(grid, arguments)) {
            check_count(arguments.size(), where);
            check_grid(grid, where);
            check_arguments(arguments, where);
        }
    }
    /// The grid with groups and a local size, if the launch chooses them. Throws Error (invalid_argument) if
    /// the caller has set both.
    Grid with_groups(const Grid& grid, const SourceLocation& where) const {
        return grid.has_items() ? choose_groups(grid, where) : grid;
    }
    /// Kernel::occupancy().
    std::optional<std::uint32_t> occupancy(Dim3 local, std::size_t local_bytes,
                                           const SourceLocation& where) const;
    /// Kernel::prepare().
    void prepare(const Grid& grid, std::span<const std::size_t> local_bytes,
                 const SourceLocation& where) const;
    /// Throws if the buffer in argument `i` of a launch is mapped in a way that conflicts with this use.
    void check_mapped(std::size_t i, const Argument& argument, const SourceLocation& where) const;

private:
    /// The accepted arguments of one parameter, in few bytes.
    struct Expected {
        std::uint8_t classes[3]{}; ///< By ArgumentKind: one bit for each class of types.
        std::uint32_t value_bytes = 0;
    };

    /// The common case in few instructions. False if the full check is necessary.
    bool clearly_right(const Grid& grid, std::span<const Argument> arguments) const noexcept;
    Grid choose_groups(const Grid& grid, const SourceLocation& where) const;
    [[noreturn]] void refuse_count(std::size_t arguments, SourceLocation where) const;
    void check_grid(const Grid& grid, SourceLocation where) const;
    void check_offset(const Grid& grid, SourceLocation where) const;
    /// `bytes`: of the local arguments.
    void check_local_memory(std::size_t bytes, const SourceLocation& where) const;
    void check_arguments(std::span<const Argument> arguments, SourceLocation where) const;

    std::shared_ptr<ProgramState> program_; // Kernels are destroyed before their program.
    std::unique_ptr<backend::Kernel> native_;
    const KernelInfo* info_;
    const DeviceInfo* limits_;
    std::atomic<bool> new_;
    std::array<std::size_t, 3> most_groups_{};
    std::array<std::size_t, 3> most_local_{};
    std::size_t most_group_size_ = 0;
    std::size_t most_local_bytes_ = 0;
    std::size_t most_argument_bytes_ = 0;
    std::vector<Expected> expected_;
};

} // namespace ferry::detail
