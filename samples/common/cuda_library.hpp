// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/device.hpp>

#include <initializer_list>
#include <string>

/// A library of NVIDIA, opened at run time under the first name that works. It stays open.
class CudaLibrary {
public:
    explicit CudaLibrary(std::initializer_list<const char*> names);

    explicit operator bool() const noexcept { return handle_ != nullptr; }
    const std::string& name() const noexcept { return name_; }   ///< the name under which it was opened
    const std::string& error() const noexcept { return error_; } ///< why it was not opened

    /// Throws std::runtime_error if the library has no such function.
    template <class Function>
    Function* find(const char* function) const {
        return reinterpret_cast<Function*>(symbol(function));
    }

private:
    void* symbol(const char* function) const;

    void* handle_ = nullptr;
    std::string name_;
    std::string error_;
};

/// Makes Ferry's context current in the calling thread, because NVIDIA's libraries use the current context.
void sample_enter_cuda(const ferry::Device& device);
