// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bench {

/// What is timed. "finish" in the name: each one is waited for before the next.
enum class Operation : std::uint8_t {
    launch,
    launch_finish,
    up,
    up_finish,
    down,
    down_finish,
    between,
    record,
    record_wait_other,
    record_wait_host,
};

/// What both sides are given, so that they work under the same conditions.
struct Setup {
    ferry::Device device;
    bool timing = true;          ///< queues and events that keep device times
    std::size_t large_bytes = 0; ///< size of the copy buffers, at least small_bytes
    std::vector<std::byte> code; ///< machine code of the kernel as Ferry built it; empty for OpenCL
};

constexpr std::size_t small_bytes = 4096;
constexpr std::uint32_t kernel_items = 64; ///< one work-group
constexpr const char* kernel_name = "bump";
/// data[i] += more[i] + add, for i < n: four arguments, and a sum that tells how often it ran.
extern const char* const opencl_text;
extern const char* const driver_text;

/// One side of a comparison: the same work through Ferry or through the vendor's own calls.
class Subject {
public:
    Subject() = default;
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;
    virtual ~Subject() = default;

    /// Around everything that is done with this side. The thread is left as a program would have it that
    /// uses only the other side: no CUDA context stays current.
    virtual void enter() {}
    virtual void leave() {}

    /// `count` times the operation. Only those with "finish" or "wait_host" in the name wait.
    virtual void run(Operation operation, int count, std::size_t bytes) = 0;
    virtual void finish_all() = 0;

    /// Page-locked memory that `up` reads and `down` writes, large_bytes each.
    virtual std::span<std::byte> upload() = 0;
    virtual std::span<std::byte> download() = 0;
    /// The second device buffer, the destination of `between`, into `to`. Blocking.
    virtual void read_copy(std::span<std::byte> to) = 0;
    /// The kernel's `data`, kernel_items elements; `more` is 1, 2, 3, ... and `add` is kernel_add. Blocking.
    virtual void write_data(std::span<const std::uint32_t> values) = 0;
    virtual void read_data(std::span<std::uint32_t> values) = 0;
};

constexpr std::uint32_t kernel_add = 7;
inline std::uint32_t kernel_more(std::size_t i) {
    return static_cast<std::uint32_t>(i) + 1;
}

/// The loops, compiled once for each side so that a step costs no indirect call.
template <class Side>
class SubjectOf : public Subject {
public:
    void run(Operation operation, int count, std::size_t bytes) final {
        auto& side = static_cast<Side&>(*this);
        switch (operation) {
        case Operation::launch:
            repeat(count, [&] { side.launch(); });
            break;
        case Operation::launch_finish:
            repeat(count, [&] {
                side.launch();
                side.finish();
            });
            break;
        case Operation::up:
            repeat(count, [&] { side.up(bytes); });
            break;
        case Operation::up_finish:
            repeat(count, [&] {
                side.up(bytes);
                side.finish();
            });
            break;
        case Operation::down:
            repeat(count, [&] { side.down(bytes); });
            break;
        case Operation::down_finish:
            repeat(count, [&] {
                side.down(bytes);
                side.finish();
            });
            break;
        case Operation::between:
            repeat(count, [&] { side.between(bytes); });
            break;
        case Operation::record:
            repeat(count, [&] { side.record(); });
            break;
        case Operation::record_wait_other:
            repeat(count, [&] { side.record_wait_other(); });
            break;
        case Operation::record_wait_host:
            repeat(count, [&] { side.record_wait_host(); });
            break;
        }
    }

private:
    template <class Step>
    static void repeat(int count, Step step) {
        for (int i = 0; i < count; ++i) {
            step();
        }
    }
};

std::unique_ptr<Subject> ferry_subject(const Setup& setup, const ferry::Kernel& kernel);
std::unique_ptr<Subject> cuda_subject(const Setup& setup);
std::unique_ptr<Subject> hip_subject(const Setup& setup);
std::unique_ptr<Subject> opencl_subject(const Setup& setup);

/// A vendor library of the raw side: the file that `variable` names, else the first of `names` that opens.
/// The one Ferry has opened, if it has. Throws std::runtime_error.
void* open_library(const char* variable, std::span<const char* const> names);
void* find_symbol(void* library, const char* name);

} // namespace bench
