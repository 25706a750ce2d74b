// SPDX-License-Identifier: Apache-2.0
#include "fixture.hpp"

#include <numeric>

using namespace ferry_double::test;

TEST_CASE("a kernel without barriers reads and writes device memory") {
    const LoadedModule module(R"(
        #include <hip/hip_runtime.h>
        __constant__ float offset = 1.0f;
        __device__ inline float twice(float a) { return 2.0f * a; }
        extern "C" __global__ void __launch_bounds__(256)
        saxpy(float a, const float* __restrict__ x, float* y, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) {
                y[i] = a * x[i] + twice(y[i]) + offset + sqrtf(4.0f) + fmaxf(0.0f, -1.0f);
            }
        })");
    const LoadedStream stream;
    const DeviceArray<float> x(std::vector<float>(1000, 3.0F));
    const DeviceArray<float> y(std::vector<float>(1000, 5.0F));
    REQUIRE(stream.launch(module.function("saxpy"), 4, 256, 0, 2.0F, x.data, y.data, 1000) == 0);
    CHECK(y.read(stream) == std::vector<float>(1000, 19.0F));
}

TEST_CASE("barriers, static and dynamic shared memory, atomics") {
    const LoadedModule module(R"(
        extern __shared__ __align__(16) int outside[];
        extern "C" __global__ void reverse(int* data, int* sum) {
            __shared__ int tile[64];
            extern __shared__ int inside[];
            const int t = threadIdx.x;
            tile[t] = data[blockIdx.x * 64 + t];
            inside[t] = 1000 * t;
            __syncthreads();
            data[blockIdx.x * 64 + t] = tile[63 - t] + outside[63 - t];
            atomicAdd(sum, tile[t]);
            for (int step = 32; step > 0; step /= 2) {
                __syncthreads();
                if (t < step) tile[t] += tile[t + step];
            }
            if (t == 0) atomicAdd(&sum[1], tile[0]);
        })");
    std::vector<int> values(192);
    std::iota(values.begin(), values.end(), 0);
    const int total = std::accumulate(values.begin(), values.end(), 0);
    const LoadedStream stream;
    const DeviceArray<int> data(values);
    const DeviceArray<int> sum(std::vector<int>{0, 0});
    REQUIRE(stream.launch(module.function("reverse"), 3, 64, 256, data.data, sum.data) == 0);
    const std::vector<int> result = data.read(stream);
    for (int i = 0; i != 192; ++i) {
        CHECK(result[static_cast<std::size_t>(i)] == i / 64 * 64 + 63 - i % 64 + 1000 * (63 - i % 64));
    }
    CHECK(sum.read(stream) == std::vector<int>{total, total});
}

TEST_CASE("threads may return before a barrier; threads in different barriers are a failure") {
    const LoadedModule module(R"(
        extern "C" __global__ void early(int* out) {
            if (threadIdx.x >= 5) return;
            __syncthreads();
            out[threadIdx.x] = 7;
        })");
    const LoadedStream stream;
    const DeviceArray<int> out(std::vector<int>(8, 0));
    REQUIRE(stream.launch(module.function("early"), 1, 8, 0, out.data) == 0);
    CHECK(out.read(stream) == std::vector<int>{7, 7, 7, 7, 7, 0, 0, 0});
}

TEST_CASE("the threads of a warp hand values to each other") {
    const LoadedModule module(R"(
        extern "C" __global__ void sums(int* out, unsigned long long* votes) {
            int v = threadIdx.x;
            for (int step = warpSize / 2; step > 0; step /= 2) v += __shfl_down(v, step);
            out[threadIdx.x] = v;
            const unsigned long long vote = __ballot(threadIdx.x % 2);
            const int any = __syncthreads_or(threadIdx.x == 100);
            if (threadIdx.x == 0) { votes[0] = vote; votes[1] = any; }
        })");
    const LoadedStream stream;
    const DeviceArray<int> out(128);
    const DeviceArray<unsigned long long> votes(2);
    REQUIRE(stream.launch(module.function("sums"), 1, 128, 0, out.data, votes.data) == 0);
    const std::vector<int> result = out.read(stream);
    CHECK(result[0] == 2016);
    CHECK(result[64] == 6112);
    CHECK(votes.read(stream) == std::vector<unsigned long long>{0xAAAAAAAAAAAAAAAAULL, 1});
}

TEST_CASE("vector types, structs by value, three dimensions") {
    const LoadedModule module(R"(
        struct Item { char tag; double weight; float4 color; };
        extern "C" __global__ void mix(Item item, float4* out, uint3* index) {
            float4 v = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
            v += item.color * (float)item.weight;
            out[0] = v;
            int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
            if (blockIdx.y == 1 && blockIdx.x == 2) index[i] = make_uint3(threadIdx.x, threadIdx.y, threadIdx.z);
        })");
    struct alignas(16) Item {
        char tag = 'a';
        double weight = 2.0;
        alignas(16) float color[4] = {1, 1, 1, 1};
    } item;
    const LoadedStream stream;
    const DeviceArray<float> out(4);
    const DeviceArray<unsigned int> index(24 * 3);
    void* out_address = out.data;
    void* index_address = index.data;
    void* parameters[] = {&item, static_cast<void*>(&out_address), static_cast<void*>(&index_address)};
    REQUIRE(hip().hipModuleLaunchKernel(module.function("mix"), 3, 2, 1, 4, 3, 2, 0, stream.handle,
                                        static_cast<void**>(parameters), nullptr) == 0);
    CHECK(out.read(stream) == std::vector<float>{3, 4, 5, 6});
    const std::vector<unsigned int> read = index.read(stream);
    CHECK(read[23 * 3] == 3);
    CHECK(read[23 * 3 + 1] == 2);
    CHECK(read[23 * 3 + 2] == 1);
}

TEST_CASE("two modules of one code object share no variables; unloading does not affect running kernels") {
    const char* text = R"(
        __device__ int count;
        extern "C" __global__ void next(int* out) { out[0] = ++count; })";
    const LoadedStream stream;
    const DeviceArray<int> out(1);
    const LoadedModule first(text);
    {
        const LoadedModule second(text);
        REQUIRE(stream.launch(first.function("next"), 1, 1, 0, out.data) == 0);
        REQUIRE(stream.launch(second.function("next"), 1, 1, 0, out.data) == 0);
    }
    CHECK(out.read(stream)[0] == 1);
}

TEST_CASE("kernels that conditions leave out, templates and mangled names") {
    const CompiledCode code =
        compile(R"(
        #ifdef WANTED
        extern "C" __global__ void wanted(int* p) { *p = VALUE; }
        #else
        extern "C" __global__ void unwanted(int* p) { *p = 0; }
        #endif
        template <class T> __global__ void generic(T* p) { *p = 1; }
        extern "C" { __global__ void grouped(int* p) { *p = 2; } }
        __global__ void mangled(int* p) { *p = 3; }
        )",
                {"--gpu-architecture=gfx90a", "-DWANTED", "-D", "VALUE=5", "-std=c++14", "-O3"});
    REQUIRE(code.log == "");
    REQUIRE(code.result == 0);
    ferry_double::Module module = nullptr;
    REQUIRE(hip().hipModuleLoadDataEx(&module, code.bytes.data(), 0, nullptr, nullptr) == 0);
    ferry_double::Function function = nullptr;
    CHECK(hip().hipModuleGetFunction(&function, module, "wanted") == 0);
    CHECK(hip().hipModuleGetFunction(&function, module, "unwanted") == ferry_double::not_found);
    CHECK(hip().hipModuleGetFunction(&function, module, "grouped") == 0);
    CHECK(hip().hipModuleGetFunction(&function, module, "_Z7mangledPi") == 0);
    CHECK(hip().hipModuleUnload(module) == 0);
}

TEST_CASE("errors name the user's file and line; standard headers and odd architectures are refused") {
    const CompiledCode wrong = compile("extern \"C\" __global__ void f(int* p) {\n    *p = undeclared;\n}\n");
    CHECK(wrong.result == ferry_double::compiler_compilation);
    CHECK(wrong.log.find("user.hip:2") != std::string::npos);
    CHECK(wrong.log.find("undeclared") != std::string::npos);
    CHECK(compile("#include <cstdint>\n").result == ferry_double::compiler_compilation);
    CHECK(compile("", {"--gpu-architecture=sm_90"}).result == ferry_double::compiler_invalid_option);
}
