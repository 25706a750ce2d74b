// SPDX-License-Identifier: Apache-2.0
#include "opencl_calls.hpp"
#include "opencl_shared.hpp"
#include "subject_of.hpp"

#include <array>

namespace bench {

namespace {

class OpenclSubject final : public SubjectOf<OpenclSubject> {
public:
    explicit OpenclSubject(const Setup& setup)
        : bytes_(setup.bytes),
          shared_bytes_(shared_bytes(setup)),
          pageable_up_(bytes_),
          pageable_down_(bytes_) {
        cl_device_id device = find_opencl_device(cl_, setup.device);
        cl_int result = CL_SUCCESS;
        context_ = cl_.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &result);
        check(result, "clCreateContext");
        for (cl_command_queue* queue : {&queue_, &other_}) {
            *queue = cl_.clCreateCommandQueue(context_, device, setup.timing ? CL_QUEUE_PROFILING_ENABLE : 0,
                                              &result);
            check(result, "clCreateCommandQueue");
        }
        up_ = pinned(up_memory_);
        down_ = pinned(down_memory_);
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            arrays_[i] = buffer(i < 3 ? bytes_ : small_bytes, 0);
        }
        if (shared_bytes_ != 0) {
            shared_.emplace(cl_, context_, device);
            shared_array_ = static_cast<std::byte*>(shared_->allocate(shared_bytes_));
        }
        build(device);
        std::array<std::uint32_t, bump_items> more{};
        for (std::size_t i = 0; i < more.size(); ++i) {
            more[i] = bump_more(i);
        }
        check(cl_.clEnqueueWriteBuffer(queue_, arrays_[more_], CL_TRUE, 0, sizeof more, more.data(), 0,
                                       nullptr, nullptr),
              "clEnqueueWriteBuffer");
    }
    ~OpenclSubject() override {
        cl_.clEnqueueUnmapMemObject(queue_, up_memory_, up_, 0, nullptr, nullptr);
        cl_.clEnqueueUnmapMemObject(queue_, down_memory_, down_, 0, nullptr, nullptr);
        cl_.clFinish(queue_);
        release_stamps();
        if (shared_) {
            shared_->free(shared_array_);
        }
        for (cl_mem memory : arrays_) {
            cl_.clReleaseMemObject(memory);
        }
        cl_.clReleaseMemObject(up_memory_);
        cl_.clReleaseMemObject(down_memory_);
        for (cl_kernel kernel : kernels_) {
            cl_.clReleaseKernel(kernel);
        }
        cl_.clReleaseProgram(program_);
        cl_.clReleaseCommandQueue(queue_);
        cl_.clReleaseCommandQueue(other_);
        cl_.clReleaseContext(context_);
    }

    void launch_bump() {
        launch(bump, bump_items, bump_items, array(Array::data), arrays_[more_], bump_add, bump_items);
    }
    void stream(KernelIndex kernel, std::size_t bytes) {
        const std::size_t items = bytes / 16;
        cl_mem a = array(Array::first);
        cl_mem b = array(Array::second);
        cl_mem c = array(Array::third);
        switch (kernel) {
        case copy:
            return launch(copy, items, stream_group, a, c);
        case mul:
            return launch(mul, items, stream_group, b, c);
        case dot:
            return launch(dot, std::size_t{dot_groups} * stream_group, stream_group, a, b, array(Array::sums),
                          static_cast<std::uint32_t>(items));
        default:
            return launch(kernel, items, stream_group, a, b, c);
        }
    }
    void hold(std::uint32_t rounds) {
        launch(KernelIndex::hold, 1, 1, array(Array::sums), rounds);
        flush();
    }

    void finish() { check(cl_.clFinish(queue_), "clFinish"); }
    void up(std::size_t bytes) { copy_up(up_, bytes); }
    void down(std::size_t bytes) { copy_down(down_, Array::first, bytes, queue_); }
    void up_pageable(std::size_t bytes) { copy_up(pageable_up_.data(), bytes); }
    void down_pageable(std::size_t bytes) { copy_down(pageable_down_.data(), Array::first, bytes, queue_); }
    void both(std::size_t bytes) {
        copy_up(up_, bytes);
        flush(); // Otherwise the first copy might not start before the wait for it.
        copy_down(down_, Array::second, bytes, other_);
        check(cl_.clFlush(other_), "clFlush");
    }
    void between(std::size_t bytes) {
        check(cl_.clEnqueueCopyBuffer(queue_, array(Array::first), array(Array::second), 0, 0, bytes, 0,
                                      nullptr, nullptr),
              "clEnqueueCopyBuffer");
    }
    void fill(std::size_t bytes) {
        check(cl_.clEnqueueFillBuffer(queue_, array(Array::first), &pattern_, sizeof pattern_, 0, bytes, 0,
                                      nullptr, nullptr),
              "clEnqueueFillBuffer");
    }
    void allocate(std::size_t bytes) { cl_.clReleaseMemObject(buffer(bytes, 0)); }
    void allocate_pinned(std::size_t bytes) { cl_.clReleaseMemObject(buffer(bytes, CL_MEM_ALLOC_HOST_PTR)); }
    void allocate_shared(std::size_t bytes) { shared_->free(shared_->allocate(bytes)); }
    void touch_on_device(std::size_t bytes) {
        const std::size_t items = bytes / 16;
        const std::size_t group = stream_group;
        shared_->set_argument(kernels_[touch], 0, shared_array_);
        check(cl_.clEnqueueNDRangeKernel(queue_, kernels_[touch], 1, nullptr, &items, &group, 0, nullptr,
                                         nullptr),
              "clEnqueueNDRangeKernel");
    }
    void record() { cl_.clReleaseEvent(marker()); }
    void record_wait_other() {
        cl_event event = marker();
        flush(); // Without a flush of its queue, an event may never complete.
        check(cl_.clEnqueueBarrierWithWaitList(other_, 1, &event, nullptr), "clEnqueueBarrierWithWaitList");
        cl_.clReleaseEvent(event);
    }
    void record_wait_host() {
        cl_event event = marker();
        check(cl_.clWaitForEvents(1, &event), "clWaitForEvents");
        cl_.clReleaseEvent(event);
    }

    void stamp(std::size_t i) {
        if (i == 0) {
            release_stamps();
        }
        stamps_[i] = marker();
    }
    bool stamped(std::size_t i) {
        flush();
        cl_int status = CL_COMPLETE;
        check(cl_.clGetEventInfo(stamps_[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                                 nullptr),
              "clGetEventInfo");
        return status == CL_COMPLETE;
    }
    std::optional<double> stamped_time() {
        cl_ulong times[2] = {};
        for (std::size_t i = 0; i < 2; ++i) {
            if (cl_.clGetEventProfilingInfo(stamps_[i], CL_PROFILING_COMMAND_END, sizeof times[i], &times[i],
                                            nullptr) != CL_SUCCESS) {
                return std::nullopt;
            }
        }
        return static_cast<double>(times[1] - times[0]);
    }

    void finish_all() override {
        finish();
        check(cl_.clFinish(other_), "clFinish");
    }
    std::span<std::byte> host(HostArray which) override {
        if (which == HostArray::shared) {
            return {shared_array_, shared_bytes_};
        }
        void* const all[] = {up_, down_, pageable_up_.data(), pageable_down_.data()};
        return {static_cast<std::byte*>(all[static_cast<std::size_t>(which)]), bytes_};
    }
    void set_pattern(std::uint32_t pattern) override { pattern_ = pattern; }
    void write(Array to, std::span<const std::byte> from) override {
        check(cl_.clEnqueueWriteBuffer(queue_, array(to), CL_TRUE, 0, from.size(), from.data(), 0, nullptr,
                                       nullptr),
              "clEnqueueWriteBuffer");
    }
    void read(Array from, std::span<std::byte> to) override {
        check(cl_.clEnqueueReadBuffer(queue_, array(from), CL_TRUE, 0, to.size(), to.data(), 0, nullptr,
                                      nullptr),
              "clEnqueueReadBuffer");
    }

private:
    static constexpr std::size_t more_ = 5;

    static void check(cl_int result, const char* call) { check_opencl(result, call); }
    cl_mem array(Array which) const { return arrays_[static_cast<std::size_t>(which)]; }
    void flush() { check(cl_.clFlush(queue_), "clFlush"); }

    void build(cl_device_id device) {
        const std::string text = bench_text();
        const char* source = text.c_str();
        cl_int result = CL_SUCCESS;
        program_ = cl_.clCreateProgramWithSource(context_, 1, &source, nullptr, &result);
        check(result, "clCreateProgramWithSource");
        check(cl_.clBuildProgram(program_, 1, &device, "-cl-std=CL1.2", nullptr, nullptr), "clBuildProgram");
        for (std::size_t i = 0; i < kernel_count; ++i) {
            kernels_[i] = cl_.clCreateKernel(program_, kernel_names[i], &result);
            check(result, "clCreateKernel");
        }
    }
    template <class... Values>
    void launch(KernelIndex which, std::size_t items, std::size_t group, const Values&... values) {
        cl_kernel kernel = kernels_[which];
        cl_uint index = 0;
        // NOLINTNEXTLINE(bugprone-sizeof-expression): the argument is a cl_mem, which is a pointer.
        (check(cl_.clSetKernelArg(kernel, index++, sizeof values, &values), "clSetKernelArg"), ...);
        check(cl_.clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr),
              "clEnqueueNDRangeKernel");
    }
    void copy_up(const void* from, std::size_t bytes) {
        check(cl_.clEnqueueWriteBuffer(queue_, array(Array::first), CL_FALSE, 0, bytes, from, 0, nullptr,
                                       nullptr),
              "clEnqueueWriteBuffer");
    }
    void copy_down(void* to, Array from, std::size_t bytes, cl_command_queue queue) {
        check(cl_.clEnqueueReadBuffer(queue, array(from), CL_FALSE, 0, bytes, to, 0, nullptr, nullptr),
              "clEnqueueReadBuffer");
    }
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
    void release_stamps() {
        for (cl_event& stamp : stamps_) {
            if (stamp != nullptr) {
                cl_.clReleaseEvent(stamp);
                stamp = nullptr;
            }
        }
    }

    OpenclCalls cl_;
    std::size_t bytes_;
    std::size_t shared_bytes_;
    std::vector<std::byte> pageable_up_;
    std::vector<std::byte> pageable_down_;
    cl_context context_ = nullptr;
    cl_command_queue queue_ = nullptr;
    cl_command_queue other_ = nullptr;
    cl_mem up_memory_ = nullptr;
    cl_mem down_memory_ = nullptr;
    void* up_ = nullptr;
    void* down_ = nullptr;
    std::array<cl_mem, 6> arrays_{};     ///< Indexed by Array, followed by the addend of bump.
    std::optional<OpenclShared> shared_; ///< No value if the device has no such memory.
    std::byte* shared_array_ = nullptr;
    cl_program program_ = nullptr;
    std::array<cl_kernel, kernel_count> kernels_{};
    std::array<cl_event, 2> stamps_{};
    std::uint32_t pattern_ = 0;
};

} // namespace

std::unique_ptr<Subject> opencl_subject(const Setup& setup) {
    return std::make_unique<OpenclSubject>(setup);
}

} // namespace bench
