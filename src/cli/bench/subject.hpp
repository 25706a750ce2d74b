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

/// What is timed. subject_of.hpp says what each does.
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
};

/// What both sides are given, so that they work under the same conditions.
struct Setup {
    ferry::Device device;
    bool timing = true;          ///< queues and events that keep device times
    std::size_t bytes = 0;       ///< size of the copy buffers, a multiple of 4096
    std::vector<std::byte> code; ///< machine code of the kernels as Ferry built it; empty for OpenCL
};

constexpr std::size_t small_bytes = 4096;
constexpr std::uint32_t bump_items = 64; ///< one work-group
constexpr std::uint32_t bump_add = 7;
inline std::uint32_t bump_more(std::size_t i) {
    return static_cast<std::uint32_t>(i) + 1;
}
constexpr std::uint32_t stream_group = 256; ///< work-items, each of 16 bytes
constexpr std::uint32_t dot_groups = 1024;
constexpr float stream_scalar = 3.0F;
/// What each side adds to word i of the shared array when it touches all of it.
constexpr std::uint32_t touch_of_host(std::size_t i) {
    return 2 * static_cast<std::uint32_t>(i) + 1;
}
constexpr std::uint32_t touch_of_device(std::size_t i) {
    return static_cast<std::uint32_t>(i / 4) + 7;
}
constexpr const char* kernel_names[] = {"bump",       "hold",         "stream_copy", "stream_mul",
                                        "stream_add", "stream_triad", "stream_dot",  "touch"};
enum KernelIndex : std::size_t { bump, hold, copy, mul, add, triad, dot, touch, kernel_count };

/// The device's arrays: `data` has bump_items integers, `sums` dot_groups floats, the others Setup::bytes.
enum class Array : std::uint8_t { first, second, third, data, sums };
/// The host's, Setup::bytes each. The first two are page-locked. The last is the device's too:
/// shared_bytes().
enum class HostArray : std::uint8_t { up, down, pageable_up, pageable_down, shared };
/// Not more than 64 MiB; none where the device has no such memory.
std::size_t shared_bytes(const Setup& setup);

/// One side of a comparison: the same work through Ferry or through the vendor's own calls.
class Subject {
public:
    Subject() = default;
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;
    virtual ~Subject() = default;

    /// Why there is no such thing on this side, a whole sentence; empty: there is.
    virtual std::string_view why_not(Operation /*operation*/) const { return {}; }

    /// Around everything that is done with this side. The thread is left as a program would have it that
    /// uses only the other side: no CUDA context stays current.
    virtual void enter() {}
    virtual void leave() {}

    /// `count` times the operation, with a wait for each one if `wait_each`.
    virtual void run(Operation operation, int count, std::size_t bytes, bool wait_each) = 0;
    /// The same with the queue held back until all are enqueued. Nanoseconds by the device's clock for all of
    /// them, or nothing if the queue ran before they were; a longer hold is then tried the next time.
    virtual std::optional<double> run_held(Operation operation, int count, std::size_t bytes) = 0;
    virtual void finish_all() = 0;

    virtual std::span<std::byte> host(HostArray array) = 0;
    /// What fill() writes, four bytes again and again.
    virtual void set_pattern(std::uint32_t pattern) = 0;
    /// Blocking.
    virtual void write(Array array, std::span<const std::byte> from) = 0;
    virtual void read(Array array, std::span<std::byte> to) = 0;
    /// Bytes per second that the memory's clock and width allow, if the driver tells them.
    virtual std::optional<double> memory_bandwidth() { return std::nullopt; }
};

/// The program of bench.cl, and its text for an OpenCL driver.
ferry::Program bench_program(const ferry::Device& device);
std::string bench_text();

std::unique_ptr<Subject> ferry_subject(const Setup& setup, const ferry::Program& program);
std::unique_ptr<Subject> cuda_subject(const Setup& setup);
std::unique_ptr<Subject> hip_subject(const Setup& setup);
std::unique_ptr<Subject> opencl_subject(const Setup& setup);
/// The C library's copies, fills and allocation, on the processor.
std::unique_ptr<Subject> host_subject(const Setup& setup);
/// The vendor's calls for that device.
std::unique_ptr<Subject> raw_subject(const Setup& setup);

/// A vendor library of the raw side: the file that `variable` names, else the first of `names` that opens.
/// The one Ferry has opened, if it has. Throws std::runtime_error.
void* open_library(const char* variable, std::span<const char* const> names);
void* find_symbol(void* library, const char* name);

} // namespace bench
