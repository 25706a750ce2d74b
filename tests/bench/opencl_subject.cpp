// SPDX-License-Identifier: Apache-2.0
#include "subject.hpp"

#include <CL/cl.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace bench {

namespace {

#define BENCH_CALLS(call)               \
    call(clGetPlatformIDs);             \
    call(clGetPlatformInfo);            \
    call(clGetDeviceIDs);               \
    call(clGetDeviceInfo);              \
    call(clCreateContext);              \
    call(clCreateCommandQueue);         \
    call(clCreateBuffer);               \
    call(clReleaseMemObject);           \
    call(clEnqueueMapBuffer);           \
    call(clEnqueueUnmapMemObject);      \
    call(clCreateProgramWithSource);    \
    call(clBuildProgram);               \
    call(clCreateKernel);               \
    call(clSetKernelArg);               \
    call(clEnqueueNDRangeKernel);       \
    call(clEnqueueWriteBuffer);         \
    call(clEnqueueReadBuffer);          \
    call(clEnqueueCopyBuffer);          \
    call(clFinish);                     \
    call(clFlush);                      \
    call(clEnqueueMarkerWithWaitList);  \
    call(clEnqueueBarrierWithWaitList); \
    call(clWaitForEvents);              \
    call(clReleaseEvent);               \
    call(clReleaseCommandQueue);        \
    call(clReleaseContext)

struct Calls {
#define BENCH_MEMBER(name) decltype(&::name) name = nullptr
    BENCH_CALLS(BENCH_MEMBER);
#undef BENCH_MEMBER

    Calls() {
        constexpr const char* names[] = {"libOpenCL.so.1", "libOpenCL.so"};
        void* library = open_library("FERRY_OPENCL_LIBRARY", names);
#define BENCH_RESOLVE(name) name = reinterpret_cast<decltype(name)>(find_symbol(library, #name))
        BENCH_CALLS(BENCH_RESOLVE);
#undef BENCH_RESOLVE
    }
};
#undef BENCH_CALLS

void check(cl_int result, const char* call) {
    if (result != CL_SUCCESS) [[unlikely]] {
        throw std::runtime_error(std::string("The raw side's ") + call + " returned " +
                                 std::to_string(result) + ".");
    }
}

std::string text(auto call, auto object, cl_uint what) {
    std::size_t size = 0;
    check(call(object, what, 0, nullptr, &size), "clGet...Info");
    std::string value(size, '\0');
    check(call(object, what, size, value.data(), nullptr), "clGet...Info");
    value.resize(value.find_last_not_of(std::string_view("\0 ", 2)) + 1);
    return value;
}

/// The device that Ferry means: same platform, same name, the same place among those of that name.
cl_device_id find_device(const Calls& cl, const ferry::Device& wanted) {
    const ferry::DeviceInfo& info = wanted.info();
    std::size_t skip = 0;
    for (const ferry::Device& device : ferry::all_devices()) {
        const ferry::DeviceInfo& other = device.info();
        skip += other.backend == info.backend && other.name == info.name && other.platform == info.platform &&
                other.index < info.index;
    }
    cl_uint count = 0;
    check(cl.clGetPlatformIDs(0, nullptr, &count), "clGetPlatformIDs");
    std::vector<cl_platform_id> platforms(count);
    check(cl.clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    for (cl_platform_id platform : platforms) {
        if (text(cl.clGetPlatformInfo, platform, CL_PLATFORM_NAME) != info.platform ||
            cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) {
            continue;
        }
        std::vector<cl_device_id> devices(count);
        check(cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr),
              "clGetDeviceIDs");
        for (cl_device_id device : devices) {
            if (text(cl.clGetDeviceInfo, device, CL_DEVICE_NAME) == info.name && skip-- == 0) {
                return device;
            }
        }
    }
    throw std::runtime_error("The raw side could not find " + wanted.id() + ", \"" + info.name + "\".");
}

class OpenclSubject final : public SubjectOf<OpenclSubject> {
public:
    explicit OpenclSubject(const Setup& setup) : bytes_(setup.large_bytes) {
        cl_device_id device = find_device(cl_, setup.device);
        cl_int result = CL_SUCCESS;
        context_ = cl_.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &result);
        check(result, "clCreateContext");
        for (cl_command_queue* queue : {&queue_, &other_}) {
            *queue = cl_.clCreateCommandQueue(context_, device, setup.timing ? CL_QUEUE_PROFILING_ENABLE : 0,
                                              &result);
            check(result, "clCreateCommandQueue");
        }
        upload_ = pinned(upload_memory_);
        download_ = pinned(download_memory_);
        first_ = buffer(bytes_, 0);
        second_ = buffer(bytes_, 0);
        data_ = buffer(values_bytes, 0);
        more_ = buffer(values_bytes, 0);
        const char* source = opencl_text;
        cl_program program = cl_.clCreateProgramWithSource(context_, 1, &source, nullptr, &result);
        check(result, "clCreateProgramWithSource");
        check(cl_.clBuildProgram(program, 1, &device, "-cl-std=CL1.2", nullptr, nullptr), "clBuildProgram");
        kernel_ = cl_.clCreateKernel(program, kernel_name, &result);
        check(result, "clCreateKernel");
        std::array<std::uint32_t, kernel_items> more{};
        for (std::size_t i = 0; i < more.size(); ++i) {
            more[i] = kernel_more(i);
        }
        check(cl_.clEnqueueWriteBuffer(queue_, more_, CL_TRUE, 0, values_bytes, more.data(), 0, nullptr,
                                       nullptr),
              "clEnqueueWriteBuffer");
    }
    ~OpenclSubject() override {
        cl_.clEnqueueUnmapMemObject(queue_, upload_memory_, upload_, 0, nullptr, nullptr);
        cl_.clEnqueueUnmapMemObject(queue_, download_memory_, download_, 0, nullptr, nullptr);
        cl_.clFinish(queue_);
        for (cl_mem memory : {upload_memory_, download_memory_, first_, second_, data_, more_}) {
            cl_.clReleaseMemObject(memory);
        }
        cl_.clReleaseCommandQueue(queue_);
        cl_.clReleaseCommandQueue(other_);
        cl_.clReleaseContext(context_);
    }

    void launch() {
        constexpr std::size_t size = kernel_items;
        check(cl_.clSetKernelArg(kernel_, 0, sizeof data_, &data_), "clSetKernelArg");
        check(cl_.clSetKernelArg(kernel_, 1, sizeof more_, &more_), "clSetKernelArg");
        check(cl_.clSetKernelArg(kernel_, 2, sizeof kernel_add, &kernel_add), "clSetKernelArg");
        check(cl_.clSetKernelArg(kernel_, 3, sizeof kernel_items, &kernel_items), "clSetKernelArg");
        check(cl_.clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &size, &size, 0, nullptr, nullptr),
              "clEnqueueNDRangeKernel");
    }
    void finish() { check(cl_.clFinish(queue_), "clFinish"); }
    void up(std::size_t bytes) {
        check(cl_.clEnqueueWriteBuffer(queue_, first_, CL_FALSE, 0, bytes, upload_, 0, nullptr, nullptr),
              "clEnqueueWriteBuffer");
    }
    void down(std::size_t bytes) {
        check(cl_.clEnqueueReadBuffer(queue_, first_, CL_FALSE, 0, bytes, download_, 0, nullptr, nullptr),
              "clEnqueueReadBuffer");
    }
    void between(std::size_t bytes) {
        check(cl_.clEnqueueCopyBuffer(queue_, first_, second_, 0, 0, bytes, 0, nullptr, nullptr),
              "clEnqueueCopyBuffer");
    }
    void record() { cl_.clReleaseEvent(marker()); }
    void record_wait_other() {
        cl_event event = marker();
        check(cl_.clFlush(queue_), "clFlush"); // a wait for an event of a queue never flushed need not end
        check(cl_.clEnqueueBarrierWithWaitList(other_, 1, &event, nullptr), "clEnqueueBarrierWithWaitList");
        cl_.clReleaseEvent(event);
    }
    void record_wait_host() {
        cl_event event = marker();
        check(cl_.clWaitForEvents(1, &event), "clWaitForEvents");
        cl_.clReleaseEvent(event);
    }

    void finish_all() override {
        finish();
        check(cl_.clFinish(other_), "clFinish");
    }
    std::span<std::byte> upload() override { return {static_cast<std::byte*>(upload_), bytes_}; }
    std::span<std::byte> download() override { return {static_cast<std::byte*>(download_), bytes_}; }
    void read_copy(std::span<std::byte> to) override {
        check(cl_.clEnqueueReadBuffer(queue_, second_, CL_TRUE, 0, to.size(), to.data(), 0, nullptr, nullptr),
              "clEnqueueReadBuffer");
    }
    void write_data(std::span<const std::uint32_t> values) override {
        check(cl_.clEnqueueWriteBuffer(queue_, data_, CL_TRUE, 0, values.size_bytes(), values.data(), 0,
                                       nullptr, nullptr),
              "clEnqueueWriteBuffer");
    }
    void read_data(std::span<std::uint32_t> values) override {
        check(cl_.clEnqueueReadBuffer(queue_, data_, CL_TRUE, 0, values.size_bytes(), values.data(), 0,
                                      nullptr, nullptr),
              "clEnqueueReadBuffer");
    }

private:
    static constexpr std::size_t values_bytes = kernel_items * sizeof(std::uint32_t);

    cl_mem buffer(std::size_t bytes, cl_mem_flags flags) {
        cl_int result = CL_SUCCESS;
        cl_mem memory = cl_.clCreateBuffer(context_, CL_MEM_READ_WRITE | flags, bytes, nullptr, &result);
        check(result, "clCreateBuffer");
        return memory;
    }
    void* pinned(cl_mem& memory) {
        memory = buffer(bytes_, CL_MEM_ALLOC_HOST_PTR);
        cl_int result = CL_SUCCESS;
        void* host = cl_.clEnqueueMapBuffer(queue_, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes_, 0,
                                            nullptr, nullptr, &result);
        check(result, "clEnqueueMapBuffer");
        return host;
    }
    cl_event marker() {
        cl_event event = nullptr;
        check(cl_.clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &event), "clEnqueueMarkerWithWaitList");
        return event;
    }

    Calls cl_;
    std::size_t bytes_;
    cl_context context_ = nullptr;
    cl_command_queue queue_ = nullptr;
    cl_command_queue other_ = nullptr;
    cl_mem upload_memory_ = nullptr;
    cl_mem download_memory_ = nullptr;
    void* upload_ = nullptr;
    void* download_ = nullptr;
    cl_mem first_ = nullptr;
    cl_mem second_ = nullptr;
    cl_mem data_ = nullptr;
    cl_mem more_ = nullptr;
    cl_kernel kernel_ = nullptr;
};

} // namespace

std::unique_ptr<Subject> opencl_subject(const Setup& setup) {
    return std::make_unique<OpenclSubject>(setup);
}

} // namespace bench
