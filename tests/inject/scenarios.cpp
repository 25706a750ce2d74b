// SPDX-License-Identifier: Apache-2.0
#include "scenarios.hpp"

#include "parts.hpp"

#include <ferry/exported.hpp>
#include <ferry/import.hpp>
#include <ferry/interop/cuda.hpp>
#include <ferry/interop/hip.hpp>
#include <ferry/interop/opencl.hpp>
#include <ferry/recording.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <utility>

namespace ferry::inject {
namespace {

void list() {
    const Device d = device();
    expect(!d.info().name.empty(), "the device has a name");
    static_cast<void>(d.memory());
    use_device();
}
void copies() {
    Queue queue(device());
    const int number = any_number();
    std::vector<int>& from = host_memory(0);
    std::vector<int>& to = host_memory(1);
    from.assign(count, number);
    Buffer<int> a(device(), count);
    Buffer<int> b(device(), count);
    queue.copy(from, a);
    queue.copy(a, b);
    queue.copy_and_wait(b, to);
    expect_all(to, number, "copied values");
}
void fills() {
    struct Three {
        int a, b, c;
    };
    Queue queue(device());
    Buffer<char> bytes(device(), 999);
    Buffer<Three> threes(device(), 2001);
    Buffer<int> ints(device(), 1025); // OpenCL needs two calls, for the widened pattern and for the rest
    const int number = any_number();
    queue.fill(bytes, static_cast<char>(number));
    queue.fill(threes, Three{number, 2, 3});
    queue.fill(ints, number);
    expect_all(queue.read(bytes), static_cast<char>(number), "filled bytes");
    for (const Three& one : queue.read(threes)) {
        expect(one.a == number && one.b == 2 && one.c == 3, "filled structs");
    }
    expect_all(queue.read(ints), number, "filled ints");
    Buffer<short> shorts(device(), 33);
    queue.fill(shorts.subview(1, 31), static_cast<short>(number));
    expect(queue.read(shorts)[31] == static_cast<short>(number), "filled shorts");
}
/// Work that a failed fill has begun does not change memory that is allocated later.
void fill_then_reuse() {
    constexpr std::size_t large = (std::size_t{4} << 20) + 1;
    Queue queue(device());
    std::string failed;
    {
        Buffer<int> x(device(), large, MemoryKind::host);
        try {
            queue.fill(x, 4);
        } catch (const Error& error) {
            failed = error.what();
        }
    }
    Buffer<int> y(device(), large, MemoryKind::host);
    for (int& value : y.span()) {
        value = 7;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (const int value : y.span()) {
        expect(value == 7, "a failed fill writes to another buffer");
    }
    queue.finish();
}
void boxes_and_batches() {
    Queue queue(device());
    const int number = any_number();
    std::vector<int>& from = host_memory(0);
    std::vector<int>& to = host_memory(1);
    from.assign(count, number);
    Buffer<int> a(device(), count);
    Buffer<int> b(device(), count);
    queue.copy(from, a);
    queue.fill(b, 0);
    queue.copy(HostBox<const int>(std::span<const int>(from), {32, 16}), Box<int>(a, {32, 16}, {160}));
    queue.copy(Box<const int>(a, {32, 16}, {160}), Box<int>(b, {32, 16}));
    Buffer<int> same_pitch(device(), count); // OpenCL also copies such boxes within one buffer
    queue.fill(same_pitch, 0);
    queue.copy(Box<const int>(a, {32, 16}, {160}), Box<int>(same_pitch, {32, 16}, {160}));
    const std::vector<int> copied = queue.read(same_pitch);
    Batch batch;
    batch.copy(a.first(64), b.subview(1000, 64));
    batch.copy(std::span<const int>(from).first(10), b.subview(2000, 10));
    queue.copy(batch);
    queue.copy_and_wait(b, to);
    std::vector<int>& rows = host_memory(2);
    queue.copy(Box<const int>(b, {32, 16}), HostBox<int>(std::span<int>(rows), {32, 16}, {160}));
    queue.finish();
    expect(rows[0] == number && rows[32] == 0 && rows[15 * 40 + 31] == number, "box of the host");
    expect(copied[0] == number && copied[32] == 0 && copied[15 * 40 + 31] == number, "box of the same pitch");
    expect(to[0] == number && to[511] == number && to[512] == 0, "box");
    expect(to[1063] == number && to[1064] == 0 && to[2009] == number, "batch");
}
void launches_and_events() {
    Queue first(device(), {.timing = true});
    Queue second(device());
    const int number = any_number();
    Buffer<int> x(device(), count);
    first.fill(x, number);
    first.launch(kernel(), Grid::covering(count, 64), x, 3, unsigned(count));
    const Event start = first.record();
    second.wait(start);
    second.launch(kernel(), Grid::covering(count, 64), x, 4, unsigned(count));
    second.launch(kernel(), Grid::covering(10, 5), x.subview(7, 10), 1, 10U);
    const Event end = second.record();
    first.wait(end);
    end.wait();
    static std::atomic<int> called;
    called = 0;
    first.on_complete([](const Status&) { ++called; });
    first.flush();
    while (!first.idle()) {
        std::this_thread::yield();
    }
    const std::vector<int> values = first.read(x);
    first.finish();
    second.finish();
    static_cast<void>(elapsed(start, first.record()));
    expect(called == 1, "callback");
    expect(values[0] == number + 7 && values[7] == number + 8 && values[count - 1] == number + 7, "launches");
}
/// Uses the driver's own waits, which a short wait of the other scenarios does not reach.
void blocking_waits() {
    Queue queue(device(), {.wait = WaitPolicy::block});
    const int number = any_number();
    Buffer<int> x(device(), count);
    queue.fill(x, number);
    queue.record().wait();
    queue.launch(kernel(), Grid::covering(count, 64), x, 3, unsigned(count));
    queue.finish();
    expect_all(queue.read(x), number + 3, "values after a blocking wait");
}
/// Hints change no values, also if one of them fails.
void hints() {
    Queue high(device(), {.priority = QueuePriority::high});
    const int number = any_number();
    static_cast<void>(kernel().occupancy({64}));
    const bool shared = device().has(MemoryKind::shared);
    Buffer<int> x(device(), count, shared ? MemoryKind::shared : MemoryKind::device);
    high.fill(x, number);
    high.advise(x, Advice::prefer_device);
    high.prefetch(x);
    high.launch(kernel(), Grid::covering(count, 64), x, 3, unsigned(count));
    high.prefetch(x.first(17), Prefetch::to_host);
    high.advise(x, Advice::none);
    expect_all(high.read(x), number + 3, "values of memory with hints");
}
void mappings() {
    Queue queue(device());
    const int number = any_number();
    Buffer<int> x(device(), count);
    queue.fill(x, number);
    {
        auto mapped = x.map(queue, Map::read_write);
        expect(mapped[7] == number, "mapped value");
        mapped[7] = 6;
        mapped.unmap();
    }
    expect(queue.read(x)[7] == 6, "value written through a mapping");
}
void kinds() {
    Queue queue(device());
    for (const MemoryKind kind : {MemoryKind::host, MemoryKind::shared}) {
        if (device().has(kind)) {
            Buffer<int> x(device(), count, kind);
            queue.fill(x, 3);
            queue.launch(kernel(), Grid::covering(count, 64), x, 2, unsigned(count));
            queue.finish();
            expect(x.span()[count - 1] == 5, "host-visible memory");
        }
    }
}
void copies_between_kinds() {
    if (!device().has(MemoryKind::host) || !device().has(MemoryKind::shared)) {
        return;
    }
    Queue queue(device());
    const int number = any_number();
    Buffer<int> from(device(), count, MemoryKind::host);
    Buffer<int> to(device(), count, MemoryKind::shared);
    Buffer<int> last(device(), count);
    queue.fill(from, number);
    queue.copy(from, to);
    queue.copy(to, last);
    expect_all(queue.read(last), number, "values copied between kinds");
}
/// An empty pool allocates from the driver again, and divides the memory into parts.
void empty_pool() {
    static_cast<void>(device().pool().trim());
    const int number = any_number();
    Queue queue(device());
    Buffer<int> first(device(), 1000);
    Buffer<int> second(device(), 1000);
    queue.fill(first, number);
    queue.copy(first, second);
    expect_all(queue.read(second), number, "values in parts of new memory");
}
void imports() {
    static std::vector<int> memory;
    memory.assign(8192, any_number());
    const int number = memory[0];
    Queue queue(device());
    {
        const Imported<int> imported(device(), memory);
        queue.launch(kernel(), Grid::covering(8192, 64), imported, 3, 8192U);
        queue.finish();
    }
    expect_all(memory, number + 3, "imported values");
}
/// A file in memory, as memory of another API.
void external_memory() {
    if (device().backend() == Backend::opencl) {
        return;
    }
    const int number = any_number();
    const std::vector<int> values(count, number);
    const std::size_t bytes = count * sizeof(int);
    const int file = memfd_create("ferry-inject", MFD_CLOEXEC);
    expect(file >= 0 && write(file, values.data(), bytes) == static_cast<ssize_t>(bytes), "a file in memory");
    struct Closed {
        int file;
        ~Closed() { close(file); }
    } const closed{file};
    Queue queue(device());
    const Buffer<int> opened = open_external<int>(device(), {file, bytes, false}, count);
    queue.launch(kernel(), Grid::covering(count, 64), opened, 3, unsigned(count));
    expect_all(queue.read(opened), number + 3, "values of external memory");
}
/// Vendor objects, of the program or of Ferry, wrapped as Ferry objects.
struct Borrowed {
    Queue queue;
    Buffer<int> memory;
};
Borrowed borrow(const Queue& owner, const Buffer<int>& x, Queue& other, const Event& event) {
    const Device d = device();
    switch (d.backend()) {
    case Backend::opencl:
        interop::opencl::wait_event(other, interop::opencl::event(event));
        return {interop::opencl::borrow_queue(d, interop::opencl::queue(owner)),
                interop::opencl::borrow_memory<int>(d, interop::opencl::memory(x).mem, count)};
    case Backend::cuda:
        interop::cuda::wait_event(other, interop::cuda::event(event));
        return {interop::cuda::borrow_stream(d, interop::cuda::stream(owner)),
                interop::cuda::borrow_pointer<int>(d, interop::cuda::pointer(x), count)};
    default:
        interop::hip::wait_event(other, interop::hip::event(event));
        return {interop::hip::borrow_stream(d, interop::hip::stream(owner)),
                interop::hip::borrow_pointer<int>(d, interop::hip::pointer(x), count)};
    }
}
void borrowed_handles() {
    const int number = any_number();
    Queue owner(device());
    Buffer<int> x(device(), count);
    owner.fill(x, number);
    const Event event = owner.record();
    Queue other(device());
    Borrowed borrowed = borrow(owner, x, other, event);
    other.finish();
    borrowed.queue.launch(kernel(), Grid::covering(count, 64), borrowed.memory, 3, unsigned(count));
    expect_all(borrowed.queue.read(borrowed.memory), number + 3, "borrowed memory");
}
/// Copies and boxes from one device to the other, and commands on both from one thread.
void two_devices() {
    const Device first = device();
    if (first.backend() == Backend::opencl) {
        return; // copies between its devices go through the host
    }
    const Device second = find_device(std::getenv("FERRY_BACKEND") + std::string(":1"));
    const int number = any_number();
    Queue queue(first);
    Queue other(second);
    Buffer<int> a(first, count);
    Buffer<int> b(second, count);
    Buffer<int> c(second, count);
    queue.fill(a, number);
    queue.copy(a, b);
    queue.finish();
    other.fill(c, 0);
    other.finish();
    queue.copy(Box<const int>(a, {32, 16}, {160}), Box<int>(c, {32, 16}, {160}));
    queue.finish();
    expect_all(other.read(b), number, "values of the other device");
    const std::vector<int> box = other.read(c);
    expect(box[0] == number && box[32] == 0 && box[15 * 40 + 31] == number, "box of the other device");
}
/// Uses more local memory than CUDA allows by default.
void much_local_memory() {
    static const Program program(device(), "kernel void last(global int* x, local int* y, uint n) {\n"
                                           "    y[n - 1] = x[0];\n"
                                           "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                           "    x[0] = y[n - 1] + 1;\n"
                                           "}\n");
    constexpr std::size_t words = 13'000; // 52,000 bytes
    if (device().info().local_memory < words * sizeof(int)) {
        return;
    }
    const Kernel last = program.kernel("last");
    const int number = any_number();
    Queue queue(device());
    Buffer<int> x(device(), 1);
    queue.fill(x, number);
    queue.launch(last, Grid{{1}, {1}}, x, local<int>(words), unsigned(words));
    expect(queue.read(x)[0] == number + 1, "a value that went through local memory");
}
void shares() {
    for (const Placement placement : {Placement::alias, Placement::stage}) {
        static std::vector<int> memory;
        memory.assign(8192, 5);
        Queue queue(device());
        ShareOptions options;
        options.allowed = placement;
        try {
            auto shared = share(device(), memory, Access::device_updates, options);
            queue.launch(kernel(), Grid::covering(8192, 64), shared, 3, 8192U);
            shared.end();
        } catch (const Error& error) {
            if (error.code() == Code::unsupported && error.vendor() == nullptr) {
                continue; // the device does not support this placement
            }
            throw;
        }
        expect_all(memory, 8, "shared values");
    }
}
void recordings() {
    std::vector<int>& from = host_memory(2);
    std::vector<int>& to = host_memory(3);
    from.assign(count, 5);
    Buffer<int> x(device(), count);
    Buffer<int> y(device(), count);
    Step last;
    Recording recording(device(), [&](Recorder& recorder) {
        recorder.fill(x, 5);
        recorder.launch(kernel(), Grid::covering(count, 64), x, 3, unsigned(count));
        auto other = recorder.branch();
        other.fill(y, 1);
        recorder.wait(other);
        last = recorder.launch(kernel(), Grid::covering(count, 64), y, 3, unsigned(count));
    });
    Queue queue(device());
    queue.replay(recording);
    queue.replay(recording);
    queue.copy_and_wait(y, to);
    expect_all(to, 4, "recorded values");
    recording.set(last, 1, 7);
    queue.replay(recording);
    queue.copy_and_wait(y, to);
    expect_all(to, 8, "values of a changed recording");
}
std::string text_of(const std::vector<std::byte>& code) {
    const char* const first = reinterpret_cast<const char*>(code.data());
    return {first, first + code.size()};
}
void programs() {
    // A new definition, so that no cache has the program.
    const std::string other = "-DOTHER=" + std::to_string(std::random_device()());
    const Program program(device(),
                          "kernel void add(global int* x, int by, uint n) { "
                          "uint i = get_global_id(0); if (i < n) x[i] += by; }\n",
                          {.opencl = other, .cuda = other, .hip = other});
    const Kernel add = program.kernel("add");
    static_cast<void>(program.kernel_names());
    static_cast<void>(program.binary());
    Queue queue(device());
    Buffer<int> x(device(), count);
    queue.fill(x, 1);
    queue.launch(add, Grid::covering(count, 64), x, 3, unsigned(count));
    expect_all(queue.read(x), 4, "built kernel");
    const std::vector<std::byte> code = program.binary();
    const DeviceInfo& info = device().info();
    // NVRTC produces PTX if it does not list its architectures.
    const bool machine_code = code.at(0) == std::byte{0x7f};
    const Program again(device(), info.backend == Backend::opencl ? Source::opencl_binary(code, info.name)
                                  : info.backend == Backend::hip
                                      ? Source::code_object(code, info.architecture)
                                  : machine_code ? Source::cubin(code, info.architecture)
                                                 : Source::ptx(text_of(code)));
    static_cast<void>(again.kernel_names());
    queue.launch(again.kernel("add"), Grid::covering(count, 64), x, 3, unsigned(count));
    expect_all(queue.read(x), 7, "kernel of a binary");
    if (info.backend == Backend::cuda) {
        const Program intermediate(
            device(), Source::cuda("extern \"C\" __global__ void twice(int* x) { x[threadIdx.x] *= 2; }"),
            {.cuda = "--gpu-architecture=compute_80 " + other});
        queue.launch(intermediate.kernel("twice"), Grid{{1}, {64}}, x);
        expect(queue.read(x)[63] == 14, "kernel of PTX");
    }
}
/// A text that the vendor's compiler rejects.
void broken_programs() {
    const Backend backend = device().backend();
    if (backend == Backend::opencl) {
        return; // OpenCL C is checked before it reaches the driver
    }
    const std::string broken = "#error no kernel\n";
    std::string error;
    try {
        static_cast<void>(
            Program(device(), backend == Backend::hip ? Source::hip(broken) : Source::cuda(broken)));
    } catch (const Error& refused) {
        if (refused.code() != Code::build_failed) {
            throw;
        }
        error = refused.what();
    }
    expect(!error.empty(), "a broken text was built");
}

} // namespace

void use_device() {
    const int number = any_number();
    Queue queue(device());
    Buffer<int> x(device(), 101);
    queue.fill(x, number);
    expect_all(queue.read(x), number, "a fresh queue");
}

void keep_used_memory(const std::function<void(int)>& refuse, const std::function<long()>& freed) {
    constexpr std::size_t large = std::size_t{1} << 20;
    use_device();
    Queue queue(device());
    const int* before = nullptr;
    long freed_before = 0;
    std::string error;
    {
        Buffer<int> x(device(), large, MemoryKind::host);
        before = x.span().data();
        queue.fill(x, 4);
        queue.launch(kernel(), Grid::covering(large, 64), x, 3, unsigned(large));
        freed_before = freed();
        refuse(77'777);
        try {
            queue.finish();
        } catch (const Error& refused) {
            error = refused.what();
        }
    }
    expect(error.find("stays allocated") != std::string::npos, "the error does not say that memory is kept");
    expect(freed() == freed_before, "memory that the device may use was given back");
    refuse(0);
    const Buffer<int> y(device(), large, MemoryKind::host);
    expect(y.span().data() != before, "memory that the device may use was given to another buffer");
}

void fill_in_parts(const std::function<void()>& fail_second, bool held_back) {
    struct Long { // longer than the patterns of kernels and vendors
        int values[700];
    };
    constexpr std::size_t elements = 7;
    constexpr std::size_t bytes = elements * sizeof(Long);
    Long pattern{};
    for (int& value : pattern.values) {
        value = any_number();
    }
    Settings staged = settings();
    staged.staging = held_back ? "on" : "off";
    configure(staged);
    Queue queue(device());
    Buffer<Long> x(device(), elements);
    static std::vector<char> memory(std::size_t{32} << 20);
    Buffer<char> other(device(), memory.size());
    fail_second();
    std::string error;
    try {
        if (held_back) {
            queue.copy(memory, other);
        }
        queue.fill(x, pattern);
        queue.finish();
    } catch (const Error& failed) {
        error = failed.what();
    }
    std::size_t part = 0;
    std::size_t all = 0;
    const std::size_t at = error.find("the first ");
    expect(at != std::string::npos &&
               std::sscanf(error.c_str() + at, "the first %zu of %zu bytes were filled", &part, &all) == 2,
           "the error does not say which part was filled");
    expect(part >= sizeof(Long) && part < bytes && all == bytes, "the error names another part");
    const std::vector<Long> values = queue.read(x);
    for (std::size_t i = 0; i < part / sizeof(Long); ++i) {
        expect(std::memcmp(&values[i], &pattern, sizeof pattern) == 0, "the part is not filled");
    }
}

const std::vector<Scenario>& scenarios() {
    static const std::vector<Scenario> all{
        {"copies", copies},
        {"fills", fills},
        {"reuse", fill_then_reuse},
        {"boxes and batches", boxes_and_batches},
        {"launches and events", launches_and_events},
        {"blocking waits", blocking_waits},
        {"mappings", mappings},
        {"memory kinds", kinds},
        {"copies between kinds", copies_between_kinds},
        {"an empty pool", empty_pool},
        {"imports", imports},
        {"external memory", external_memory},
        {"borrowed handles", borrowed_handles},
        {"local memory", much_local_memory},
        {"shares", shares},
        {"recordings", recordings},
        {"programs", programs, false, true},
        {"broken programs", broken_programs},
        {"devices", list, true},
        {"two devices", two_devices, true},
        {"hints", hints},
        {"staged copies", staged_copies},
        {"files", files},
        {"streams", streams},
        {"ways of mapping", ways_of_mapping},
        {"guards of a share", share_guards},
    };
    return all;
}

} // namespace ferry::inject
