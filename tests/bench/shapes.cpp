// SPDX-License-Identifier: Apache-2.0
// Measures boxes, batches and fills, compared with a program without them. On CUDA, the comparison is the
// driver's own calls on the same stream and the same memory. For batches and fills on OpenCL, it is also the
// driver's calls. Otherwise, it is plain copies of the same bytes through Ferry.
#include "commands.hpp"
#include "timing.hpp"

#include <ferry/ferry.hpp>
#include <ferry/interop/cuda.hpp>
#include <ferry/interop/opencl.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using ferry::MemoryKind;
using Bytes = ferry::Buffer<std::uint8_t>;

/// The CUDA driver's calls; empty on other devices.
struct Cuda {
    struct Copy3d {
        std::size_t from_x, from_y, from_z, from_level;
        int from_kind;
        const void* from_host;
        std::uint64_t from;
        void *from_array, *from_reserved;
        std::size_t from_pitch, from_height, to_x, to_y, to_z, to_level;
        int to_kind;
        void* to_host;
        std::uint64_t to;
        void *to_array, *to_reserved;
        std::size_t to_pitch, to_height, width, height, depth;
    };
    int (*set_current)(void*) = nullptr;
    int (*copy)(std::uint64_t, std::uint64_t, std::size_t, void*) = nullptr;
    int (*copy_box)(const Copy3d*, void*) = nullptr;
    int (*fill_4)(std::uint64_t, unsigned, std::size_t, void*) = nullptr;
    int (*synchronize)(void*) = nullptr;

    explicit Cuda(const ferry::Device& device) {
        void* const library =
            device.backend() == ferry::Backend::cuda ? dlopen("libcuda.so.1", RTLD_NOW) : nullptr;
        if (library == nullptr) {
            return;
        }
        const auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            if (function == nullptr) {
                throw std::runtime_error(std::string("libcuda.so.1 has no ") + name);
            }
        };
        find(copy, "cuMemcpyAsync");
        find(copy_box, "cuMemcpy3DAsync_v2");
        find(fill_4, "cuMemsetD32Async");
        find(synchronize, "cuStreamSynchronize");
        find(set_current, "cuCtxSetCurrent");
        check(set_current(ferry::interop::cuda::context(device)), "cuCtxSetCurrent");
    }
    explicit operator bool() const { return copy != nullptr; }
    static void check(int code, const char* call) {
        if (code != 0) {
            throw std::runtime_error(std::string(call) + " returned " + std::to_string(code));
        }
    }
};

/// An OpenCL driver's calls; empty on other devices.
struct Opencl {
    int (*write)(void*, void*, unsigned, std::size_t, std::size_t, const void*, unsigned, const void*,
                 void*) = nullptr;
    int (*read)(void*, void*, unsigned, std::size_t, std::size_t, void*, unsigned, const void*,
                void*) = nullptr;
    int (*copy)(void*, void*, void*, std::size_t, std::size_t, std::size_t, unsigned, const void*,
                void*) = nullptr;
    int (*fill)(void*, void*, const void*, std::size_t, std::size_t, std::size_t, unsigned, const void*,
                void*) = nullptr;

    explicit Opencl(const ferry::Device& device) {
        const char* const named = std::getenv("FERRY_OPENCL_LIBRARY");
        void* const library = device.backend() == ferry::Backend::opencl
                                  ? dlopen(named != nullptr ? named : "libOpenCL.so.1", RTLD_NOW)
                                  : nullptr;
        if (library == nullptr) {
            return;
        }
        const auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            if (function == nullptr) {
                throw std::runtime_error(std::string("the OpenCL library has no ") + name);
            }
        };
        find(write, "clEnqueueWriteBuffer");
        find(read, "clEnqueueReadBuffer");
        find(copy, "clEnqueueCopyBuffer");
        find(fill, "clEnqueueFillBuffer");
    }
    explicit operator bool() const { return copy != nullptr; }
    /// Whether a buffer's memory is a memory object.
    static bool is_object(const Bytes& buffer) {
        try {
            return ferry::interop::opencl::memory(ferry::View<const std::uint8_t>(buffer)).mem != nullptr;
        } catch (const ferry::Error&) {
            return false;
        }
    }
};

/// One end of a copy for the raw calls: host memory or a memory object.
struct End {
    std::uint8_t* host = nullptr;
    void* mem = nullptr;
    std::size_t offset = 0;
};

struct Row {
    std::string name, against;
    std::size_t bytes;
    double ferry, raw, low, high; ///< in seconds; low and high are the quartiles of the ratio
    double ratio;
};

class Bench {
public:
    Bench(const ferry::Device& device, const bench::ShapesOptions& options)
        : device_(device), options_(options), queue_(device), cuda_(device), opencl_(device) {
        std::printf("%s (%s)\n%-26s %12s %12s %8s %15s %9s  against\n", device.id().c_str(),
                    device.info().name.c_str(), "case", "ferry us", "other us", "ratio", "quartiles", "GB/s");
    }

    void boxes() {
        const std::size_t width = 4096;
        const std::size_t height = options_.quick ? 64 : 4096;
        const std::size_t pitch = 2 * width;
        Bytes image{device_, pitch * height};
        Bytes other{device_, pitch * height};
        Bytes pinned{device_, pitch * height, host_kind()};
        const auto shape = ferry::Extent{width, height};
        const ferry::Box<std::uint8_t> a{image, shape, {.row = pitch}};
        const ferry::Box<std::uint8_t> b{other, shape, {.row = pitch}};
        const ferry::Box<std::uint8_t> h{pinned, shape, {.row = pitch}};
        box("box.up", h, pinned, a, image, shape, pitch);
        box("box.down", a, image, h, pinned, shape, pitch);
        box("box.between", a, image, b, other, shape, pitch);
    }

    void batches() {
        const std::size_t size = 4096;
        const std::size_t count = options_.quick ? 40 : 1000;
        Bytes a{device_, 2 * size * count};
        Bytes b{device_, 2 * size * count};
        Bytes pinned{device_, 2 * size * count, host_kind()};
        batch("batch.up", pinned, a, size, count);
        batch("batch.down", a, pinned, size, count);
        batch("batch.between", a, b, size, count);
        std::vector<std::uint8_t> plain(2 * size * count, 1);
        batch("batch.up.pageable", plain, a, size, count);
        batch("batch.down.pageable", a, plain, size, count);
        batch("batch.down.gathered", a, pinned, size, count, 1);
    }

    void fills() {
        const bool gpu = device_.info().kind == ferry::DeviceKind::gpu;
        const std::size_t bytes =
            (options_.quick ? std::size_t{3} << 18 : (gpu ? std::size_t{3} << 30 : std::size_t{3} << 26));
        Bytes buffer{device_, bytes};
        const bool raw_opencl = opencl_ && has_end(buffer);
        for (const std::size_t size : {4U, 8U, 12U, 16U, 3U, 96U, 768U, 6144U}) {
            std::vector<std::byte> pattern(size);
            for (std::size_t i = 0; i < size; ++i) {
                pattern[i] = static_cast<std::byte>(i * 7 + 1);
            }
            compare(
                "fill." + std::to_string(size),
                cuda_        ? "cuMemsetD32Async"
                : raw_opencl ? "clEnqueueFillBuffer of 4 bytes"
                             : "fill of 4 bytes",
                bytes, [&] { queue_.fill_bytes(buffer, pattern); },
                [&] {
                    if (cuda_) {
                        Cuda::check(
                            cuda_.fill_4(ferry::interop::cuda::pointer(buffer), 7, bytes / 4, stream()),
                            "cuMemsetD32Async");
                    } else if (raw_opencl) {
                        const End end = end_of(buffer);
                        Cuda::check(opencl_.fill(ferry::interop::opencl::queue(queue_), end.mem, four_, 4,
                                                 end.offset, bytes, 0, nullptr, nullptr),
                                    "clEnqueueFillBuffer");
                    } else {
                        queue_.fill_bytes(buffer, std::as_bytes(std::span(four_)));
                    }
                },
                [&] {
                    const auto seen = queue_.read(buffer);
                    for (std::size_t i = 0; i < bytes; ++i) {
                        expect(seen[i] == static_cast<std::uint8_t>(pattern[i % size]), "fill", i);
                    }
                });
        }
    }

    const std::vector<Row>& rows() const { return rows_; }

private:
    MemoryKind host_kind() const {
        return device_.has(MemoryKind::host) ? MemoryKind::host : MemoryKind::device;
    }
    void* stream() const { return ferry::interop::cuda::stream(queue_); }
    static void expect(bool right, const std::string& what, std::size_t at) {
        if (!right) {
            throw std::runtime_error(what + ": byte " + std::to_string(at) + " is wrong");
        }
    }

    void randomise(Bytes& buffer) {
        std::vector<std::uint8_t> values(buffer.size());
        for (std::size_t i = 0; i + 8 <= values.size(); i += 8) {
            const std::uint64_t bits = random_();
            std::memcpy(values.data() + i, &bits, 8);
        }
        queue_.copy_and_wait(values, buffer);
    }

    void box(const std::string& name, const ferry::Box<std::uint8_t>& from, Bytes& from_buffer,
             const ferry::Box<std::uint8_t>& to, Bytes& to_buffer, const ferry::Extent& shape,
             std::size_t pitch) {
        randomise(from_buffer);
        randomise(to_buffer);
        auto wanted = queue_.read(to_buffer);
        const auto source = queue_.read(from_buffer);
        for (std::size_t y = 0; y < shape.height; ++y) {
            std::memcpy(wanted.data() + y * pitch, source.data() + y * pitch, shape.width);
        }
        compare(
            name, cuda_ ? "cuMemcpy3DAsync" : "row by row", shape.volume(), [&] { queue_.copy(from, to); },
            [&] {
                if (cuda_) {
                    Cuda::Copy3d copy{};
                    copy.from_kind = copy.to_kind = 4;
                    copy.from = ferry::interop::cuda::pointer(from_buffer);
                    copy.to = ferry::interop::cuda::pointer(to_buffer);
                    copy.from_pitch = copy.to_pitch = pitch;
                    copy.from_height = copy.to_height = copy.height = shape.height;
                    copy.width = shape.width;
                    copy.depth = 1;
                    Cuda::check(cuda_.copy_box(&copy, stream()), "cuMemcpy3DAsync");
                } else {
                    for (std::size_t y = 0; y < shape.height; ++y) {
                        queue_.copy(from_buffer.subview(y * pitch, shape.width),
                                    to_buffer.subview(y * pitch, shape.width));
                    }
                }
            },
            [&] {
                const auto seen = queue_.read(to_buffer);
                for (std::size_t i = 0; i < seen.size(); ++i) {
                    expect(seen[i] == wanted[i], name, i);
                }
            },
            [&] { randomise_gaps(to_buffer, wanted, shape, pitch); });
    }
    /// Before the check: writes other values to the rows. The gaps between them stay unchanged.
    void randomise_gaps(Bytes& to, const std::vector<std::uint8_t>& wanted, const ferry::Extent& shape,
                        std::size_t pitch) {
        auto poisoned = wanted;
        for (std::size_t y = 0; y < shape.height; ++y) {
            for (std::size_t x = 0; x < shape.width; ++x) {
                poisoned[y * pitch + x] = static_cast<std::uint8_t>(~poisoned[y * pitch + x]);
            }
        }
        queue_.copy_and_wait(poisoned, to);
    }

    std::vector<std::uint8_t> contents(Bytes& buffer) { return queue_.read(buffer); }
    static std::vector<std::uint8_t> contents(const std::vector<std::uint8_t>& memory) { return memory; }
    void randomise(std::vector<std::uint8_t>& memory) {
        for (std::uint8_t& value : memory) {
            value = static_cast<std::uint8_t>(random_());
        }
    }

    static ferry::View<std::uint8_t> part(Bytes& buffer, std::size_t at, std::size_t size) {
        return buffer.subview(at, size);
    }
    static std::span<std::uint8_t> part(std::vector<std::uint8_t>& memory, std::size_t at, std::size_t size) {
        return std::span(memory).subspan(at, size);
    }
    static std::uint64_t address(Bytes& buffer) { return ferry::interop::cuda::pointer(buffer); }
    static std::uint64_t address(std::vector<std::uint8_t>& memory) {
        return reinterpret_cast<std::uint64_t>(memory.data());
    }

    static End end_of(std::vector<std::uint8_t>& memory) { return {memory.data(), nullptr, 0}; }
    static End end_of(Bytes& buffer) {
        if (buffer.kind() == MemoryKind::host) {
            return {buffer.span().data(), nullptr, 0};
        }
        const auto range = ferry::interop::opencl::memory(buffer.view());
        return {nullptr, range.mem, range.offset};
    }
    static bool has_end(const std::vector<std::uint8_t>&) { return true; }
    static bool has_end(const Bytes& buffer) {
        return buffer.kind() == MemoryKind::host || Opencl::is_object(buffer);
    }
    /// Makes one copy by the driver's own call.
    void copy_raw(const End& from, std::size_t source, const End& to, std::size_t target, std::size_t bytes) {
        void* const queue = ferry::interop::opencl::queue(queue_);
        const int code = from.mem == nullptr ? opencl_.write(queue, to.mem, 0, to.offset + target, bytes,
                                                             from.host + source, 0, nullptr, nullptr)
                         : to.mem == nullptr ? opencl_.read(queue, from.mem, 0, from.offset + source, bytes,
                                                            to.host + target, 0, nullptr, nullptr)
                                             : opencl_.copy(queue, from.mem, to.mem, from.offset + source,
                                                            to.offset + target, bytes, 0, nullptr, nullptr);
        Cuda::check(code, "clEnqueue{Write,Read,Copy}Buffer");
    }

    /// Copies every second block of one end to a random place of the other end, `step` blocks apart.
    template <class From, class To>
    void batch(const std::string& name, From& from, To& to, std::size_t size, std::size_t count,
               std::size_t step = 2) {
        const bool raw_opencl = opencl_ && has_end(from) && has_end(to);
        std::vector<std::size_t> slots(count);
        for (std::size_t i = 0; i < count; ++i) {
            slots[i] = i;
        }
        std::shuffle(slots.begin(), slots.end(), random_);
        ferry::Batch batch;
        const auto fill_batch = [&] {
            batch.clear();
            for (std::size_t i = 0; i < count; ++i) {
                batch.copy(part(from, 2 * i * size, size), part(to, step * slots[i] * size, size));
            }
        };
        compare(
            name,
            cuda_        ? "cuMemcpyAsync each"
            : raw_opencl ? "clEnqueue... each"
                         : "one by one",
            size * count,
            [&] {
                fill_batch();
                queue_.copy(batch);
            },
            [&] {
                if (raw_opencl) {
                    const End source = end_of(from);
                    const End target = end_of(to);
                    for (std::size_t i = 0; i < count; ++i) {
                        copy_raw(source, 2 * i * size, target, step * slots[i] * size, size);
                    }
                    return;
                }
                for (std::size_t i = 0; i < count; ++i) {
                    if (cuda_) {
                        Cuda::check(cuda_.copy(address(to) + step * slots[i] * size,
                                               address(from) + 2 * i * size, size, stream()),
                                    "cuMemcpyAsync");
                    } else {
                        queue_.copy(part(from, 2 * i * size, size), part(to, step * slots[i] * size, size));
                    }
                }
            },
            [&] {
                const auto seen = contents(to);
                const auto source = contents(from);
                for (std::size_t i = 0; i < count; ++i) {
                    expect(std::memcmp(seen.data() + step * slots[i] * size, source.data() + 2 * i * size,
                                       size) == 0,
                           name, i * size);
                }
            },
            [&] {
                randomise(from);
                randomise(to);
            });
    }

    void compare(
        const std::string& name, const std::string& against, std::size_t bytes,
        const std::function<void()>& ferry_way, const std::function<void()>& other_way,
        const std::function<void()>& check, const std::function<void()>& prepare = [] {}) {
        const auto timed = [&](const std::function<void()>& way) {
            return seconds_of([&] {
                way();
                queue_.finish();
            });
        };
        timed(ferry_way);
        timed(other_way);
        std::vector<double> ferry_times;
        std::vector<double> other_times;
        std::vector<double> ratios;
        for (int i = 0; i < options_.repetitions; ++i) {
            const bool first = (random_() & 1U) != 0;
            const double one = timed(first ? ferry_way : other_way);
            const double two = timed(first ? other_way : ferry_way);
            ferry_times.push_back(first ? one : two);
            other_times.push_back(first ? two : one);
            ratios.push_back(ferry_times.back() / other_times.back());
        }
        prepare();
        timed(ferry_way);
        check();
        const Row row{name,
                      against,
                      bytes,
                      quantile(ferry_times, 0.5),
                      quantile(other_times, 0.5),
                      quantile(ratios, 0.25),
                      quantile(ratios, 0.75),
                      quantile(ratios, 0.5)};
        std::printf("%-26s %12.1f %12.1f %8.3f %7.3f-%7.3f %9.1f  %s\n", name.c_str(), row.ferry * 1e6,
                    row.raw * 1e6, row.ratio, row.low, row.high, static_cast<double>(bytes) / row.ferry / 1e9,
                    against.c_str());
        std::fflush(stdout);
        rows_.push_back(row);
    }

    ferry::Device device_;
    bench::ShapesOptions options_;
    ferry::Queue queue_;
    Cuda cuda_;
    Opencl opencl_;
    std::mt19937_64 random_{std::random_device{}()};
    std::uint32_t four_[1] = {0x04030201};
    std::vector<Row> rows_;
};

void write_json(const std::string& path, const ferry::Device& device, const std::vector<Row>& rows) {
    std::ofstream file(path);
    file << "{\"results\": [";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        file << (i == 0 ? "\n" : ",\n") << "  {\"name\": \"" << row.name << "\", \"device\": \""
             << device.id() << "\", \"bytes\": " << row.bytes << ", \"seconds\": " << row.ferry
             << ", \"raw_seconds\": " << row.raw << ", \"ratio_to_raw\": " << row.ratio
             << ", \"ratio_quartiles\": [" << row.low << ", " << row.high << "], \"raw\": \"" << row.against
             << "\"}";
    }
    file << "\n]}\n";
    if (!file) {
        throw std::runtime_error("'" + path + "' could not be written");
    }
}

} // namespace

int bench::shapes(const ShapesOptions& options) {
    ShapesOptions with = options;
    if (with.repetitions == 0) {
        with.repetitions = with.quick ? 5 : 15;
    }
    const ferry::Device device =
        with.device.empty() ? ferry::default_device() : ferry::find_device(with.device);
    Bench bench(device, with);
    if (!with.only_batches) {
        bench.boxes();
    }
    bench.batches();
    if (!with.only_batches) {
        bench.fills();
    }
    if (!with.json.empty()) {
        write_json(with.json, device, bench.rows());
    }
    return 0;
}
