// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/backend.hpp"
#include "opencl_api.hpp"
#include "opencl_event.hpp"
#include "opencl_notes.hpp"

#include <array>
#include <memory>
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

/// The launches so far of one kernel text, by work-group size. PoCL before version 6 counts the users of a
/// kernel's machine code, of which it makes another for a grid that is wider than any before (in x or y), and
/// for launches with an offset; at a launch's end it takes the one with that work-group size that a launch
/// began with last for the one that was used, and ends the process if that has no users. So a launch that has
/// other code than the one before has to run alone. The device sees to that, not the thread that launches,
/// which may be the one that completes what a queue waits for.
class LaunchRecord {
public:
    using Size = std::array<std::size_t, 3>;

    /// Held for all that follows, and from it to the launch.
    std::mutex mutex;

    /// Whether a launch of that size has other code than the one before it. `moved`: it has an offset.
    bool has_to_run_alone(const Size& local, const Size& global, bool moved) const;
    /// One that had to.
    void launched_alone(const Size& local, const Size& global, bool moved);
    /// The next launch has to, whatever it is.
    void forget() noexcept { codes_.clear(); }

    /// Command `command` of that queue will be a launch.
    void used_by(std::uint64_t queue, const std::shared_ptr<Progress>& progress, std::uint64_t command);
    /// Whether the queue has a launch that is not known to be done.
    bool is_used_by(std::uint64_t queue) const;

    /// Behind the last launch that has to run alone; null once that is known to be done.
    std::unique_ptr<OpenclEvent> alone;

private:
    struct Code {
        Size local;
        std::array<std::size_t, 2> widest{}; ///< global size, without an offset and with one
        bool moved = false;                  ///< the last launch
    };
    struct User {
        std::uint64_t queue; ///< its number
        std::shared_ptr<Progress> progress;
        std::uint64_t command; ///< its last launch
    };
    std::vector<Code> codes_;
    std::vector<User> users_;
};

class OpenclKernel final : public backend::Kernel {
public:
    /// Takes over the kernel. `notes` serve where the driver has none; `record` is null where none is needed.
    OpenclKernel(OpenclDevice& device, cl_kernel kernel, std::string name, const KernelNotes& notes,
                 LaunchRecord* record);
    ~OpenclKernel() override;

    const KernelInfo& info() const override { return info_; }
    std::size_t most_offset() const override;
    void* native() override { return kernel_; }

    cl_kernel handle() const noexcept { return kernel_; }
    /// Held from the first argument's setting to the launch; also for the settings.
    std::mutex& mutex() noexcept { return record_ != nullptr ? record_->mutex : mutex_; }
    LaunchRecord* record() noexcept { return record_; }
    /// Of that parameter; kind none if it is not known. One beyond the kernel's parameters has none.
    Setting* setting(cl_uint index) noexcept {
        return index < settings_.size() ? &settings_[index] : nullptr;
    }
    /// Whether the parameter is a pointer to const; false if that is not known.
    bool reads_only(cl_uint index) const noexcept { return index < reads_only_.size() && reads_only_[index]; }

private:
    void read_limits();
    void read_parameters(const KernelNotes& notes);

    OpenclDevice& device_;
    cl_kernel kernel_;
    KernelInfo info_;
    LaunchRecord* record_;
    std::vector<bool> reads_only_;
    std::vector<Setting> settings_;
    std::mutex mutex_;
};

/// What the driver tells of a kernel's parameters; nothing if it does not tell it of all.
std::optional<std::vector<ParameterNote>> read_notes(const OpenclDevice& device, cl_kernel kernel);

} // namespace ferry::opencl
