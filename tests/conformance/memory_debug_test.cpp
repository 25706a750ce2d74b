// SPDX-License-Identifier: Apache-2.0
// With FERRY_MEMORY_DEBUG, each kind of fault is reported with the buffer's name. Each fault is made in a
// child process.
#include "check.hpp"
#include "children.hpp"
#include "device/device_state.hpp"
#include "devices.hpp"
#include "kernels.hpp"

#include <ferry/import.hpp>
#include <ferry/interop/cuda.hpp>
#include <ferry/interop/hip.hpp>
#include <ferry/interop/opencl.hpp>
#include <ferry/interop/vulkan.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memory_debug_test {

using namespace conformance;
using ferry::Buffer;
using ferry::Code;

namespace {

constexpr std::uint32_t count = 1000;

/// Returns 60 if exactly one fault is reported, with all of these words. Otherwise prints the difference for
/// the test's output.
int told(const ferry::Device& device, std::initializer_list<std::string> words) {
    const std::vector<std::string> faults = device.pool().check();
    for (const std::string& fault : faults) {
        std::printf("fault: %s\n", fault.c_str());
    }
    if (faults.size() != 1) {
        return 1;
    }
    for (const std::string& word : words) {
        if (faults[0].find(word) == std::string::npos) {
            std::printf("not there: %s\n", word.c_str());
            return 2;
        }
    }
    return device.pool().check().empty() ? 60 : 3; // the fault was already reported
}

std::string here(int line) {
    return "memory_debug_test.cpp:" + std::to_string(line);
}

// The kernel gets a larger size than its buffer has.
int overrun(const ferry::Device& device) {
    ferry::Queue queue{device};
    Buffer<std::uint32_t> buffer{device, count}; // the reported line of the buffer
    const int line = __LINE__ - 1;
    queue.launch(kernel(device, "iota"), ferry::Grid::covering(count + 5, 64), buffer, count + 5, 9U);
    queue.finish();
    return told(device, {"beyond its end", "byte 4000", "4000 bytes", here(line)});
}

/// Whether the host may write around a buffer of that kind. The strict host device would end the process.
bool has_host_pointer(const ferry::Device& device, ferry::MemoryKind kind) {
    return kind != ferry::MemoryKind::device && device.has(kind) && !matches(device, ", strict");
}

constexpr ferry::MemoryKind every_kind[] = {ferry::MemoryKind::device, ferry::MemoryKind::host,
                                            ferry::MemoryKind::shared};

// The host writes past the end of memory that it can access.
int overrun_by_host(const ferry::Device& device) {
    for (const ferry::MemoryKind kind : every_kind) {
        if (has_host_pointer(device, kind)) {
            Buffer<std::uint32_t> buffer{device, count, kind};
            const int line = __LINE__ - 1;
            buffer.span().data()[count + 2] = 0x77;
            const int result = told(device, {"beyond its end", "byte 4008", "0x77",
                                             "4000 bytes in " + std::string(to_string(kind)), here(line)});
            if (result != 60) {
                return result;
            }
        }
    }
    return 60;
}

// Each kind of fault is reported once, also a second one after the first.
int both_sides(const ferry::Device& device) {
    for (const ferry::MemoryKind kind : every_kind) {
        if (!device.state().native().has_parts(kind) || !has_host_pointer(device, kind)) {
            continue;
        }
        Buffer<std::uint32_t> buffer{device, count, kind};
        buffer.span().data()[count + 2] = 0x77;
        if (told(device, {"beyond its end"}) != 60) {
            return 10;
        }
        buffer.span().data()[count + 3] = 0x78;
        buffer.span().data()[-1] = 0x79;
        if (told(device, {"before its beginning", "0x79"}) != 60) {
            return 11;
        }
    }
    return 60;
}

// The host writes before the start of a buffer. It accesses the host device's memory by a mapping.
int underrun(const ferry::Device& device) {
    ferry::Queue queue{device};
    for (const ferry::MemoryKind kind : every_kind) {
        const bool is_mapped = kind == ferry::MemoryKind::device &&
                               device.backend() == ferry::Backend::host && !matches(device, ", strict");
        // Otherwise there are no guards before the buffer.
        if (!device.state().native().has_parts(kind) || !(is_mapped || has_host_pointer(device, kind))) {
            continue;
        }
        Buffer<std::uint32_t> buffer{device, count, kind};
        const int line = __LINE__ - 1;
        std::uint32_t* const begin =
            is_mapped ? buffer.map(queue, ferry::Map::read_write).data() : buffer.span().data();
        begin[-2] = 0x99;
        const int result =
            told(device, {"before its beginning", "byte 8 before it is 0x99", "4000 bytes", here(line)});
        if (result != 60) {
            return result;
        }
    }
    return 60;
}

// A kernel writes late, through a handle that was kept.
int late_kernel(const ferry::Device& device) {
    ferry::Queue queue{device};
    std::optional buffer{Buffer<std::uint32_t>(device, count)};
    const int line = __LINE__ - 1;
    const auto write = [&](const auto& memory) {
        queue.launch(kernel(device, "iota"), ferry::Grid::covering(count, 64), memory, count, 0x42U);
        queue.finish();
    };
    if (device.backend() == ferry::Backend::hip) {
        void* const at = ferry::interop::hip::pointer(*buffer);
        buffer.reset();
        write(ferry::interop::hip::borrow_pointer<std::uint32_t>(device, at, count));
    } else if (device.backend() == ferry::Backend::cuda) {
        const std::uint64_t at = ferry::interop::cuda::pointer(*buffer);
        buffer.reset();
        write(ferry::interop::cuda::borrow_pointer<std::uint32_t>(device, at, count));
    } else if (device.backend() == ferry::Backend::opencl) {
        if (ferry::interop::opencl::pointer(buffer->view()) != nullptr) {
            return 60; // no handle for memory that is not a cl_mem
        }
        const auto [mem, offset] = ferry::interop::opencl::memory(*buffer);
        buffer.reset();
        Buffer<std::uint32_t> whole =
            ferry::interop::opencl::borrow_memory<std::uint32_t>(device, mem, offset / 4 + count);
        write(whole.last(count));
    } else if (device.backend() == ferry::Backend::vulkan) {
        const ferry::interop::vulkan::MemoryRange at = ferry::interop::vulkan::memory(*buffer);
        buffer.reset();
        Buffer<std::uint32_t> whole = ferry::interop::vulkan::borrow_buffer<std::uint32_t>(
            device, at.buffer, at.offset / sizeof(std::uint32_t) + count);
        write(whole.last(count));
    } else if (!matches(device, ", strict")) {
        std::uint32_t* const at = buffer->map(queue, ferry::Map::read_write).data();
        buffer.reset();
        write(ferry::Imported<std::uint32_t>{device, std::span(at, count)});
    } else {
        return 60;
    }
    return told(device, {"after it was destroyed", "byte 0 is 0x42", "4000 bytes", here(line)});
}

// Unwritten memory can be distinguished from memory that happens to be zero.
int fresh(const ferry::Device& device) {
    ferry::Queue queue{device};
    for (int round = 0; round < 3; ++round) {
        for (const ferry::MemoryKind kind : every_kind) {
            if (!device.has(kind)) {
                continue;
            }
            for (const std::size_t size : {std::size_t{1}, std::size_t{4097}, std::size_t{100'003}}) {
                Buffer<std::uint8_t> buffer{device, size, kind};
                if (queue.read(buffer) != std::vector<std::uint8_t>(size, 0xcd)) {
                    return 1;
                }
                queue.fill(buffer, std::uint8_t{0});
            }
        }
        device.pool().trim();
    }
    return device.pool().check().empty() ? 60 : 2;
}

int written_after(const ferry::Device& device) {
    ferry::Queue queue{device};
    std::optional buffer{Buffer<std::uint32_t>(device, count)};
    const int line = __LINE__ - 1;
    if (device.backend() == ferry::Backend::host) {
        std::uint32_t* const late = buffer->map(queue, ferry::Map::read_write).data();
        buffer.reset();
        late[3] = 1;
        return told(device, {"after it was destroyed", "byte 12", here(line)});
    }
    if (!device.has(ferry::MemoryKind::host)) {
        return 60;
    }
    std::optional shared{Buffer<std::uint32_t>(device, count, ferry::MemoryKind::host)};
    const int line_of_shared = __LINE__ - 1;
    std::uint32_t* const late = shared->span().data();
    shared.reset();
    late[3] = 1;
    return told(device, {"after it was destroyed", "byte 12", here(line_of_shared)});
}

int view_after(const ferry::Device& device) {
    ferry::Queue queue{device};
    std::optional buffer{Buffer<std::uint32_t>(device, count)};
    const int line = __LINE__ - 1;
    const ferry::View<std::uint32_t> view = buffer->view();
    buffer.reset();
    int refused = 0;
    const auto expect = [&](const auto& call) {
        try {
            call();
        } catch (const ferry::Error& error) {
            const std::string text = error.what();
            refused += error.code() == Code::invalid_state && text.find(here(line)) != std::string::npos;
        }
    };
    expect([&] { queue.fill(view, 1U); });
    expect([&] { queue.launch(kernel(device, "iota"), {1, 64}, view, 64U, 1U); });
    expect([&] { (void)view.map(queue, ferry::Map::read); });
    expect([&] { queue.read(view); });
    return refused == 4 ? 60 : refused;
}

int destroyed_twice(const ferry::Device& device) {
    using Bytes = Buffer<std::uint8_t>;
    alignas(Bytes) std::byte first[sizeof(Bytes)];
    alignas(Bytes) std::byte second[sizeof(Bytes)];
    auto* const one = new (first) Bytes(device, 77);
    const int line = __LINE__ - 1;
    std::memcpy(second, first, sizeof first);
    auto* const two = std::launder(reinterpret_cast<Bytes*>(second));
    one->~Bytes();
    two->~Bytes();
    return told(device, {"more than once", "77 bytes", here(line)});
}

int adopted_twice(const ferry::Device& device) {
    Buffer<std::uint32_t> buffer{device, count};
    const int line = __LINE__ - 1;
    try {
        if (device.backend() == ferry::Backend::hip) {
            (void)ferry::interop::hip::adopt_pointer<std::uint32_t>(
                device, ferry::interop::hip::pointer(buffer), count);
        } else if (device.backend() == ferry::Backend::cuda) {
            (void)ferry::interop::cuda::adopt_pointer<std::uint32_t>(
                device, ferry::interop::cuda::pointer(buffer), count);
        } else {
            return 60; // a cl_mem counts its owners; host memory has no handles
        }
    } catch (const ferry::Error& error) {
        const std::string text = error.what();
        return error.code() == Code::invalid_argument && text.find(here(line)) != std::string::npos ? 60 : 1;
    }
    return 2;
}

int leak(const ferry::Device& device) {
    auto* const lost = new Buffer<std::uint8_t>(device, 4321);
    return lost->size() == 4321 ? 60 : 1;
}

int nothing_wrong(const ferry::Device& device) {
    ferry::Queue queue{device};
    for (std::uint32_t i = 0; i < 30; ++i) {
        Buffer<std::uint32_t> buffer{device, count + i};
        queue.launch(kernel(device, "iota"), ferry::Grid::covering(count + i, 64), buffer, count + i, i);
        Buffer<std::uint32_t> other{device, count + i};
        queue.copy(buffer, other);
        if (queue.read(other).back() != count + 2 * i - 1) {
            return 1;
        }
    }
    device.pool().trim();
    return device.pool().check().empty() && device.pool().use().used == 0 ? 60 : 2;
}

const ChildRegistration bodies[] = {
    {"debug both", both_sides},   {"debug overrun", overrun},       {"debug late", written_after},
    {"debug view", view_after},   {"debug twice", destroyed_twice}, {"debug adopt", adopted_twice},
    {"debug leak", leak},         {"debug nothing", nothing_wrong}, {"debug host", overrun_by_host},
    {"debug underrun", underrun}, {"debug kernel", late_kernel},    {"debug fresh", fresh},
};

void check_debug(const char* mode, std::string_view name, const ferry::Device& device, int status) {
    setenv("FERRY_MEMORY_DEBUG", mode, 1);
    check_child(name, device, status);
    unsetenv("FERRY_MEMORY_DEBUG");
}

} // namespace

FERRY_TEST("memory debug: a kernel that writes beyond the end") {
    check_debug("on", "debug overrun", device, 60);
}
FERRY_TEST("memory debug: the host writes beyond the end of memory that it reaches") {
    check_debug("on", "debug host", device, 60);
}
FERRY_TEST("memory debug: a second fault of a buffer is reported as well") {
    check_debug("on", "debug both", device, 60);
}
FERRY_TEST("memory debug: the host writes before the beginning") {
    check_debug("on", "debug underrun", device, 60);
}
FERRY_TEST("memory debug: a kernel writes through the handle of a destroyed buffer") {
    check_debug("on", "debug kernel", device, 60);
}
FERRY_TEST("memory debug: fresh memory contains 0xcd, also if it was used before") {
    check_debug("on", "debug fresh", device, 60);
}
FERRY_TEST("memory debug: abort ends the process at the fault, with its line") {
    setenv("FERRY_MEMORY_DEBUG", "abort", 1);
    check_child_aborts("debug overrun", device,
                       {"beyond its end", "byte 4000", "4000 bytes", "memory_debug_test.cpp:"});
    unsetenv("FERRY_MEMORY_DEBUG");
}
FERRY_TEST("memory debug: a write to memory of a buffer that is gone") {
    check_debug("on", "debug late", device, 60);
}
FERRY_TEST("memory debug: a view that outlives its buffer") {
    check_debug("on", "debug view", device, 60);
}
FERRY_TEST("memory debug: a buffer copied as bytes") {
    check_debug("on", "debug twice", device, 60);
}
FERRY_TEST("memory debug: adopting the memory of a buffer") {
    check_debug("on", "debug adopt", device, 60);
}
FERRY_TEST("memory debug: a buffer that is never destroyed is reported at the end") {
    setenv("FERRY_MEMORY_DEBUG", "on", 1);
    const std::string output = child_output("debug leak", device);
    unsetenv("FERRY_MEMORY_DEBUG");
    CHECK(output.find("4321 bytes") != std::string::npos);
    CHECK(output.find("never destroyed") != std::string::npos);
    CHECK(output.find("memory_debug_test.cpp:") != std::string::npos);
}
FERRY_TEST("memory debug: a program without faults runs as before, without a report") {
    check_debug("on", "debug nothing", device, 60);
    check_debug("abort", "debug nothing", device, 60);
}

} // namespace memory_debug_test
