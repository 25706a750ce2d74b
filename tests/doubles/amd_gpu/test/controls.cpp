// SPDX-License-Identifier: Apache-2.0
// One wrong program on the emulated AMD GPU, chosen by the first argument. Each must end with the emulator's
// report; the test looks for its text.
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr char source[] = R"(
extern "C" __global__ void fill(int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { out[i] = i; }
}
extern "C" __global__ void neighbour(int* out) {
    extern __shared__ int shared[];
    shared[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void no_barrier(int* out) {
    __shared__ volatile int shared[256];
    shared[threadIdx.x] = 255 - threadIdx.x;
    out[threadIdx.x] = threadIdx.x < 64 ? 255 - threadIdx.x : shared[threadIdx.x - 64] - 64;
}
extern "C" __global__ void wrong_space(int* out) {
    __shared__ int shared[64];
    shared[threadIdx.x] = threadIdx.x;
    unsigned long long generic = (unsigned long long)(int*)shared;
    volatile __attribute__((address_space(1))) int* global = (volatile __attribute__((address_space(1))) int*)generic;
    out[threadIdx.x] = global[threadIdx.x];
}
)";

void check(int code, const char* call) {
    if (code != 0) {
        std::printf("%s returned %d\n", call, code);
        std::exit(2);
    }
}
#define CHECK(call) check(static_cast<int>(call), #call)

hipFunction_t compiled(const char* name) {
    hiprtcProgram program;
    CHECK(hiprtcCreateProgram(&program, source, "controls", 0, nullptr, nullptr));
    const char* options[] = {"--gpu-architecture=gfx90a"};
    CHECK(hiprtcCompileProgram(program, 1, options));
    std::size_t size = 0;
    CHECK(hiprtcGetCodeSize(program, &size));
    std::vector<char> code(size);
    CHECK(hiprtcGetCode(program, code.data()));
    hipModule_t module;
    CHECK(hipModuleLoadData(&module, code.data()));
    hipFunction_t function;
    CHECK(hipModuleGetFunction(&function, module, name));
    return function;
}

void launch(hipFunction_t function, unsigned groups, unsigned size, unsigned shared,
            std::vector<void*> arguments) {
    CHECK(hipModuleLaunchKernel(function, groups, 1, 1, size, 1, 1, shared, nullptr, arguments.data(),
                                nullptr));
    CHECK(hipDeviceSynchronize());
}

int* device_words(std::size_t count) {
    void* memory = nullptr;
    CHECK(hipMalloc(&memory, count * sizeof(int)));
    return static_cast<int*>(memory);
}

// A wave that runs before the one whose words it reads finds poison; so the order of the waves decides. Each
// group of 256 words counts down to 0 where all is right.
void print_words(const char* control, const int* memory, std::size_t count) {
    std::vector<int> words(count);
    CHECK(hipMemcpy(words.data(), memory, count * sizeof(int), hipMemcpyDeviceToHost));
    int poisoned = 0;
    int wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const bool poison = words[i] == 0x7fbadbad || words[i] == 0x7fbadbad - 64;
        poisoned += poison ? 1 : 0;
        wrong += !poison && words[i] != static_cast<int>(255 - i % 256) ? 1 : 0;
    }
    std::printf("%s: %d words of poison, %d other wrong words\n", control, poisoned, wrong);
}

const void* expected_fault = nullptr;

void on_fault(int, siginfo_t* info, void*) {
    constexpr char text[] = "the host faults at the device address\n";
    if (info->si_addr == expected_fault && write(STDOUT_FILENO, text, sizeof text - 1) > 0) {
        _exit(0);
    }
    _exit(3);
}

} // namespace

int main(int, char** arguments) {
    const std::string control = arguments[1];
    CHECK(hipInit(0));
    int* out = device_words(1024);
    int count = 1024;
    if (control == "right") {
        launch(compiled("fill"), 4, 256, 0, {&out, &count});
        launch(compiled("neighbour"), 4, 256, 1024, {&out});
        print_words("right", out, 1024);
    } else if (control == "past-end") {
        count = 4096;
        launch(compiled("fill"), 16, 256, 0, {&out, &count});
    } else if (control == "freed") {
        CHECK(hipFree(out));
        launch(compiled("fill"), 4, 256, 0, {&out, &count});
    } else if (control == "host-memory") {
        std::vector<int> unregistered(1024);
        int* host = unregistered.data();
        launch(compiled("fill"), 4, 256, 0, {&host, &count});
    } else if (control == "small-lds") {
        launch(compiled("neighbour"), 4, 256, 1020, {&out});
    } else if (control == "address-space") {
        launch(compiled("wrong_space"), 1, 64, 0, {&out});
    } else if (control == "no-barrier") {
        launch(compiled("no_barrier"), 1, 256, 0, {&out});
        print_words("no-barrier", out, 256);
    } else if (control == "fresh") {
        std::vector<unsigned> words(1024);
        CHECK(hipMemcpy(words.data(), out, 4096, hipMemcpyDeviceToHost));
        std::printf("fresh memory holds %08x\n", words[1023]);
    } else if (control == "host-read") {
        expected_fault = out;
        struct sigaction action = {};
        action.sa_sigaction = on_fault;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &action, nullptr);
        std::printf("the host reads %d\n", *out);
    } else {
        std::printf("unknown control %s\n", control.c_str());
        return 2;
    }
    return 0;
}
