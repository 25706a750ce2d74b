// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// The measured operations. subject_of.hpp implements them.
enum class Operation : std::uint8_t {
    launch,
    up,
    down,
    up_pageable,
    down_pageable,
    both,
    between,
    fill,
    allocate,
    allocate_pinned,
    allocate_shared,
    touch_on_device,
    touch_on_host,
    record,
    record_wait_other,
    record_wait_host,
    stream_copy,
    stream_mul,
    stream_add,
    stream_triad,
    stream_dot,
    hold, ///< The kernel `hold`. Its number of bytes is the number of rounds.
};

/// Parameters common to both sides, so that they work under the same conditions.
struct Setup {
    ferry::Device device;
    bool timing = true;    ///< Queues and events record device times.
    std::size_t bytes = 0; ///< Size of the copy buffers. A multiple of 4096.
    /// The kernels, compiled by Ferry: machine code, or SPIR-V for Vulkan. Empty for OpenCL.
    std::vector<std::byte> code;
};

constexpr std::size_t small_bytes = 4096;
constexpr std::uint32_t bump_items = 64; ///< One work-group.
constexpr std::uint32_t bump_add = 7;
inline std::uint32_t bump_more(std::size_t i) {
    return static_cast<std::uint32_t>(i) + 1;
}
constexpr std::uint32_t stream_group = 256; ///< Work-items of 16 bytes each.
constexpr std::uint32_t dot_groups = 1024;
constexpr float stream_scalar = 3.0F;
/// The host's increment of word i of the shared array, and the device's.
constexpr std::uint32_t touch_of_host(std::size_t i) {
    return 2 * static_cast<std::uint32_t>(i) + 1;
}
constexpr std::uint32_t touch_of_device(std::size_t i) {
    return static_cast<std::uint32_t>(i / 4) + 7;
}
constexpr const char* kernel_names[] = {"bump",       "hold",         "stream_copy", "stream_mul",
                                        "stream_add", "stream_triad", "stream_dot",  "touch"};
enum KernelIndex : std::size_t { bump, hold, copy, mul, add, triad, dot, touch, kernel_count };

/// Arrays on the device: `data` has bump_items integers, `sums` has dot_groups floats, all other ones have
/// Setup::bytes.
enum class Array : std::uint8_t { first, second, third, data, sums };
/// Arrays on the host. The first two are page-locked. The last one is shared with the device and has
/// shared_bytes(); the others have Setup::bytes.
enum class HostArray : std::uint8_t { up, down, pageable_up, pageable_down, shared };
/// At most 64 MiB. 0 if the device has no such memory.
std::size_t shared_bytes(const Setup& setup);

/// One side of a comparison. Both sides do the same work, with Ferry or with the vendor's own calls.
class Subject {
public:
    Subject() = default;
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;
    virtual ~Subject() = default;

    /// The reason why this side lacks an operation, as a complete sentence. Empty if it has the operation.
    virtual std::string_view why_not(Operation /*operation*/) const { return {}; }

    /// Called before and after every use of this side. leave() restores the state of the thread, so that no
    /// CUDA context stays current for the other side.
    virtual void enter() {}
    virtual void leave() {}

    /// Performs the operation `count` times. Waits after each one if `wait_each`.
    virtual void run(Operation operation, int count, std::size_t bytes, bool wait_each) = 0;
    /// The same, but holds the queue until all operations are enqueued. Returns the total time of the
    /// device's clock in nanoseconds. No value if the queue was not held long enough; the next call then
    /// holds it longer.
    virtual std::optional<double> run_held(Operation operation, int count, std::size_t bytes) = 0;
    virtual void finish_all() = 0;

    virtual std::span<std::byte> host(HostArray array) = 0;
    /// The four bytes that fill() repeats.
    virtual void set_pattern(std::uint32_t pattern) = 0;
    /// Blocking copies.
    virtual void write(Array array, std::span<const std::byte> from) = 0;
    virtual void read(Array array, std::span<std::byte> to) = 0;
    /// Bytes per second, computed from the memory's clock and width. No value if the driver does not report
    /// them.
    virtual std::optional<double> memory_bandwidth() { return std::nullopt; }
};

/// The program of bench.cl, and its source for an OpenCL driver.
ferry::Program bench_program(const ferry::Device& device);
std::string bench_text();

std::unique_ptr<Subject> ferry_subject(const Setup& setup, const ferry::Program& program);
std::unique_ptr<Subject> cuda_subject(const Setup& setup);
std::unique_ptr<Subject> hip_subject(const Setup& setup);
std::unique_ptr<Subject> opencl_subject(const Setup& setup);
/// Null if the library was built without Vulkan's headers.
std::unique_ptr<Subject> vulkan_subject(const Setup& setup);
/// Copies, fills and allocations of the C library.
std::unique_ptr<Subject> host_subject(const Setup& setup);
/// The vendor's own calls for this device. Null if there are none.
std::unique_ptr<Subject> raw_subject(const Setup& setup);

/// Opens a vendor library for the raw side: the file named by the environment variable `variable`, otherwise
/// the first of `names` that can be opened. If Ferry has opened the library, it is the same one. Throws
/// std::runtime_error.
void* open_library(const char* variable, std::span<const char* const> names);
void* find_symbol(void* library, const char* name);

} // namespace bench
