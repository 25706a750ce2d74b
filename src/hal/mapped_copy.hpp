// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/error.hpp>
#include <ferry/memory.hpp>

#include <cstddef>
#include <new>
#include <string>
#include <utility>

namespace ferry::backend {

/// The host memory of a mapped range of device memory, aligned for elements of any type.
class MappedCopy {
public:
    /// Throws Error (out_of_memory).
    explicit MappedCopy(std::size_t bytes) : data_(::operator new(bytes, alignment, std::nothrow)) {
        if (data_ == nullptr) {
            throw Error(Code::out_of_memory,
                        "The host has no room for a mapping of " + std::to_string(bytes) + " bytes");
        }
    }
    /// Takes over the result of release().
    explicit MappedCopy(void* released) noexcept : data_(released) {}
    MappedCopy(const MappedCopy&) = delete;
    MappedCopy& operator=(const MappedCopy&) = delete;
    ~MappedCopy() { ::operator delete(data_, alignment); }

    void* data() const noexcept { return data_; }
    void* release() noexcept { return std::exchange(data_, nullptr); }

private:
    static constexpr std::align_val_t alignment{max_element_alignment};

    void* data_;
};

} // namespace ferry::backend
