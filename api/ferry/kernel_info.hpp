// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/argument_type.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ferry {

/// The kind of a kernel parameter. `unknown` if the backend reports its size but not its kind.
enum class ParameterKind : std::uint8_t { unknown, value, buffer, local };

/// The memory that a parameter points to. `none` for a value. `unknown` if the backend does not report it.
enum class AddressSpace : std::uint8_t { unknown, none, global, constant, local };

/// One parameter of a kernel, as reported by its backend.
struct ParameterInfo {
    ParameterKind kind = ParameterKind::unknown;
    std::string name;                    ///< Empty if not known.
    std::string type_name;               ///< "float*", "uint". Empty if not known.
    ScalarType type = ScalarType::other; ///< Type of the value, or of the elements that the pointer refers
                                         ///< to. other: not known.
    std::size_t bytes = 0;               ///< Size of the parameter itself, in bytes. 0 if not known.
    AddressSpace space = AddressSpace::unknown;
    bool read_only = false; ///< buffer: true if the kernel does not write to it (const, __constant); false if
                            ///< it may write.
};

/// The parameters of a kernel on its device, and its limits.
struct KernelInfo {
    std::string name;
    bool parameters_known = false; ///< If false, only the vendor checks the arguments.
    std::vector<ParameterInfo> parameters;
    std::size_t max_group_size = 0;      ///< Maximum work-items in a group for this kernel. 0 if not known.
    bool max_group_size_is_hint = false; ///< The driver reports less than it runs (rusticl). The limit is not
                                         ///< enforced.
    std::size_t preferred_multiple = 0;  ///< Good group sizes are multiples of this. 0 if not known.
    std::size_t local_bytes = 0;         ///< Static local memory of a group, in bytes.
    std::uint32_t registers = 0;         ///< Registers per work-item. 0 if not known.
    std::array<std::size_t, 3> required_local{}; ///< reqd_work_group_size. All 0 if there is none.
};

} // namespace ferry
