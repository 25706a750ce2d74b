// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "opencl_api.hpp"
#include "opencl_event.hpp"
#include "opencl_notes.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

namespace ferry::opencl {

class OpenclDevice;

/// The present value of a parameter. Setting parameters is most of the cost of a launch on some drivers, so a
/// launch sets only values that have changed.
struct Setting {
    enum class Kind : std::uint8_t { none, value, buffer, local };

    Kind kind = Kind::none;
    std::uint64_t memory = 0; ///< OpenclMemory::number, because addresses are reused. 0 for a null pointer.
    std::size_t size = 0;     ///< Bytes. For a buffer: its offset.
    std::array<char, 16> value{};

    friend bool operator==(const Setting&, const Setting&) = default;
};

/// The launches so far of one kernel source, by work-group size. PoCL before version 6 counts the users of a
/// kernel's machine code. It makes new code for a grid that is wider than any before (in x or y), and for
/// launches with an offset. At the end of a launch it assumes the code, for that work-group size, of the most
/// recently started launch. If that code has no users, it ends the process. A launch that uses other code
/// than the previous one must therefore run alone. The wait is on the device, not in the launching thread,
/// which may be the one that completes an event of a queue.
class LaunchRecord {
public:
    using Size = std::array<std::size_t, 3>;

    /// Held for all members below, and from them to the launch.
    std::mutex mutex;

    /// Whether a launch of this size uses other code than the previous one. `moved`: it has an offset.
    bool has_to_run_alone(const Size& local, const Size& global, bool moved) const;
    /// Records a launch that ran alone.
    void launched_alone(const Size& local, const Size& global, bool moved);
    /// The next launch must run alone in any case.
    void forget() noexcept { codes_.clear(); }

    /// Command `command` of this queue will be a launch.
    void used_by(std::uint64_t queue, const std::shared_ptr<Progress>& progress, std::uint64_t command);
    /// Whether the queue has a launch that is not known to be done.
    bool is_used_by(std::uint64_t queue) const;
    /// Whether all launches are known to be done.
    bool is_done(const Api& api) const noexcept;

    /// After the last launch that has to run alone. Null once that is known to be done.
    std::unique_ptr<OpenclEvent> alone;

private:
    struct Code {
        Size local;
        std::array<std::size_t, 2> widest{}; ///< Global size, without an offset and with one.
        bool moved = false;                  ///< Of the last launch.
    };
    struct User {
        std::uint64_t queue; ///< Its number.
        std::shared_ptr<Progress> progress;
        std::uint64_t command; ///< Its last launch.
    };
    std::vector<Code> codes_;
    std::vector<User> users_;
};

/// Releases a kernel, but not while the process ends.
struct KernelRelease {
    const Api* api;
    void operator()(cl_kernel kernel) const noexcept;
};
using KernelHandle = std::unique_ptr<std::remove_pointer_t<cl_kernel>, KernelRelease>;

class OpenclKernel final : public backend::Kernel {
public:
    /// `notes` are used if the driver has none. `record` is null if none is needed.
    OpenclKernel(OpenclDevice& device, KernelHandle kernel, std::string name, const KernelNotes& notes,
                 std::shared_ptr<LaunchRecord> record);

    const KernelInfo& info() const override { return info_; }
    const backend::GroupLimit* group_limit() const override {
        return group_limit_ ? &*group_limit_ : nullptr;
    }
    /// Before the front reads info().
    void set_group_limit(backend::GroupLimit limit);
    std::size_t most_offset() const override;
    void* native() override { return kernel_.get(); }

    cl_kernel handle() const noexcept { return kernel_.get(); }
    /// Held from setting the first argument to the launch; also protects the settings.
    std::mutex& mutex() noexcept { return record_ != nullptr ? record_->mutex : mutex_; }
    LaunchRecord* record() noexcept { return record_.get(); }
    /// The setting of this parameter; kind none if it is not known. Null beyond the kernel's parameters.
    Setting* setting(cl_uint index) noexcept {
        return index < settings_.size() ? &settings_[index] : nullptr;
    }
    /// Whether the parameter is a pointer to const. False if that is not known.
    bool reads_only(cl_uint index) const noexcept { return index < reads_only_.size() && reads_only_[index]; }

private:
    void read_limits();
    void read_parameters(const KernelNotes& notes);

    OpenclDevice& device_;
    KernelHandle kernel_;
    KernelInfo info_;
    std::optional<backend::GroupLimit> group_limit_;
    std::shared_ptr<LaunchRecord> record_;
    std::vector<bool> reads_only_;
    std::vector<Setting> settings_;
    std::mutex mutex_;
};

/// The driver's description of a kernel's parameters. Empty if it does not describe all of them.
std::optional<std::vector<ParameterNote>> read_notes(const OpenclDevice& device, cl_kernel kernel);

} // namespace ferry::opencl
