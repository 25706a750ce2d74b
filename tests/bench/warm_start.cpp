// SPDX-License-Identifier: Apache-2.0
// Measures the first kernel of a new process with its code in the cache. The time is from the source to the
// result through Ferry, compared with the vendor's own load and launch of the same machine code. Each time is
// from a separate process in which the device was used before. Prints JSON lines in microseconds: median and
// quartiles. Blocks for some seconds for each device.
#include "../support/child.hpp"
#include "commands.hpp"
#include "opencl_calls.hpp"
#include "subject.hpp"

#include <ferry/ferry.hpp>
#include <ferry/interop/cuda.hpp>
#include <ferry/interop/hip.hpp>
#include <ferry/interop/opencl.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Word = std::uint32_t;
using Clock = std::chrono::steady_clock;
constexpr Word blocks = 1000;
constexpr std::size_t group = 64;
constexpr std::size_t message_words = std::size_t{blocks} * 16;
constexpr std::size_t digest_words = std::size_t{blocks} * 8;
constexpr Word unwritten = 0xdeadbeef;
constexpr std::string_view mark = "us and sum: ";

double microseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The data prepared for both sides.
struct Given {
    explicit Given(const std::string& id)
        : device(ferry::find_device(id)),
          queue(device),
          message(device, message_words),
          digest(device, digest_words),
          source(contents(FERRY_KERNEL_FILE)) {
        std::vector<Word> words(message_words);
        std::iota(words.begin(), words.end(), 1U);
        queue.copy_and_wait(words, message);
        queue.fill(digest, unwritten);
        queue.finish();
    }
    ferry::Device device;
    ferry::Queue queue;
    ferry::Buffer<Word> message;
    ferry::Buffer<Word> digest;
    std::string source;
};

ferry::Program by_ferry(Given& given) {
    ferry::Program program{given.device, given.source};
    given.queue.launch(program.kernel("sha256"), {(blocks + group - 1) / group, group}, given.message,
                       given.digest, blocks);
    given.queue.finish();
    return program;
}

/// CUDA's and HIP's functions, which differ only in their names.
struct Names {
    const char* load;
    const char* function;
    const char* launch;
    const char* finish;
};
constexpr Names cuda_names{"cuModuleLoadDataEx", "cuModuleGetFunction", "cuLaunchKernel",
                           "cuStreamSynchronize"};
constexpr Names hip_names{"hipModuleLoadDataEx", "hipModuleGetFunction", "hipModuleLaunchKernel",
                          "hipStreamSynchronize"};

void check(int code, const char* name) {
    if (code != 0) {
        throw std::runtime_error(std::string(name) + " returned " + std::to_string(code) + ".");
    }
}

double by_driver(void* library, const Names& names, void* stream, std::array<std::uint64_t, 2> memory,
                 const std::string& code) {
    const auto load = reinterpret_cast<int (*)(void**, const void*, unsigned, int*, void**)>(
        bench::find_symbol(library, names.load));
    const auto function =
        reinterpret_cast<int (*)(void**, void*, const char*)>(bench::find_symbol(library, names.function));
    const auto launch =
        reinterpret_cast<int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 void*, void**, void**)>(bench::find_symbol(library, names.launch));
    const auto finish = reinterpret_cast<int (*)(void*)>(bench::find_symbol(library, names.finish));
    const auto start = Clock::now();
    void* module = nullptr;
    void* kernel = nullptr;
    Word n = blocks;
    void* arguments[] = {memory.data(), &memory[1], &n};
    check(load(&module, code.data(), 0, nullptr, nullptr), names.load);
    check(function(&kernel, module, "sha256"), names.function);
    check(launch(kernel, (blocks + group - 1) / group, 1, 1, group, 1, 1, 0, stream, arguments, nullptr),
          names.launch);
    check(finish(stream), names.finish);
    return microseconds_since(start);
}

double by_cuda(Given& given, const std::string& code) {
    namespace cuda = ferry::interop::cuda;
    constexpr const char* libraries[] = {"libcuda.so.1"};
    void* const library = bench::open_library("FERRY_CUDA_LIBRARY", libraries);
    const auto set = reinterpret_cast<int (*)(void*)>(bench::find_symbol(library, "cuCtxSetCurrent"));
    check(set(cuda::context(given.device)), "cuCtxSetCurrent");
    return by_driver(library, cuda_names, cuda::stream(given.queue),
                     {cuda::pointer(given.message), cuda::pointer(given.digest)}, code);
}

double by_hip(Given& given, const std::string& code) {
    namespace hip = ferry::interop::hip;
    constexpr const char* libraries[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
    void* const library = bench::open_library("FERRY_HIP_LIBRARY", libraries);
    const auto set = reinterpret_cast<int (*)(int)>(bench::find_symbol(library, "hipSetDevice"));
    check(set(hip::device(given.device)), "hipSetDevice");
    return by_driver(library, hip_names, hip::stream(given.queue),
                     {reinterpret_cast<std::uint64_t>(hip::pointer(given.message)),
                      reinterpret_cast<std::uint64_t>(hip::pointer(given.digest))},
                     code);
}

/// With its own buffers, because Ferry's may be SVM or USM.
class RawOpencl {
public:
    explicit RawOpencl(Given& given)
        : context_(static_cast<cl_context>(ferry::interop::opencl::context(given.device))),
          device_(static_cast<cl_device_id>(ferry::interop::opencl::device(given.device))),
          queue_(static_cast<cl_command_queue>(ferry::interop::opencl::queue(given.queue))) {}

    std::string code_of(const std::string& source) {
        const char* text = source.c_str();
        cl_int error = 0;
        cl_program program = cl_.clCreateProgramWithSource(context_, 1, &text, nullptr, &error);
        bench::check_opencl(error, "clCreateProgramWithSource");
        build(program);
        std::size_t size = 0;
        bench::check_opencl(
            cl_.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
            "clGetProgramInfo");
        std::string code(size, '\0');
        char* bytes = code.data();
        bench::check_opencl(
            cl_.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(char*), &bytes, nullptr),
            "clGetProgramInfo");
        return code;
    }

    /// The microseconds from the machine code to the end of the launch.
    double time(const std::string& code, const std::vector<Word>& words, std::vector<Word>& result) {
        cl_mem message = buffer(message_words * sizeof(Word));
        cl_mem digest = buffer(digest_words * sizeof(Word));
        bench::check_opencl(cl_.clEnqueueWriteBuffer(queue_, message, CL_TRUE, 0, words.size() * sizeof(Word),
                                                     words.data(), 0, nullptr, nullptr),
                            "clEnqueueWriteBuffer");
        const auto start = Clock::now();
        const std::size_t size = code.size();
        const auto* bytes = reinterpret_cast<const unsigned char*>(code.data());
        cl_int status = 0;
        cl_int error = 0;
        cl_program program =
            cl_.clCreateProgramWithBinary(context_, 1, &device_, &size, &bytes, &status, &error);
        bench::check_opencl(error, "clCreateProgramWithBinary");
        build(program);
        launch(program, message, digest);
        const double us = microseconds_since(start);
        result.resize(digest_words);
        bench::check_opencl(cl_.clEnqueueReadBuffer(queue_, digest, CL_TRUE, 0, result.size() * sizeof(Word),
                                                    result.data(), 0, nullptr, nullptr),
                            "clEnqueueReadBuffer");
        return us;
    }

private:
    void build(cl_program program) const {
        bench::check_opencl(cl_.clBuildProgram(program, 1, &device_, "-cl-std=CL1.2", nullptr, nullptr),
                            "clBuildProgram");
    }
    cl_mem buffer(std::size_t bytes) const {
        cl_int error = 0;
        cl_mem made = cl_.clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, &error);
        bench::check_opencl(error, "clCreateBuffer");
        return made;
    }
    void launch(cl_program program, cl_mem message, cl_mem digest) const {
        cl_int error = 0;
        cl_kernel kernel = cl_.clCreateKernel(program, "sha256", &error);
        bench::check_opencl(error, "clCreateKernel");
        const Word n = blocks;
        bench::check_opencl(cl_.clSetKernelArg(kernel, 0, sizeof(cl_mem), &message), "clSetKernelArg");
        bench::check_opencl(cl_.clSetKernelArg(kernel, 1, sizeof(cl_mem), &digest), "clSetKernelArg");
        bench::check_opencl(cl_.clSetKernelArg(kernel, 2, sizeof n, &n), "clSetKernelArg");
        const std::size_t local = group;
        const std::size_t global = (blocks + group - 1) / group * group;
        bench::check_opencl(
            cl_.clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
        bench::check_opencl(cl_.clFinish(queue_), "clFinish");
    }

    bench::OpenclCalls cl_;
    cl_context context_;
    cl_device_id device_;
    cl_command_queue queue_;
};

/// Stores the code that the raw side loads. Ferry's own form for OpenCL has a header before the driver's
/// bytes.
void store(Given& given, const ferry::Program& program, const std::string& path) {
    std::string code;
    if (given.device.backend() == ferry::Backend::opencl) {
        code = RawOpencl(given).code_of(given.source);
    } else if (given.device.backend() != ferry::Backend::host) {
        const std::vector<std::byte> bytes = program.binary();
        code.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    std::ofstream(path, std::ios::binary) << code;
}

/// Prints microseconds and a checksum of the result. The argument is DEVICE|SIDE|FILE of the machine code.
int child(const std::string& argument) {
    const std::size_t bar = argument.find('|');
    const std::size_t second = argument.find('|', bar + 1);
    const std::string side = argument.substr(bar + 1, second - bar - 1);
    const std::string path = argument.substr(second + 1);
    Given given(argument.substr(0, bar));
    std::vector<Word> result;
    double time = 0;
    if (side != "raw") {
        const auto start = Clock::now();
        const ferry::Program program = by_ferry(given);
        time = microseconds_since(start);
        if (side == "store") {
            store(given, program, path);
        }
    } else if (given.device.backend() == ferry::Backend::cuda) {
        time = by_cuda(given, contents(path));
    } else if (given.device.backend() == ferry::Backend::hip) {
        time = by_hip(given, contents(path));
    } else {
        time = RawOpencl(given).time(contents(path), given.queue.read(given.message), result);
    }
    if (result.empty()) {
        result = given.queue.read(given.digest);
    }
    const auto last = static_cast<std::ptrdiff_t>(digest_words) - 8; // the last block
    if (std::count(result.begin() + last, result.end(), unwritten) == 8) {
        std::printf("the kernel wrote nothing\n");
        return 1;
    }
    Word sum = 0;
    for (const Word word : result) {
        sum = sum * 31 + word;
    }
    std::printf("\n%s%.1f %u\n", mark.data(), time, sum);
    return 0;
}

struct Times {
    std::vector<double> us;
    void add(double one) { us.push_back(one); }
    double at(std::size_t quarter) {
        std::sort(us.begin(), us.end());
        return us[(us.size() - 1) * quarter / 4];
    }
};

class Runs {
public:
    /// `sum`: the checksum on earlier devices, 0 on the first.
    Runs(std::string device, std::string folder, Word& sum)
        : device_(std::move(device)), folder_(std::move(folder)), sum_(&sum) {}

    double time(const std::string& side) {
        std::string argument = "--child=warm|" + device_;
        argument += "|" + side + "|" + folder_ + "/code";
        const support::ChildResult result =
            support::run({.arguments = {argument}, .environment = {{"FERRY_CACHE_DIR", folder_ + "/cache"}}});
        double us = 0;
        Word sum = 0;
        const std::size_t line = result.output.rfind(mark); // drivers may also print text
        if (!result.exited(0) || line == std::string::npos ||
            std::sscanf(result.output.c_str() + line + mark.size(), "%lf %u", &us, &sum) != 2) {
            throw std::runtime_error(device_ + ", " + side + ": " + result.describe());
        }
        if (*sum_ != 0 && sum != *sum_) {
            throw std::runtime_error(device_ + ", " + side + ": a wrong result.");
        }
        *sum_ = sum;
        return us;
    }

private:
    std::string device_;
    std::string folder_;
    Word* sum_;
};

void report(const ferry::Device& device, const std::string& folder, int rounds, Word& sum) {
    Runs runs(device.id(), folder, sum);
    const double first = runs.time("store");
    const bool has_raw =
        device.backend() != ferry::Backend::host && device.backend() != ferry::Backend::vulkan;
    Times own;
    Times raw;
    Times more;
    for (int i = -1; i < rounds; ++i) { // round -1 warms up
        const double a = runs.time("ferry");
        const double b = has_raw ? runs.time("raw") : 0;
        if (i >= 0) {
            own.add(a);
            raw.add(b);
            more.add(a - b);
        }
    }
    std::printf("{\"device\": \"%s\", \"name\": \"%s\", \"empty_cache_us\": %.0f, \"ferry_us\": %.1f, ",
                device.id().c_str(), device.info().name.c_str(), first, own.at(2));
    if (has_raw) {
        std::printf("\"raw_us\": %.1f, ", raw.at(2));
    } else {
        std::printf("\"raw_us\": null, ");
    }
    std::printf("\"more_us\": %.1f, \"quartile1_us\": %.1f, \"quartile3_us\": %.1f, \"rounds\": %d}\n",
                more.at(2), more.at(1), more.at(3), rounds);
    std::fflush(stdout);
}

const support::ChildBody body{"warm", child};

int run(int rounds) {
    Word sum = 0;
    for (const ferry::Device& device : ferry::all_devices()) {
        std::string folder = (std::filesystem::temp_directory_path() / "ferry-warm-XXXXXX").string();
        if (::mkdtemp(folder.data()) == nullptr) {
            std::perror("mkdtemp");
            return 2;
        }
        int status = 0;
        try {
            report(device, folder, rounds, sum);
        } catch (const std::exception& error) {
            std::printf("%s\n", error.what());
            status = 1;
        }
        std::filesystem::remove_all(folder);
        if (status != 0) {
            return status;
        }
    }
    return 0;
}

} // namespace

int bench::warm_start(bool quick) {
    return run(quick ? 1 : 21);
}
