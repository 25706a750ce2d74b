// SPDX-License-Identifier: Apache-2.0
// Provokes one error of each kind and prints its message for docs/errors.md. Usage: `error_examples CODE`
#include <ferry/ferry.hpp>

#include <cstdio>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr const char* opencl_text = R"(
__kernel void saxpy(float a, __global const float* x, __global float* y, uint n) {
    size_t i = get_global_id(0);
    if (i < n) {
        y[i] += a * x[i];
    }
}
)";
constexpr const char* driver_text = R"(
extern "C" __global__ void saxpy(float a, const float* x, float* y, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] += a * x[i];
    }
}
)";

void saxpy(const ferry::HostGroup& group, float a, const float* x, float* y, unsigned n) {
    for (std::size_t i = group.begin_x(); i < group.end_x() && i < n; ++i) {
        if (a != a) {
            throw std::domain_error("a is not a number");
        }
        y[i] += a * x[i];
    }
}

constexpr ferry::HostKernel host_kernels[] = {ferry::host_kernel<saxpy>("saxpy")};

std::vector<ferry::Source> sources() {
    std::vector<ferry::Source> all = ferry::Source::cuda_and_hip(driver_text);
    all.push_back(ferry::Source::opencl_c(opencl_text));
    all.push_back(ferry::Source::host(host_kernels));
    return all;
}

constexpr std::size_t size = 1000;

/// The initial objects of the examples.
struct Work {
    ferry::Device device = ferry::default_device();
    ferry::Queue queue{device};
    ferry::Program program{device, sources()};
    ferry::Kernel kernel = program.kernel("saxpy");
    ferry::Buffer<float> x{device, size};
    ferry::Buffer<float> y{device, size};
    ferry::Grid grid = ferry::Grid::covering(size, 64);

    Work() {
        queue.fill(x, 1.0f);
        queue.fill(y, 2.0f);
        queue.finish();
    }
};

void invalid_argument() {
    Work work;
    work.queue.launch(work.kernel, work.grid, 2.0f, work.x, work.y);
}

void out_of_range() {
    const ferry::Buffer<float> buffer(ferry::default_device(), size);
    buffer.subview(900, 200);
}

void invalid_state() {
    Work work;
    const auto mapping = work.x.map(work.queue, ferry::Map::write);
    work.queue.launch(work.kernel, work.grid, 2.0f, work.x, work.y, 1000U);
}

void out_of_memory() {
    ferry::Buffer<double> buffer(ferry::default_device(), std::size_t{1} << 44);
}

void unavailable() {
    ferry::default_device();
}

void unsupported() {
    const ferry::Device device = ferry::default_device();
    ferry::Program program(device, ferry::Source::ptx(".version 7.0\n.target sm_70\n"));
}

void not_found() {
    Work().program.kernel("sapxy");
}

void build_failed() {
    ferry::Program program(ferry::default_device(),
                           "__kernel void f(__global int* x) { x[0] = undeclared; }\n");
}

void command_failed() {
    Work work;
    work.queue.launch(work.kernel, work.grid, std::numeric_limits<float>::quiet_NaN(), work.x, work.y, 1000U);
    work.queue.finish();
}

void device_lost() {
    Work work;
    work.queue.launch(work.kernel, work.grid, 2.0f, work.x, work.y, 1000U);
    work.queue.finish();
}

void internal() {
    Work work;
    work.queue.fill(work.y, 0.0f);
}

constexpr std::pair<ferry::Code, void (*)()> examples[] = {
    {ferry::Code::invalid_argument, invalid_argument},
    {ferry::Code::out_of_range, out_of_range},
    {ferry::Code::invalid_state, invalid_state},
    {ferry::Code::out_of_memory, out_of_memory},
    {ferry::Code::unavailable, unavailable},
    {ferry::Code::unsupported, unsupported},
    {ferry::Code::not_found, not_found},
    {ferry::Code::build_failed, build_failed},
    {ferry::Code::command_failed, command_failed},
    {ferry::Code::device_lost, device_lost},
    {ferry::Code::internal, internal},
};

} // namespace

int main(int argc, char** argv) {
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    for (const auto& [code, provoke] : examples) {
        if (to_string(code) != wanted) {
            continue;
        }
        try {
            provoke();
        } catch (const ferry::Error& error) {
            std::printf("%s\n", error.what());
            if (error.code() == code) {
                return 0;
            }
            std::fprintf(stderr, "The code is %s.\n", to_string(error.code()).data());
            return 1;
        }
        std::fprintf(stderr, "Nothing was thrown.\n");
        return 1;
    }
    std::fprintf(stderr, "There is no example for \"%s\".\n", argc > 1 ? argv[1] : "");
    return 2;
}
