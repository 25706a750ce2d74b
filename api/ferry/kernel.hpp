// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/argument.hpp>
#include <ferry/device.hpp>
#include <ferry/export.hpp>
#include <ferry/grid.hpp>
#include <ferry/source_location.hpp>
#include <ferry/standard.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ferry {

namespace detail {
class KernelState;
}

/// What a kernel parameter takes. `unknown` where the backend can tell its size but not its kind.
enum class ParameterKind : std::uint8_t { unknown, value, buffer, local };

/// The memory that a parameter points to. `none`: it is a value. `unknown` where the backend cannot tell.
enum class AddressSpace : std::uint8_t { unknown, none, global, constant, local };

/// One parameter of a kernel, as far as its backend knows it.
struct ParameterInfo {
    ParameterKind kind = ParameterKind::unknown;
    std::string name;                    ///< empty if not known
    std::string type_name;               ///< "float*", "uint"; empty if not known
    ScalarType type = ScalarType::other; ///< of the value or of what the pointer points to; other: not known
    std::size_t bytes = 0;               ///< of the parameter itself; 0 if not known
    AddressSpace space = AddressSpace::unknown;
    bool read_only = false; ///< buffer: the kernel does not write to it (const, __constant); false: may write
};

/// What a launch of a kernel on its device is limited by.
struct KernelInfo {
    std::string name;
    bool parameters_known = false; ///< else only the vendor checks the arguments
    std::vector<ParameterInfo> parameters;
    std::size_t max_group_size = 0;      ///< work-items in a group for this kernel; 0 if not known
    bool max_group_size_is_hint = false; ///< the driver states less than it runs (rusticl); not enforced
    std::size_t preferred_multiple = 0;  ///< good group sizes are multiples of it; 0 if not known
    std::size_t local_bytes = 0;         ///< static local memory of a group, bytes
    std::uint32_t registers = 0;         ///< per work-item; 0 if not known
    std::array<std::size_t, 3> required_local{}; ///< reqd_work_group_size; zeros if there is none
};

/// An entry point of a program. A handle, cheap to copy; keeps its program alive. Thread-safe: arguments
/// are given with each launch and captured there, a kernel holds none. A moved-from kernel is empty.
class FERRY_API Kernel {
public:
    Kernel() noexcept = default;

    const std::string& name(SourceLocation where = SourceLocation::current()) const;
    const KernelInfo& info(SourceLocation where = SourceLocation::current()) const;
    /// What it takes, in order. Empty also where the backend cannot tell: see KernelInfo::parameters_known.
    std::span<const ParameterInfo> parameters(SourceLocation where = SourceLocation::current()) const;
    Device device(SourceLocation where = SourceLocation::current()) const;
    explicit operator bool() const noexcept { return state_ != nullptr; }

    /// The grid that a launch of this kernel with Grid::covering(items) has. The group size is the one that
    /// the kernel requires (reqd_work_group_size), else one that suits the device: up to 256 work-items, as
    /// far as the kernel and the device take them, x a multiple of KernelInfo::preferred_multiple, and no
    /// dimension longer than `items`. The launch may have more work-items than `items`. Zero items give zero
    /// groups. A kernel whose local arrays have the length of a group needs a size of its own choice instead.
    Grid covering(Dim3 items, SourceLocation where = SourceLocation::current()) const;

    /// For the library itself.
    explicit Kernel(std::shared_ptr<detail::KernelState> state) noexcept : state_(std::move(state)) {}
    const std::shared_ptr<detail::KernelState>& state() const noexcept { return state_; }

private:
    std::shared_ptr<detail::KernelState> state_;
};

} // namespace ferry
