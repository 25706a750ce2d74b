// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace ferry::opencl {

class OpenclDevice;
class OpenclKernel;

/// A kernel of Ferry on one device, built at first use. If it is not available (no compiler, or the driver
/// rejects it), its users continue without it.
class OwnKernel {
public:
    /// Minimum work-items of a group, a power of two.
    static constexpr std::size_t least_group = 16;

    /// Both strings must outlive the object. The text has one kernel.
    OwnKernel(const char* text, const char* name) : text_(text), name_(name) {}

    /// Null if it is not available, or if it is not built yet and building it is not worthwhile.
    OpenclKernel* get(OpenclDevice& device, bool worth_building);
    /// Work-items of a group. Valid once get() has returned a kernel.
    std::size_t group_size() const noexcept { return group_size_; }

private:
    enum class State : std::uint8_t { not_built, built, refused };
    bool build(OpenclDevice& device);

    const char* const text_;
    const char* const name_;
    std::mutex mutex_;
    std::atomic<State> state_{State::not_built};
    std::unique_ptr<backend::Program> program_;
    std::unique_ptr<backend::Kernel> kernel_;
    std::size_t group_size_ = 0;
};

} // namespace ferry::opencl
