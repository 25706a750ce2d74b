// SPDX-License-Identifier: Apache-2.0
// One wrong program on the emulated AMD GPU, chosen by the first argument. Each must end with the emulator's
// report; the test looks for its text.
#define __HIP_PLATFORM_AMD__ 1
#include <elf.h>
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

int copy_with_engine();

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
extern "C" __global__ void many(int* out, int a, int b, int c, int d, int e, int f) {
    out[threadIdx.x] = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f;
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

// The place of symbol NAME in the code object, which is in a bundle with an empty one of the host's.
char* find_symbol(std::vector<char>& code, const std::string& name) {
    const char magic[] = ELFMAG;
    char* const image = &*std::search(code.begin(), code.end(), magic, magic + SELFMAG);
    Elf64_Ehdr header;
    std::memcpy(&header, image, sizeof header);
    const auto section = [&](unsigned i) {
        Elf64_Shdr read;
        std::memcpy(&read, image + header.e_shoff + i * sizeof read, sizeof read);
        return read;
    };
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        if (section(i).sh_type != SHT_DYNSYM) {
            continue;
        }
        const char* const names = image + section(section(i).sh_link).sh_offset;
        for (std::uint64_t at = 0; at < section(i).sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            std::memcpy(&symbol, image + section(i).sh_offset + at, sizeof symbol);
            if (names + symbol.st_name == name) {
                const Elf64_Shdr holder = section(symbol.st_shndx);
                return image + symbol.st_value - holder.sh_addr + holder.sh_offset;
            }
        }
    }
    std::printf("no symbol %s\n", name.c_str());
    std::exit(2);
}

// If ARGUMENT_BYTES is not 0, it replaces the size of the arguments in the kernel's descriptor.
hipFunction_t compiled(const char* name, std::uint32_t argument_bytes = 0) {
    hiprtcProgram program;
    CHECK(hiprtcCreateProgram(&program, source, "controls", 0, nullptr, nullptr));
    const char* options[] = {"--gpu-architecture=gfx90a"};
    CHECK(hiprtcCompileProgram(program, 1, options));
    std::size_t size = 0;
    CHECK(hiprtcGetCodeSize(program, &size));
    std::vector<char> code(size);
    CHECK(hiprtcGetCode(program, code.data()));
    if (argument_bytes != 0) {
        constexpr std::size_t place = 8; // in the descriptor
        std::memcpy(find_symbol(code, std::string(name) + ".kd") + place, &argument_bytes,
                    sizeof argument_bytes);
    }
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

// Waves read words of other waves. A wave that runs too early reads poison, so the order of the waves
// matters. If all is right, each group of 256 words counts down to 0.
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

// The runtime's own abort; a test that ends by a signal does not pass.
void on_abort(int) {
    constexpr char text[] = "the runtime aborts\n";
    if (write(STDOUT_FILENO, text, sizeof text - 1) > 0) {
        _exit(0);
    }
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
        std::printf("the host finds %d in memory that was not registered\n", unregistered[1023]);
    } else if (control == "little-memory") {
        void* memory = nullptr;
        const hipError_t too_much = hipMalloc(&memory, std::size_t{65} << 20);
        std::vector<void*> parts;
        while (hipMalloc(&memory, std::size_t{4} << 20) == hipSuccess) {
            parts.push_back(memory);
        }
        CHECK(hipFree(parts.back()));
        const hipError_t again = hipMalloc(&memory, std::size_t{4} << 20);
        std::printf("65 MiB: %s, %zu parts of 4 MiB, after a free: %s\n", hipGetErrorName(too_much),
                    parts.size(), hipGetErrorName(again));
    } else if (control == "small-lds") {
        launch(compiled("neighbour"), 4, 256, 1020, {&out});
    } else if (control == "argument-size") {
        launch(compiled("many", 16), 1, 64, 0, {&out, &count, &count, &count, &count, &count, &count});
    } else if (control == "lost") {
        signal(SIGABRT, on_abort);
        const hipFunction_t fill = compiled("fill");
        launch(fill, 4, 256, 0, {&out, &count});
        launch(fill, 4, 256, 0, {&out, &count});
        std::printf("the lost device answers\n");
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
        std::printf("the host reads %x\n", static_cast<unsigned>(*out));
    } else if (control == "copy-engine") {
        return copy_with_engine();
    } else {
        std::printf("unknown control %s\n", control.c_str());
        return 2;
    }
    return 0;
}
