// SPDX-License-Identifier: Apache-2.0
#include "vendor.hpp"

#include <ferry/interop/opencl.hpp>

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS // clCreateCommandQueue, which every driver has
#include <CL/cl.h>

#include <stdexcept>

namespace conformance {
namespace {

namespace interop = ferry::interop::opencl;

void check(cl_int code, const char* call) {
    if (code != CL_SUCCESS) {
        throw std::runtime_error(std::string(call) + " returned " + std::to_string(code));
    }
}

class OpenclVendor final : public Vendor {
public:
    explicit OpenclVendor(const ferry::Device& device)
        : library_(open_vendor_library("FERRY_OPENCL_LIBRARY", {"libOpenCL.so.1", "libOpenCL.so"})),
          device_(device),
          context_(static_cast<cl_context>(interop::context(device))) {}

    std::string device_name() const override {
        auto* const id = static_cast<cl_device_id>(interop::device(device_));
        cl_device_id in_context = nullptr;
        check(find<decltype(clGetContextInfo)>("clGetContextInfo")(
                  context_, CL_CONTEXT_DEVICES, sizeof(cl_device_id), &in_context, nullptr),
              "clGetContextInfo");
        if (in_context != id) {
            throw std::runtime_error("the native context is not that of the native device");
        }
        char text[512] = {};
        check(find<decltype(clGetDeviceInfo)>("clGetDeviceInfo")(id, CL_DEVICE_NAME, sizeof text, text,
                                                                 nullptr),
              "clGetDeviceInfo");
        return text;
    }
    std::string kernel_name(const ferry::Kernel& kernel) const override {
        char text[512] = {};
        check(find<decltype(clGetKernelInfo)>("clGetKernelInfo")(
                  static_cast<cl_kernel>(interop::kernel(kernel)), CL_KERNEL_FUNCTION_NAME, sizeof text, text,
                  nullptr),
              "clGetKernelInfo");
        return text;
    }

    std::uint64_t allocate(std::size_t words) const override {
        cl_int code = CL_SUCCESS;
        cl_mem const mem = find<decltype(clCreateBuffer)>("clCreateBuffer")(
            context_, CL_MEM_READ_WRITE, words * sizeof(Word), nullptr, &code);
        check(code, "clCreateBuffer");
        return reinterpret_cast<std::uint64_t>(mem);
    }
    std::uint64_t allocate_elsewhere(std::size_t words) const override {
        auto* const id = static_cast<cl_device_id>(interop::device(device_));
        cl_int code = CL_SUCCESS;
        cl_context const other =
            find<decltype(clCreateContext)>("clCreateContext")(nullptr, 1, &id, nullptr, nullptr, &code);
        check(code, "clCreateContext");
        cl_mem const mem = find<decltype(clCreateBuffer)>("clCreateBuffer")(
            other, CL_MEM_READ_WRITE, words * sizeof(Word), nullptr, &code);
        check(code, "clCreateBuffer");
        check(find<decltype(clReleaseContext)>("clReleaseContext")(other),
              "clReleaseContext"); // the memory keeps a reference
        return reinterpret_cast<std::uint64_t>(mem);
    }
    void release(std::uint64_t memory) const override {
        check(find<decltype(clReleaseMemObject)>("clReleaseMemObject")(mem(memory)), "clReleaseMemObject");
    }
    /// Whether another owner besides keep() holds it.
    bool lives(std::uint64_t memory) const override {
        cl_uint count = 0;
        check(find<decltype(clGetMemObjectInfo)>("clGetMemObjectInfo")(mem(memory), CL_MEM_REFERENCE_COUNT,
                                                                       sizeof count, &count, nullptr),
              "clGetMemObjectInfo");
        return count > 1;
    }
    void keep(std::uint64_t memory) const override {
        check(find<decltype(clRetainMemObject)>("clRetainMemObject")(mem(memory)), "clRetainMemObject");
    }
    void forget(std::uint64_t memory) const override { release(memory); }

    void copy(const ferry::Queue& queue, std::uint64_t from, std::uint64_t to,
              std::size_t words) const override {
        check(find<decltype(clEnqueueCopyBuffer)>("clEnqueueCopyBuffer")(
                  native(queue), mem(from), mem(to), 0, 0, words * sizeof(Word), 0, nullptr, nullptr),
              "clEnqueueCopyBuffer");
    }
    std::vector<Word> read(const ferry::Queue& queue, std::uint64_t memory,
                           std::size_t words) const override {
        std::vector<Word> result(words);
        check(find<decltype(clEnqueueReadBuffer)>("clEnqueueReadBuffer")(native(queue), mem(memory), CL_TRUE,
                                                                         0, words * sizeof(Word),
                                                                         result.data(), 0, nullptr, nullptr),
              "clEnqueueReadBuffer");
        return result;
    }

    void* make_queue() const override { return make_queue_in(context_, 0); }
    void release_queue(void* queue) const override {
        check(find<decltype(clReleaseCommandQueue)>("clReleaseCommandQueue")(queue_of(queue)),
              "clReleaseCommandQueue");
    }
    void copy_on(void* queue, std::uint64_t from, std::uint64_t to, std::size_t words) const override {
        check(find<decltype(clEnqueueCopyBuffer)>("clEnqueueCopyBuffer")(
                  queue_of(queue), mem(from), mem(to), 0, 0, words * sizeof(Word), 0, nullptr, nullptr),
              "clEnqueueCopyBuffer");
    }
    void finish(void* queue) const override {
        void* const last = record(queue); // needed because rusticl's clFinish does not wait
        auto* event = static_cast<cl_event>(last);
        check(find<decltype(clWaitForEvents)>("clWaitForEvents")(1, &event), "clWaitForEvents");
        release_event(last);
    }
    void* record(void* queue) const override {
        cl_event event = nullptr;
        check(find<decltype(clEnqueueMarkerWithWaitList)>("clEnqueueMarkerWithWaitList")(queue_of(queue), 0,
                                                                                         nullptr, &event),
              "clEnqueueMarkerWithWaitList");
        check(find<decltype(clFlush)>("clFlush")(queue_of(queue)), "clFlush");
        return event;
    }
    void release_event(void* event) const override {
        if (is_open(event)) { // NVIDIA's driver would wait for it for ever when its context is released
            complete_event(event);
        }
        check(find<decltype(clReleaseEvent)>("clReleaseEvent")(static_cast<cl_event>(event)),
              "clReleaseEvent");
    }
    void wait_for(void* queue, void* event) const override {
        auto* const native = static_cast<cl_event>(event);
        check(find<decltype(clEnqueueBarrierWithWaitList)>("clEnqueueBarrierWithWaitList")(queue_of(queue), 1,
                                                                                           &native, nullptr),
              "clEnqueueBarrierWithWaitList");
    }
    void* make_event() const override {
        cl_int code = CL_SUCCESS;
        void* const event = find<decltype(clCreateUserEvent)>("clCreateUserEvent")(context_, &code);
        check(code, "clCreateUserEvent");
        return event;
    }
    void complete_event(void* event) const override {
        check(find<decltype(clSetUserEventStatus)>("clSetUserEventStatus")(static_cast<cl_event>(event),
                                                                           CL_COMPLETE),
              "clSetUserEventStatus");
    }
    ferry::Queue borrow_queue(void* queue) const override { return interop::borrow_queue(device_, queue); }
    void wait_event(ferry::Queue& queue, void* event) const override { interop::wait_event(queue, event); }
    void* event_of(const ferry::Event& event) const override { return interop::event(event); }
    ferry::Device find_device() const override { return interop::find_device(interop::device(device_)); }
    std::vector<std::pair<std::string, void*>> unfit_queues() const override {
        auto* const id = static_cast<cl_device_id>(interop::device(device_));
        cl_int code = CL_SUCCESS;
        cl_context const other =
            find<decltype(clCreateContext)>("clCreateContext")(nullptr, 1, &id, nullptr, nullptr, &code);
        check(code, "clCreateContext");
        std::vector<std::pair<std::string, void*>> queues{{"another cl_context", make_queue_in(other, 0)}};
        check(find<decltype(clReleaseContext)>("clReleaseContext")(other), "clReleaseContext");
        try {
            queues.emplace_back("out of order",
                                make_queue_in(context_, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
        } catch (const std::runtime_error&) { // some drivers do not have them
        }
        return queues;
    }

    std::vector<std::pair<std::string, void*>> unfit_events() const override {
        auto* const id = static_cast<cl_device_id>(interop::device(device_));
        cl_int code = CL_SUCCESS;
        cl_context const other =
            find<decltype(clCreateContext)>("clCreateContext")(nullptr, 1, &id, nullptr, nullptr, &code);
        check(code, "clCreateContext");
        void* const user = find<decltype(clCreateUserEvent)>("clCreateUserEvent")(other, &code);
        check(code, "clCreateUserEvent");
        void* const queue = make_queue_in(other, 0);
        void* const marker = record(queue);
        finish(queue);
        release_queue(queue);
        check(find<decltype(clReleaseContext)>("clReleaseContext")(other), "clReleaseContext");
        return {{"another cl_context", user}, {"another cl_context", marker}};
    }
    std::uint32_t holders(void* event) const override {
        cl_uint count = 0;
        check(find<decltype(clGetEventInfo)>("clGetEventInfo")(
                  static_cast<cl_event>(event), CL_EVENT_REFERENCE_COUNT, sizeof count, &count, nullptr),
              "clGetEventInfo");
        return count;
    }

    ferry::Buffer<Word> borrow(std::uint64_t memory, std::size_t words) const override {
        return interop::borrow_memory<Word>(device_, mem(memory), words);
    }
    ferry::Buffer<Word> adopt(std::uint64_t memory, std::size_t words) const override {
        return interop::adopt_memory<Word>(device_, mem(memory), words);
    }
    std::size_t distance(const ferry::View<Word>& whole, const ferry::View<Word>& part) const override {
        if (const void* first = interop::pointer(whole); first != nullptr) {
            return static_cast<std::size_t>(static_cast<const char*>(interop::pointer(part)) -
                                            static_cast<const char*>(first));
        }
        const interop::MemoryRange a = interop::memory(whole);
        const interop::MemoryRange b = interop::memory(part);
        if (a.mem == nullptr || a.mem != b.mem) {
            throw std::runtime_error("two views of one buffer lie in different memory");
        }
        return b.offset - a.offset;
    }

private:
    void* make_queue_in(cl_context context, cl_command_queue_properties properties) const {
        cl_int code = CL_SUCCESS;
        cl_command_queue const queue = find<decltype(clCreateCommandQueue)>("clCreateCommandQueue")(
            context, static_cast<cl_device_id>(interop::device(device_)), properties, &code);
        check(code, "clCreateCommandQueue");
        return queue;
    }
    /// Whether it is a user event that is not complete.
    bool is_open(void* event) const {
        const auto info = find<decltype(clGetEventInfo)>("clGetEventInfo");
        auto* const native = static_cast<cl_event>(event);
        cl_command_type type = 0;
        cl_int status = CL_COMPLETE;
        check(info(native, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr), "clGetEventInfo");
        check(info(native, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
              "clGetEventInfo");
        return type == CL_COMMAND_USER && status > CL_COMPLETE;
    }
    static cl_command_queue queue_of(void* queue) { return static_cast<cl_command_queue>(queue); }
    static cl_mem mem(std::uint64_t memory) { return reinterpret_cast<cl_mem>(memory); }
    static cl_command_queue native(const ferry::Queue& queue) {
        return static_cast<cl_command_queue>(interop::queue(queue));
    }
    template <class Function>
    Function* find(const char* name) const {
        return reinterpret_cast<Function*>(vendor_symbol(library_, name));
    }

    void* library_;
    ferry::Device device_;
    cl_context context_;
};

} // namespace

std::unique_ptr<Vendor> opencl_vendor(const ferry::Device& device) {
    return std::make_unique<OpenclVendor>(device);
}

} // namespace conformance
