// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/backend.hpp"
#include "opencl_api.hpp"

#include <array>
#include <mutex>
#include <vector>

namespace ferry::opencl {

class OpenclDevice;

/// What a parameter was set to. Setting it is most of what a launch costs on some drivers, so a launch sets
/// only what is not in force already.
struct Setting {
    enum class Kind : std::uint8_t { none, value, buffer, local };

    Kind kind = Kind::none;
    std::uint64_t memory = 0; ///< OpenclMemory::number, since an address may come again; 0 for a null pointer
    std::size_t size = 0;     ///< bytes; of a buffer: its offset
    std::array<char, 16> value{};

    friend bool operator==(const Setting&, const Setting&) = default;
};

class OpenclKernel final : public backend::Kernel {
public:
    /// Takes over the kernel.
    OpenclKernel(OpenclDevice& device, cl_kernel kernel, std::string name);
    ~OpenclKernel() override;

    const KernelInfo& info() const override { return info_; }
    void* native() override { return kernel_; }

    cl_kernel handle() const noexcept { return kernel_; }
    /// Held from the first argument's setting to the launch; also for the settings.
    std::mutex& mutex() noexcept { return mutex_; }
    /// Of that parameter; kind none if it is not known. One beyond the kernel's parameters has none.
    Setting* setting(cl_uint index) noexcept {
        return index < settings_.size() ? &settings_[index] : nullptr;
    }
    /// Whether the parameter is a pointer to const; false if that is not known.
    bool reads_only(cl_uint index) const noexcept { return index < reads_only_.size() && reads_only_[index]; }

private:
    void read_limits();
    void read_parameters();

    OpenclDevice& device_;
    cl_kernel kernel_;
    KernelInfo info_;
    std::vector<bool> reads_only_;
    std::vector<Setting> settings_;
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
