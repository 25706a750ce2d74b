// SPDX-License-Identifier: Apache-2.0
#include "fixture.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

using namespace ferry_double;
using namespace ferry_double::test;

namespace {

const char* slow = R"(
    extern "C" __global__ void slow(int* out, int value, long long rounds) {
        for (long long i = 0; i < rounds; ++i) *(volatile int*)out = (int)i;
        out[0] = value;
    })";

struct Mark {
    explicit Mark(unsigned int flags = 0) { REQUIRE(hip().hipEventCreateWithFlags(&handle, flags) == 0); }
    ~Mark() { hip().hipEventDestroy(handle); }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;
    Event handle = nullptr;
};

} // namespace

TEST_CASE("every name of the list is exported, and the list is what this version has") {
    int found = 0;
    while (hip().symbol(found) != nullptr) {
        INFO(hip().symbol(found));
        void* library = open_library(std::getenv("FERRY_HIP_LIBRARY"));
        CHECK(dlsym(library, hip().symbol(found)) != nullptr);
        ++found;
    }
    CHECK(found > 40);
    int version = 0;
    REQUIRE(hip().hipRuntimeGetVersion(&version) == 0);
    const int major = version / 10000000;
    CHECK((hip().hipGetDevicePropertiesR0600 != nullptr) == (major >= 6));
    void* library = open_library(std::getenv("FERRY_HIP_LIBRARY"));
    CHECK((dlsym(library, "hiprtcCompileProgram") != nullptr) == (major < 7));
}

TEST_CASE("the architecture stands where each layout has it") {
    std::vector<char> bytes(4096, '\0');
    REQUIRE(hip().hipGetDeviceProperties(bytes.data(), 0) == 0);
    CHECK(std::string(bytes.data() + 396) == "gfx90a");
    if (hip().hipGetDevicePropertiesR0600 != nullptr) {
        REQUIRE(hip().hipGetDevicePropertiesR0600(bytes.data(), 0) == 0);
        CHECK(std::string(bytes.data() + 1160) == "gfx90a");
    }
}

TEST_CASE("streams are asynchronous; events order them") {
    const LoadedModule module(slow);
    const LoadedModule waiting(R"(
        extern "C" __global__ void wait(volatile int* gate) { while (*gate == 0) __threadfence(); })");
    const LoadedStream first;
    const LoadedStream second;
    const DeviceArray<int> out(std::vector<int>{0});
    void* gate = nullptr;
    REQUIRE(hip().hipHostMalloc(&gate, sizeof(int), 2) == 0);
    std::atomic_ref<int>(*static_cast<int*>(gate)) = 0;
    const Mark mark;
    const Mark start;
    REQUIRE(hip().hipEventRecord(start.handle, first.handle) == 0);
    REQUIRE(first.launch(waiting.function("wait"), 1, 1, 0, gate) == 0);
    REQUIRE(first.launch(module.function("slow"), 1, 1, 0, out.data, 1, 3000000LL) == 0);
    REQUIRE(hip().hipEventRecord(mark.handle, first.handle) == 0);
    CHECK(hip().hipStreamQuery(first.handle) == not_ready);
    CHECK(hip().hipEventQuery(mark.handle) == not_ready);
    std::atomic_ref<int>(*static_cast<int*>(gate)) = 1;
    REQUIRE(hip().hipStreamWaitEvent(second.handle, mark.handle, 0) == 0);
    REQUIRE(second.launch(module.function("slow"), 1, 1, 0, out.data, 2, 0LL) == 0);
    CHECK(out.read(second) == std::vector<int>{2});
    CHECK(hip().hipEventQuery(mark.handle) == 0);
    float milliseconds = 0;
    REQUIRE(hip().hipEventElapsedTime(&milliseconds, start.handle, mark.handle) == 0);
    CHECK(milliseconds > 0);
    const Mark without(2);
    REQUIRE(hip().hipEventRecord(without.handle, first.handle) == 0);
    REQUIRE(hip().hipEventSynchronize(without.handle) == 0);
    CHECK(hip().hipEventElapsedTime(&milliseconds, start.handle, without.handle) == invalid_handle);
    CHECK(hip().hipHostFree(gate) == 0);
}

TEST_CASE("a stream that waits for the default one, and the default one itself, are refused") {
    Stream blocking = nullptr;
    CHECK(hip().hipStreamCreateWithFlags(&blocking, 0) == invalid_value);
    CHECK(blocking == nullptr);
    const DeviceArray<int> data(1);
    int value = 0;
    CHECK(hip().hipMemcpyHtoDAsync(data.data, &value, sizeof value, nullptr) == invalid_handle);
    CHECK(hip().hipStreamSynchronize(nullptr) == invalid_handle);
}

TEST_CASE("wild, foreign and out-of-range addresses are refused and counted") {
    const auto before = hip().live().wild;
    const LoadedStream stream;
    const DeviceArray<int> data(4);
    int value = 0;
    CHECK(hip().hipMemcpyHtoDAsync(data.data + 3, &value, 8, stream.handle) == invalid_value);
    CHECK(hip().hipMemcpyHtoDAsync(&value, &value, 4, stream.handle) == invalid_value);
    CHECK(hip().hipMemsetD32Async(data.data, 0, 5, stream.handle) == invalid_value);
    CHECK(hip().hipMemsetD32Async(reinterpret_cast<char*>(data.data) + 2, 0, 1, stream.handle) ==
          invalid_value);
    CHECK(hip().hipFree(data.data + 1) == invalid_value);
    CHECK(hip().hipHostFree(data.data) == invalid_value);
    CHECK(hip().live().wild >= before + 5);
}

TEST_CASE("a kernel that writes past its allocation is seen when the memory is freed") {
    const LoadedModule module(slow);
    const LoadedStream stream;
    const auto before = hip().live().overruns;
    {
        const DeviceArray<int> data(4);
        REQUIRE(stream.launch(module.function("slow"), 1, 1, 0, data.data + 4, 1, 0LL) == 0);
        REQUIRE(stream.finish() == 0);
    }
    CHECK(hip().live().overruns == before + 1);
}

TEST_CASE("memory has a limit, and the next allocation works") {
    std::size_t free = 0;
    std::size_t total = 0;
    REQUIRE(hip().hipMemGetInfo(&free, &total) == 0);
    void* address = nullptr;
    CHECK(hip().hipMalloc(&address, total + 1) == out_of_memory);
    CHECK(address == nullptr);
    REQUIRE(hip().hipMalloc(&address, 100) == 0);
    CHECK(hip().hipFree(address) == 0);
}

TEST_CASE("fills of every width, and managed and host memory") {
    const LoadedStream stream;
    void* address = nullptr;
    REQUIRE(hip().hipMallocManaged(&address, 24, 1) == 0);
    REQUIRE(hip().hipMemsetD8Async(address, 0x11, 8, stream.handle) == 0);
    REQUIRE(hip().hipMemsetD16Async(static_cast<char*>(address) + 8, 0x2233, 4, stream.handle) == 0);
    REQUIRE(hip().hipMemsetD32Async(static_cast<char*>(address) + 16, 0x44556677, 2, stream.handle) == 0);
    REQUIRE(stream.finish() == 0);
    const unsigned char expected[24] = {0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
                                        0x33, 0x22, 0x33, 0x22, 0x33, 0x22, 0x33, 0x22,
                                        0x77, 0x66, 0x55, 0x44, 0x77, 0x66, 0x55, 0x44};
    CHECK(std::memcmp(address, expected, sizeof expected) == 0);
    CHECK(hip().hipFree(address) == 0);
    REQUIRE(hip().hipHostMalloc(&address, 8, 2) == 0);
    void* seen_by_device = nullptr;
    CHECK(hip().hipHostGetDevicePointer(&seen_by_device, address, 0) == 0);
    CHECK(seen_by_device == address);
    CHECK(hip().hipHostFree(address) == 0);
}

TEST_CASE("injected failures: calls, counted calls, commands that fail later") {
    const LoadedModule module(slow);
    const LoadedStream stream;
    const DeviceArray<int> out(std::vector<int>{0});
    void* address = nullptr;
    CHECK(hip().inject("nonsense:1") == 0);
    REQUIRE(hip().inject("hipMalloc:2@2") == 1);
    REQUIRE(hip().hipMalloc(&address, 4) == 0);
    CHECK(hip().hipFree(address) == 0);
    CHECK(hip().hipMalloc(&address, 4) == 2);
    REQUIRE(hip().hipMalloc(&address, 4) == 0);
    CHECK(hip().hipFree(address) == 0);

    REQUIRE(hip().inject("kernel:slow:719:once") == 1);
    REQUIRE(stream.launch(module.function("slow"), 1, 1, 0, out.data, 1, 0LL) == 0);
    CHECK(stream.finish() == 719);
    CHECK(stream.finish() == 0);
    REQUIRE(hip().inject("later:hipMemcpyDtoHAsync:700:once") == 1);
    int value = 0;
    REQUIRE(hip().hipMemcpyDtoHAsync(&value, out.data, 4, stream.handle) == 0);
    CHECK(stream.finish() == 700);
    REQUIRE(hip().inject("slow:hipMalloc:20@1") == 1);
    const auto begin = std::chrono::steady_clock::now();
    REQUIRE(hip().hipMalloc(&address, 4) == 0);
    CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(20));
    CHECK(hip().hipFree(address) == 0);
    REQUIRE(hip().inject(nullptr) == 1);
    CHECK(hip().calls("hipMalloc") >= 3);
    CHECK(hip().calls("hipNothing") == -1);
}

TEST_CASE("images that are none, and other architectures") {
    Module module = nullptr;
    const std::vector<char> nonsense(4096, 'x');
    CHECK(hip().hipModuleLoadDataEx(&module, nonsense.data(), 0, nullptr, nullptr) == invalid_image);
    const CompiledCode code = compile("extern \"C\" __global__ void f() {}", {"--gpu-architecture=gfx1030"});
    REQUIRE(code.result == 0);
    CHECK(hip().hipModuleLoadDataEx(&module, code.bytes.data(), 0, nullptr, nullptr) == no_binary_for_gpu);
    const std::vector<char> half(code.bytes.begin(),
                                 code.bytes.begin() + static_cast<long>(code.bytes.size() / 2));
    CHECK(hip().hipModuleLoadDataEx(&module, half.data(), 0, nullptr, nullptr) != success);
}

TEST_CASE("launch limits") {
    const LoadedModule module("extern \"C\" __global__ void f() {}");
    const LoadedStream stream;
    CHECK(stream.launch(module.function("f"), 0, 1, 0) == invalid_value);
    CHECK(stream.launch(module.function("f"), 1, 1025, 0) == invalid_configuration);
    CHECK(stream.launch(module.function("f"), 1, 1, 65537) == invalid_value);
    CHECK(stream.launch(module.function("f"), 1, 1, 0) == 0);
    CHECK(stream.finish() == 0);
}

TEST_CASE("several devices: current device of each thread, peers") {
    int count = 0;
    REQUIRE(hip().hipGetDeviceCount(&count) == 0);
    REQUIRE(count == 2);
    REQUIRE(hip().hipSetDevice(1) == 0);
    int here = 0;
    int there = 9;
    REQUIRE(hip().hipGetDevice(&here) == 0);
    std::thread([&] { hip().hipGetDevice(&there); }).join();
    CHECK(here == 1);
    CHECK(there == 0);
    const DeviceArray<int> remote(std::vector<int>{42});
    REQUIRE(hip().hipSetDevice(0) == 0);
    const DeviceArray<int> local(1);
    const LoadedStream stream;
    REQUIRE(hip().hipMemcpyPeerAsync(local.data, 0, remote.data, 1, 4, stream.handle) == 0);
    CHECK(local.read(stream) == std::vector<int>{42});
    CHECK(hip().hipMemcpyPeerAsync(local.data, 1, remote.data, 0, 4, stream.handle) == invalid_value);
    int can = 0;
    REQUIRE(hip().hipDeviceCanAccessPeer(&can, 0, 1) == 0);
    CHECK(can == 1);
    CHECK(hip().hipDeviceEnablePeerAccess(1, 0) == 0);
    CHECK(hip().hipDeviceEnablePeerAccess(1, 0) == peer_access_already_enabled);
    CHECK(hip().hipSetDevice(2) == invalid_device);
}

TEST_CASE("many threads, nothing left over") {
    const LoadedModule module(slow);
    const Function function = module.function("slow");
    std::vector<std::thread> threads;
    std::vector<int> results(8);
    for (int t = 0; t != 8; ++t) {
        threads.emplace_back([&, t] {
            void* memory = nullptr;
            Stream stream = nullptr;
            hip().hipMalloc(&memory, 4);
            hip().hipStreamCreateWithFlags(&stream, 1);
            for (int i = 0; i != 200; ++i) {
                int value = t * 1000 + i;
                long long rounds = 3;
                void* parameters[] = {static_cast<void*>(&memory), &value, &rounds};
                hip().hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream,
                                            static_cast<void**>(parameters), nullptr);
            }
            hip().hipMemcpyDtoHAsync(&results[static_cast<std::size_t>(t)], memory, 4, stream);
            hip().hipStreamSynchronize(stream);
            hip().hipStreamDestroy(stream);
            hip().hipFree(memory);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (int t = 0; t != 8; ++t) {
        CHECK(results[static_cast<std::size_t>(t)] == t * 1000 + 199);
    }
}

TEST_CASE("live objects are counted while they live") {
    const auto before = hip().live();
    void* memory = nullptr;
    void* pinned = nullptr;
    Stream stream = nullptr;
    REQUIRE(hip().hipMalloc(&memory, 1000) == 0);
    REQUIRE(hip().hipHostMalloc(&pinned, 1000, 0) == 0);
    REQUIRE(hip().hipStreamCreateWithFlags(&stream, 1) == 0);
    {
        const Mark mark;
        const LoadedModule module(slow);
        const auto now = hip().live();
        CHECK(now.allocations == before.allocations + 2);
        CHECK(now.bytes >= before.bytes + 2000);
        CHECK(now.streams == before.streams + 1);
        CHECK(now.events == before.events + 1);
        CHECK(now.modules == before.modules + 1);
    }
    CHECK(hip().hipStreamDestroy(stream) == 0);
    CHECK(hip().hipHostFree(pinned) == 0);
    CHECK(hip().hipFree(memory) == 0);
    const auto after = hip().live();
    CHECK(after.allocations == before.allocations);
    CHECK(after.bytes == before.bytes);
    CHECK(after.streams == before.streams);
    CHECK(after.events == before.events);
    CHECK(after.modules == before.modules);
}

// This must be the last test in the order of files and of cases, because a sticky failure stays.
TEST_CASE("a sticky failure makes the device useless, and everything can still be given back") {
    const LoadedModule module(slow);
    {
        const LoadedStream stream;
        const DeviceArray<int> out(std::vector<int>{0});
        REQUIRE(hip().inject("kernel:slow:719") == 1);
        REQUIRE(stream.launch(module.function("slow"), 1, 1, 0, out.data, 1, 0LL) == 0);
        CHECK(stream.finish() == 719);
        CHECK(stream.finish() == 719);
        void* address = nullptr;
        CHECK(hip().hipMalloc(&address, 4) == 719);
        REQUIRE(hip().hipSetDevice(1) == 0);
        CHECK(hip().hipMalloc(&address, 4) == 0);
        CHECK(hip().hipFree(address) == 0);
        REQUIRE(hip().hipSetDevice(0) == 0);
    }
    REQUIRE(hip().inject(nullptr) == 1);
    const auto live = hip().live();
    CHECK(live.allocations == 0);
    CHECK(live.bytes == 0);
    CHECK(live.streams == 0);
    CHECK(live.events == 0);
    CHECK(live.modules == 1);
    CHECK(live.programs == 0);
}
