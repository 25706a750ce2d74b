// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ferry::driver {

/// The arguments of a launch in the vendors' form: a pointer to each. Local memory is placed in one block. It
/// is filled on the stack as far as needed. The values in `arguments` and the offset are not copied.
template <class V>
class PackedArguments {
public:
    /// `offset` is one more argument, the last, for a kernel with a parameter for it; otherwise null.
    [[gnu::hot]] explicit PackedArguments(std::span<const backend::Argument> arguments,
                                          const Dim3* offset = nullptr) {
        using Kind = detail::ArgumentKind;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const backend::Argument& argument = arguments[i];
            switch (argument.kind) {
            case Kind::value:
                parameters_[i] = const_cast<void*>(argument.value);
                break;
            case Kind::buffer:
                addresses_[i] =
                    argument.place.memory != nullptr ? pointer_of<V>(argument.place) : typename V::Pointer{};
                parameters_[i] = &addresses_[i];
                break;
            case Kind::local:
                local_bytes_ = (local_bytes_ + 15) & ~static_cast<std::size_t>(15);
                local_[i] = static_cast<std::uint32_t>(local_bytes_);
                local_bytes_ += argument.bytes;
                parameters_[i] = &local_[i];
                break;
            }
        }
        if (offset != nullptr) {
            static_assert(sizeof(Dim3) == 3 * sizeof(std::uint64_t)); // fy_origin in the kernels.
            parameters_[arguments.size()] = const_cast<Dim3*>(offset);
        }
    }
    PackedArguments(const PackedArguments&) = delete;
    PackedArguments& operator=(const PackedArguments&) = delete;

    void** parameters() noexcept { return parameters_.data(); }
    std::size_t local_bytes() const noexcept { return local_bytes_; }

private:
    std::array<void*, max_arguments + 1> parameters_; // Plus the offset.
    std::array<typename V::Pointer, max_arguments> addresses_;
    std::array<std::uint32_t, max_arguments> local_;
    std::size_t local_bytes_ = 0;
};

constexpr unsigned int narrow(std::size_t value) noexcept {
    return static_cast<unsigned int>(value);
}

} // namespace ferry::driver
