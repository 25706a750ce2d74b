// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/backend.hpp"
#include "opencl_api.hpp"

#include <mutex>
#include <vector>

namespace ferry::opencl {

class OpenclDevice;

class OpenclKernel final : public backend::Kernel {
public:
    /// Takes over the kernel.
    OpenclKernel(OpenclDevice& device, cl_kernel kernel, std::string name);
    ~OpenclKernel() override;

    const KernelInfo& info() const override { return info_; }
    void* native() override { return kernel_; }

    cl_kernel handle() const noexcept { return kernel_; }
    std::mutex& mutex() noexcept { return mutex_; }
    /// Whether the parameter is a pointer to const; false if that is not known.
    bool reads_only(cl_uint index) const noexcept { return index < reads_only_.size() && reads_only_[index]; }

private:
    void read_limits();
    void read_parameters();

    OpenclDevice& device_;
    cl_kernel kernel_;
    KernelInfo info_;
    std::vector<bool> reads_only_;
    std::mutex mutex_;
};

/// A type's name as OpenCL C spells it: its element, and the bytes of a value of it. Other and 0 for what
/// is not built in.
struct NamedType {
    ScalarType scalar = ScalarType::other;
    std::size_t bytes = 0;
};
NamedType parse_type(std::string_view name);

} // namespace ferry::opencl
