// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/backend.hpp>
#include <ferry/capabilities.hpp>
#include <ferry/export.hpp>
#include <ferry/memory.hpp>
#include <ferry/pool.hpp>
#include <ferry/source_location.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry {

namespace detail {
class DeviceState;
}

enum class DeviceKind : std::uint8_t { gpu, cpu, accelerator };

/// "gpu", "cpu" or "accelerator".
FERRY_API std::string_view to_string(DeviceKind kind) noexcept;

/// What one device says of itself. Constant while the process lives. A field whose vendor gives no answer
/// is empty (optional, string) or zero (number), as its line says; it is never a guess.
struct DeviceInfo {
    Backend backend{};
    std::uint32_t index = 0;    ///< among the devices of this backend; "opencl:1" is index 1
    std::string name;           ///< the vendor's name of the device
    std::string vendor;         ///< "NVIDIA Corporation", "Intel(R) Corporation"
    std::string platform;       ///< OpenCL: the platform's name; else empty
    std::string driver_version; ///< the vendor's own text
    std::string api_version;    ///< of the vendor API: "13.0", "6.2", "OpenCL 3.0"
    std::string architecture;   ///< "sm_90", "gfx90a:sramecc+:xnack-"; empty if the backend has no such name
    DeviceKind kind{};
    std::optional<bool> integrated;   ///< shares its memory chips with the processor; empty if not known
    std::uint64_t total_memory = 0;   ///< bytes
    std::uint64_t max_allocation = 0; ///< bytes, largest single allocation
    std::uint32_t compute_units = 0;  ///< multiprocessors, compute units or cores
    std::uint32_t clock_mhz = 0;      ///< peak clock, MHz; 0 if not known
    std::size_t max_group_size = 0;   ///< work-items in a work-group, all dimensions multiplied
    std::array<std::size_t, 3> max_local{};    ///< work-items in a work-group, per dimension
    std::array<std::uint64_t, 3> max_groups{}; ///< work-groups in a launch, per dimension
    std::size_t local_memory = 0;              ///< bytes of local (shared) memory a work-group can use
    std::size_t max_argument_bytes = 0;        ///< bytes of all kernel arguments of one launch
    std::uint32_t sub_group_width = 0;         ///< warp, wavefront or sub-group width; 0 if not known
    bool fp16 = false;                         ///< half precision arithmetic
    bool fp64 = false;                         ///< double precision arithmetic
    bool int64_atomics = false;                ///< 64-bit integer atomics
    bool timing = false;                       ///< events carry device times, see elapsed()
    bool compiles = false;      ///< source can be built at run time (the vendor's compiler was found)
    std::string compile_note;   ///< which compiler, or why there is none
    bool host_memory = false;   ///< has MemoryKind::host
    bool shared_memory = false; ///< has MemoryKind::shared
    std::string pci_address;    ///< "0000:17:00.0" (domain:bus:device.function); empty if not known
    std::string uuid;           ///< 32 hex digits in 8-4-4-4-12 groups; empty if not known
};

/// One compute device seen through one backend. A small handle that is cheap to copy; devices live until
/// the process ends, so a handle never dangles. Thread-safe.
class FERRY_API Device {
public:
    Backend backend() const noexcept { return info().backend; }
    const DeviceInfo& info() const noexcept;
    /// "cuda:0", "opencl:2": the form that FERRY_DEVICE and find_device() take.
    std::string id() const;
    /// The same hardware seen through other backends, best first. Empty where there is none or where the
    /// other backend was not opened.
    std::vector<Device> alternates() const;
    /// Memory in use and available now. Asks the driver; may initialise the device.
    MemoryInfo memory(SourceLocation where = SourceLocation::current()) const;
    /// Where the memory of this device's buffers comes from: figures, a limit, giving back what is idle.
    Pool pool() const noexcept;
    /// Whether buffers of that kind can be made on this device; never MemoryKind::imported.
    bool has(MemoryKind kind) const noexcept;
    /// What holds for memory of that kind on this device: how it is reached, when both sides see the same
    /// bytes, and how each of these is known. What was measured is kept on disk for this device, driver and
    /// version of Ferry, and in this process: asked again it costs microseconds. A measurement blocks, makes
    /// the device work and runs kernels; ask before what is timed. FERRY_CALIBRATION=off makes
    /// Probe::declared of each `probe`, =fresh measures once in each process.
    ///
    /// A measurement that fails or takes too long leaves the fact as declared. Throws Error (device_lost) for
    /// a lost device and (invalid_argument) for a FERRY_CALIBRATION that is none of the words.
    MemoryCapabilities capabilities(MemoryKind kind, Probe probe = Probe::cached,
                                    SourceLocation where = SourceLocation::current()) const;

    /// Blocks until each queue of this device in this process has finished: Queue::finish() of all of them,
    /// callbacks included. Throws the first error that one of them would throw, after all have finished; each
    /// queue keeps the errors that are not thrown here. Queues made meanwhile are not waited for. Not from a
    /// callback.
    void finish(SourceLocation where = SourceLocation::current()) const;

    /// Equal if they are the same device of the same backend.
    friend bool operator==(const Device& a, const Device& b) noexcept { return a.state_ == b.state_; }

    /// For the library itself.
    explicit Device(detail::DeviceState& state) noexcept : state_(&state) {}
    detail::DeviceState& state() const noexcept { return *state_; }

private:
    detail::DeviceState* state_;
};

/// Every device that the settings and the environment allow, in order of preference: backends in the order
/// of `Backend` (or of FERRY_BACKEND's list), within a backend GPUs, then accelerators, then processors.
/// Hardware that several backends can see is listed once, under the first of them; the others are its
/// alternates(). Never empty unless FERRY_BACKEND leaves host out.
///
/// Opens every allowed backend; blocking. Throws Error (invalid_argument) if FERRY_BACKEND names an unknown
/// backend, and (unavailable) if it is set and none of the backends it names has a device; the message
/// then says for each of them which step failed and how to mend it. FERRY_DEVICE does not shorten the list.
FERRY_API std::vector<Device> devices(SourceLocation where = SourceLocation::current());

/// As devices(), with every device of every allowed backend, doubly seen hardware included.
FERRY_API std::vector<Device> all_devices(SourceLocation where = SourceLocation::current());

/// The device that FERRY_DEVICE (or Settings::device) names, else the first of devices(). Without a device
/// named, backends after the first one that has a device are not opened. Throws as devices() and
/// find_device().
FERRY_API Device default_device(SourceLocation where = SourceLocation::current());

/// The device that `selector` names, one of
///   "1"               the index in devices()
///   "opencl:1"        the index among one backend's devices; only that backend is opened
///   "opencl"          the first device of that backend
///   "GPU-..." or a UUID, or a PCI address ("0000:17:00.0", "17:00.0")
///   any other text    part of the device's or platform's name, in either case
/// A device that is only an alternate can be named by its backend and index, or by a part of its name that
/// no listed device has.
///
/// Throws Error: invalid_argument (empty, or two or more devices fit; they are listed), unavailable (none
/// fits; those present are listed). Strict: it never takes another device instead.
FERRY_API Device find_device(std::string_view selector, SourceLocation where = SourceLocation::current());

} // namespace ferry
