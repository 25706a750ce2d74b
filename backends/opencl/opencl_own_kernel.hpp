// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/backend.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace ferry::opencl {

class OpenclDevice;
class OpenclKernel;

/// A kernel of Ferry's own on one device, built at the first need. Where it cannot be had (no compiler, a
/// driver that refuses it) its users go on without.
class OwnKernel {
public:
    /// A group has at least so many work-items, a power of two.
    static constexpr std::size_t least_group = 16;

    /// Both live as long as this; the text is of one kernel.
    OwnKernel(const char* text, const char* name) : text_(text), name_(name) {}

    /// Null if it cannot be had, or is not built yet and that is not worth it.
    OpenclKernel* get(OpenclDevice& device, bool worth_building);
    /// Work-items of a group. Once get() gave it.
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
