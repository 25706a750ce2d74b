// SPDX-License-Identifier: Apache-2.0
#include "opencl_event.hpp"

#include "hal/plausible.hpp"
#include "opencl_device.hpp"
#include "opencl_error.hpp"

namespace ferry::opencl {
namespace {

/// Runs `ask`. A failed event gives no reason, so the device is then queried.
template <class F>
auto asking(OpenclDevice& device, F&& ask) {
    try {
        return ask();
    } catch (const Error& error) {
        if (error.code() == Code::command_failed && error.vendor() != nullptr && device.is_given_up()) {
            throw Error(Code::device_lost, error.what(), *error.vendor());
        }
        throw;
    }
}

std::optional<cl_ulong> end_of(const Api& api, cl_event event) {
    cl_ulong stamp = 0;
    if (event == nullptr || api.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof stamp, &stamp,
                                                        nullptr) != CL_SUCCESS) {
        return std::nullopt;
    }
    return stamp != 0 ? std::optional(stamp) : std::nullopt;
}

} // namespace

cl_int status_of(const Api& api, cl_event event) {
    cl_int status = CL_COMPLETE;
    check(api.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
          "clGetEventInfo");
    if (status > CL_QUEUED) { // else a poll might never end
        backend::throw_implausible(Backend::opencl, "clGetEventInfo",
                                   "the execution status " + std::to_string(status) +
                                       ", but the largest one is " + std::to_string(CL_QUEUED));
    }
    return status;
}

void check_status(cl_int status) {
    if (status < 0) {
        throw vendor_error(Code::command_failed, status_call, status);
    }
}

void wait_for(const Api& api, cl_event event) {
    const cl_int code = api.clWaitForEvents(1, &event);
    if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
        check_status(status_of(api, event));
    }
    if (code != CL_SUCCESS) {
        throw vendor_error(code == CL_INVALID_CONTEXT ? Code::device_lost : Code::command_failed,
                           "clWaitForEvents", code);
    }
}

OpenclEvent::OpenclEvent(OpenclDevice& device, cl_event borrowed)
    : device_(device), progress_(std::make_shared<Progress>()), command_(1) {
    const Api& api = device.api();
    cl_context context = nullptr;
    check(api.clGetEventInfo(borrowed, CL_EVENT_CONTEXT, sizeof(cl_context), &context, nullptr),
          "clGetEventInfo");
    if (context != device.context()) {
        throw Error(Code::invalid_argument, "The cl_event belongs to another cl_context than Ferry's for " +
                                                device.info().name +
                                                "; queues can wait only for events of their own context");
    }
    check(api.clGetEventInfo(borrowed, CL_EVENT_COMMAND_QUEUE, sizeof(cl_command_queue), &queue_, nullptr),
          "clGetEventInfo");
    flushed_ = queue_ == nullptr; // A user event: nothing to submit.
    // Waiting commands may be held back until after the caller has released both.
    check(api.clRetainEvent(borrowed), "clRetainEvent");
    const cl_int code = queue_ != nullptr ? api.clRetainCommandQueue(queue_) : CL_SUCCESS;
    if (code != CL_SUCCESS) {
        static_cast<void>(api.clReleaseEvent(borrowed));
        check(code, "clRetainCommandQueue");
    }
    event_ = borrowed;
    keeps_queue_ = queue_ != nullptr;
}

OpenclEvent::~OpenclEvent() {
    if (event_ != nullptr && !backend::process_is_exiting()) {
        static_cast<void>(device_.api().clReleaseEvent(event_));
        if (keeps_queue_) {
            static_cast<void>(device_.api().clReleaseCommandQueue(queue_));
        }
    }
}

void OpenclEvent::set(cl_event event, cl_command_queue queue, const std::shared_ptr<Progress>& progress,
                      std::uint64_t command) noexcept {
    if (event_ != nullptr) {
        static_cast<void>(device_.api().clReleaseEvent(event_));
    }
    event_ = event;
    queue_ = queue;
    if (progress_ != progress) {
        progress_ = progress;
    }
    command_ = command;
    flushed_.store(false, std::memory_order_relaxed);
}

void OpenclEvent::flush() {
    if (!flushed_.load(std::memory_order_relaxed)) {
        check(device_.api().clFlush(queue_), "clFlush");
        flushed_.store(true, std::memory_order_relaxed);
    }
}

bool OpenclEvent::complete() {
    const cl_int status = asking(device_, [&] {
        const cl_int asked = status_of(device_.api(), event_);
        check_status(asked);
        return asked;
    });
    if (status == CL_COMPLETE) {
        progress_->reached(command_);
        return true;
    }
    return progress_->covers(command_); // rusticl completes a later event before an earlier one.
}

bool OpenclEvent::succeeded() {
    const cl_int status = status_of(device_.api(), event_);
    if (status == CL_COMPLETE) {
        progress_->reached(command_);
        return true;
    }
    if (status > CL_COMPLETE) {
        if (progress_->covers(command_)) {
            return true;
        }
        flush();
    }
    return false;
}

bool OpenclEvent::ready() {
    if (event_ == nullptr || complete()) {
        return true;
    }
    flush();
    return false;
}

void OpenclEvent::wait(WaitPolicy policy) {
    try {
        if (event_ == nullptr || complete()) {
            return; // Without access to its queue, which may be destroyed.
        }
        flush();
        poll_or_block(
            device_.info(), policy, progress_->forecast(), [&] { return complete(); }, [] {}, // flushed above
            [&] { asking(device_, [&] { wait_for(device_.api(), event_); }); });
    } catch (...) { // The query may have failed, not the work, and the caller may free memory that the work
                    // still uses.
        static_cast<void>(device_.api().clWaitForEvents(1, &event_));
        throw;
    }
    progress_->reached(command_);
}

std::optional<std::chrono::nanoseconds> OpenclEvent::since(backend::Event& start) {
    if (!device_.info().timing) {
        return std::nullopt;
    }
    const auto first = end_of(device_.api(), static_cast<OpenclEvent&>(start).event_);
    const auto last = end_of(device_.api(), event_);
    if (!first || !last) {
        return std::nullopt;
    }
    return std::chrono::nanoseconds(static_cast<std::int64_t>(*last - *first));
}

} // namespace ferry::opencl
