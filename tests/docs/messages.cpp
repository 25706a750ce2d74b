// SPDX-License-Identifier: Apache-2.0
// Provokes a message of docs/troubleshooting.md and prints it. messages.py runs it. Usage: `messages NAME`
#include <ferry/ferry.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr const char* kernel_text = R"(
kernel void scale(global float* x, float a, uint n) {
    uint i = get_global_id(0);
    if (i < n) x[i] *= a;
}
)";

// A program that is correct except for the call under test.
struct Right {
    ferry::Device device = ferry::default_device();
    ferry::Queue queue{device};
    ferry::Program program{device, kernel_text};
    ferry::Kernel scale = program.kernel("scale");
    ferry::Buffer<float> x{device, 1000};
    ferry::Grid grid = ferry::Grid::covering(1000, 50);
};

void build(const char* text) {
    const ferry::Program program{ferry::default_device(), text};
}

void forked() {
    const ferry::Device device = ferry::default_device();
    const pid_t child = fork();
    if (child == 0) {
        try {
            const ferry::Queue queue{device};
        } catch (const ferry::Error& error) {
            std::cout << error.what() << std::endl;
        }
        _exit(0);
    }
    waitpid(child, nullptr, 0);
}

void failing_launch(const ferry::HostGroup& /*group*/, float /*a*/) {
    throw std::domain_error("a is not a number");
}
constexpr ferry::HostKernel host_kernels[] = {ferry::host_kernel<failing_launch>("fail")};

void launch_failed() {
    const ferry::Device device = ferry::default_device();
    ferry::Queue queue{device};
    const ferry::Program program{device, ferry::Source::host(host_kernels)};
    queue.launch(program.kernel("fail"), ferry::Grid::covering(1000, 64), 1.0f);
    queue.finish();
}

void full_device() {
    std::vector<ferry::Buffer<char>> all;
    all.reserve(8);
    for (int i = 0; i < 8; ++i) {
        all.emplace_back(ferry::default_device(), std::size_t{60} << 20);
    }
}

void too_much_local_memory() {
    const ferry::Device device = ferry::default_device();
    ferry::Queue queue{device};
    const char* text = "kernel void f(local float* t, global float* x) { t[0] = 1; x[0] = t[0]; }";
    const ferry::Kernel f = ferry::Program{device, text}.kernel("f");
    const ferry::Buffer<float> x{device, 1};
    queue.launch(f, {.groups = {1}, .local = {1}}, ferry::local<float>(1 << 28), x);
}

void moved_from() {
    Right right;
    const ferry::Buffer<float> owner = std::move(right.x);
    right.queue.fill(right.x, 1.0f); // NOLINT(bugprone-use-after-move)
}

void race() {
    Right right;
    ferry::Queue other{right.device};
    right.queue.fill(right.x, 1.0f);
    other.fill(right.x, 2.0f);
}

void unguarded() {
    Right right;
    std::vector<float> data(100'000, 1.0f);
    const auto shared =
        ferry::share(right.device, data, ferry::Access::device_reads, {.allowed = ferry::Placement::stage});
    const char* text = "kernel void sum(global const float* d, global float* x) { x[0] = d[0] + d[1]; }";
    const ferry::Kernel sum = ferry::Program{right.device, text}.kernel("sum");
    right.queue.launch(sum, {.groups = {1}, .local = {1}}, shared, right.x);
    right.queue.finish();
    data[5] = 2;
    right.queue.launch(sum, {.groups = {1}, .local = {1}}, shared, right.x);
}

void no_barrier() {
    const ferry::Device device = ferry::default_device();
    ferry::Queue queue{device};
    const char* text = "kernel void shift(global int* x) { local int t[64]; uint i = get_local_id(0);"
                       "t[i] = i; x[i] = t[(i + 1) % 64]; }";
    const ferry::Kernel shift = ferry::Program{device, text}.kernel("shift");
    const ferry::Buffer<int> x{device, 64};
    queue.launch(shift, {.groups = {1}, .local = {64}}, x);
    queue.finish();
}

void reasons() {
    for (const ferry::BackendReport& report : ferry::backends()) {
        for (const ferry::BackendReason& reason : report.reasons) {
            std::cout << reason.text << "\n";
        }
    }
}

using Scale = std::function<void(Right&)>;
std::function<void()> with(Scale use) {
    return [use = std::move(use)] {
        Right right;
        use(right);
    };
}

const std::vector<std::pair<const char*, std::function<void()>>>& cases() {
    static const std::vector<std::pair<const char*, std::function<void()>>> all{
        {"device", [] { ferry::default_device(); }},
        {"name", [] { std::cout << ferry::default_device().info().name << "\n"; }},
        {"reasons", reasons},
        {"configure late",
         [] {
             ferry::devices();
             ferry::configure({.opencl_library = "/nowhere/libOpenCL.so.1"});
         }},
        {"fork", forked},
        {"build", [] { build("kernel void f(global int* x) { x[0] = undeclared; }"); }},
        {"no kernel", with([](Right& r) { r.program.kernel("scael"); })},
        {"no variant",
         [] {
             const ferry::Program program{ferry::default_device(), ferry::Source::ptx(".version 7.0\n")};
         }},
        {"recursion",
         [] {
             build("int f(int n) { return n ? f(n - 1) : 0; } "
                   "kernel void k(global int* x) { x[0] = f(x[1]); }");
         }},
        {"too few arguments", with([](Right& r) { r.queue.launch(r.scale, r.grid, r.x, 1.0f); })},
        {"wrong argument", with([](Right& r) { r.queue.launch(r.scale, r.grid, r.x, 1.0, 1000u); })},
        {"other device", with([](Right& r) {
             const ferry::Device host = ferry::find_device("host:0");
             const ferry::Buffer<float> there{host, 1000};
             r.queue.launch(r.scale, r.grid, there, 1.0f, 1000u);
         })},
        {"half a grid", with([](Right& r) { r.queue.launch(r.scale, {.groups = {5}}, r.x, 1.0f, 1000u); })},
        {"large group", with([](Right& r) {
             r.queue.launch(r.scale, {.groups = {1}, .local = {4096, 4}}, r.x, 1.0f, 1000u);
         })},
        {"no items",
         with([](Right& r) { r.queue.launch(r.scale, ferry::Grid::covering(0, 64), r.x, 1.0f, 0u); })},
        {"local memory", too_much_local_memory},
        {"launch failed", launch_failed},
        {"large buffer", [] { ferry::Buffer<char>(ferry::default_device(), std::size_t{100} << 20); }},
        {"full", full_device},
        {"sizes", with([](Right& r) {
             const std::vector<float> ten(10);
             r.queue.copy(ten, r.x.first(9));
         })},
        {"mapped", with([](Right& r) {
             const auto mapping = r.x.map(r.queue, ferry::Map::write);
             r.queue.fill(r.x, 1.0f);
         })},
        {"range", with([](Right& r) { r.x.subview(900, 200); })},
        {"moved", moved_from},
        {"span", with([](Right& r) { r.x.span(); })},
        {"race", race},
        {"unguarded", unguarded},
        {"no barrier", no_barrier},
    };
    return all;
}

} // namespace

int main(int argc, char** argv) {
    const std::string wanted = argc > 1 ? argv[1] : "";
    for (const auto& [name, provoke] : cases()) {
        if (name == wanted) {
            try {
                provoke();
            } catch (const ferry::Error& error) {
                std::printf("%s\n", error.what());
            }
            return 0;
        }
    }
    std::fprintf(stderr, "There is no case \"%s\".\n", wanted.c_str());
    return 2;
}
