// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/backend.hpp>
#include <ferry/capabilities.hpp>
#include <ferry/device_info.hpp>
#include <ferry/export.hpp>
#include <ferry/memory.hpp>
#include <ferry/pool.hpp>
#include <ferry/source_location.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ferry {

namespace detail {
class DeviceState;
}

/// One compute device as seen through one backend. A handle that is cheap to copy. Devices live until the
/// process ends, so a handle never dangles. Thread-safe.
class FERRY_API Device {
public:
    Backend backend() const noexcept { return info().backend; }
    const DeviceInfo& info() const noexcept;
    /// "cuda:0", "opencl:2": the form that FERRY_DEVICE and find_device() take.
    std::string id() const;
    /// The same hardware as seen through other backends, best first. Empty if there is none, or if the other
    /// backend was not opened.
    std::vector<Device> alternates() const;
    /// Memory in use and available now. Queries the driver and may initialise the device.
    MemoryInfo memory(SourceLocation where = SourceLocation::current()) const;
    /// The memory pool of this device's buffers: its figures, its limit, and the release of unused memory.
    Pool pool() const noexcept;
    /// Whether buffers of this kind can be made on this device. Always false for MemoryKind::imported.
    bool has(MemoryKind kind) const noexcept;
    /// The capabilities of memory of this kind on this device: reach, coherence and further facts, each with
    /// its origin. Measurements are stored on disk for this device, driver and version of Ferry, and in this
    /// process; a repeated query takes microseconds. A measurement blocks, keeps the device busy and runs
    /// kernels, so query before timed work.
    ///
    /// FERRY_CALIBRATION=off turns every `probe` into Probe::declared. FERRY_CALIBRATION=fresh measures once
    /// in each process.
    ///
    /// A measurement that fails or takes too long leaves the fact as declared. Throws Error: device_lost (the
    /// device is lost), invalid_argument (FERRY_CALIBRATION has an unknown value).
    MemoryCapabilities capabilities(MemoryKind kind, Probe probe = Probe::cached,
                                    SourceLocation where = SourceLocation::current()) const;

    /// Blocks until every queue of this device in this process has finished, callbacks included, like
    /// Queue::finish() on each of them. Queues created meanwhile are not waited for. Throws the first error
    /// of these queues after all of them have finished; each queue keeps the errors that are not thrown here.
    /// Must not be called from a callback.
    void finish(SourceLocation where = SourceLocation::current()) const;

    /// True if both are the same device of the same backend.
    friend bool operator==(const Device& a, const Device& b) noexcept { return a.state_ == b.state_; }

    /// For use by the library only.
    explicit Device(detail::DeviceState& state) noexcept : state_(&state) {}
    detail::DeviceState& state() const noexcept { return *state_; }

private:
    detail::DeviceState* state_;
};

/// All devices that the settings and the environment allow, in order of preference. Backends come in the
/// order of `Backend`, or of the list in FERRY_BACKEND. Within a backend, GPUs come first, then accelerators,
/// then processors. Hardware that several backends see is listed once, under the first of them; its other
/// devices are alternates(). Empty only if FERRY_BACKEND excludes host.
///
/// Opens every allowed backend. Blocking. Throws Error: invalid_argument (FERRY_BACKEND names an unknown
/// backend), unavailable (FERRY_BACKEND is set and none of its backends has a device; the message gives the
/// failed step and the remedy for each). FERRY_DEVICE does not change the list.
FERRY_API std::vector<Device> devices(SourceLocation where = SourceLocation::current());

/// Like devices(), but with every device of every allowed backend. Hardware that several backends see is
/// listed several times.
FERRY_API std::vector<Device> all_devices(SourceLocation where = SourceLocation::current());

/// The device selected by FERRY_DEVICE (or Settings::device), otherwise the first of devices(). If no device
/// is selected, backends after the first one that has a device are not opened. Throws the errors of devices()
/// and find_device().
FERRY_API Device default_device(SourceLocation where = SourceLocation::current());

/// The device that matches `selector`. A selector is one of
///
///   "1"               the index in devices()
///   "opencl:1"        the index among the devices of one backend; only that backend is opened
///   "opencl"          the first device of that backend
///   "GPU-..."         a UUID, with or without this prefix
///   "0000:17:00.0"    a PCI address, also in the form "17:00.0"
///   any other text    a part of the device's or platform's name; case is ignored
///
/// A device that is only an alternate can be selected by its backend and index, or by a part of its name that
/// matches no listed device.
///
/// Throws Error: invalid_argument (the selector is empty, or several devices match; the message lists them),
/// unavailable (no device matches; the message lists the devices that are present). It never falls back to
/// another device.
FERRY_API Device find_device(std::string_view selector, SourceLocation where = SourceLocation::current());

} // namespace ferry
