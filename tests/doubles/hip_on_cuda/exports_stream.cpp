// SPDX-License-Identifier: Apache-2.0
#include "forward.hpp"

namespace {

constexpr unsigned int common_event_flags =
    7; // blocking, no timing, between processes; other flags concern AMD's caches

} // namespace

Result hipStreamCreateWithFlags(Stream* stream, unsigned int flags) {
    FERRY_DOUBLE_ON_DEVICE(hipStreamCreateWithFlags)
    return forward(cuda::driver().cuStreamCreate, stream, flags);
}

Result hipStreamCreateWithPriority(Stream* stream, unsigned int flags, int priority) {
    FERRY_DOUBLE_ON_DEVICE(hipStreamCreateWithPriority)
    return forward(cuda::driver().cuStreamCreateWithPriority, stream, flags, priority);
}

Result hipDeviceGetStreamPriorityRange(int* lowest, int* highest) {
    FERRY_DOUBLE_ON_DEVICE(hipDeviceGetStreamPriorityRange)
    return forward(cuda::driver().cuCtxGetStreamPriorityRange, lowest, highest);
}

Result hipStreamDestroy(Stream stream) {
    FERRY_DOUBLE_ON_DEVICE(hipStreamDestroy)
    return forward(cuda::driver().cuStreamDestroy_v2, stream);
}

Result hipStreamSynchronize(Stream stream) {
    FERRY_DOUBLE_ON_DEVICE(hipStreamSynchronize)
    return forward(cuda::driver().cuStreamSynchronize, stream);
}

Result hipStreamQuery(Stream stream) {
    FERRY_DOUBLE_ON_DEVICE(hipStreamQuery)
    return forward(cuda::driver().cuStreamQuery, stream);
}

Result hipStreamWaitEvent(Stream stream, Event event, unsigned int flags) {
    FERRY_DOUBLE_ON_DEVICE(hipStreamWaitEvent)
    return forward(cuda::driver().cuStreamWaitEvent, stream, event, flags);
}

Result hipEventCreateWithFlags(Event* event, unsigned int flags) {
    FERRY_DOUBLE_ON_DEVICE(hipEventCreateWithFlags)
    return forward(cuda::driver().cuEventCreate, event, flags & common_event_flags);
}

Result hipEventDestroy(Event event) {
    FERRY_DOUBLE_ON_DEVICE(hipEventDestroy)
    return forward(cuda::driver().cuEventDestroy_v2, event);
}

Result hipEventRecord(Event event, Stream stream) {
    FERRY_DOUBLE_ON_DEVICE(hipEventRecord)
    return forward(cuda::driver().cuEventRecord, event, stream);
}

Result hipEventQuery(Event event) {
    FERRY_DOUBLE_ON_DEVICE(hipEventQuery)
    return forward(cuda::driver().cuEventQuery, event);
}

Result hipEventSynchronize(Event event) {
    FERRY_DOUBLE_ON_DEVICE(hipEventSynchronize)
    return forward(cuda::driver().cuEventSynchronize, event);
}

Result hipEventElapsedTime(float* milliseconds, Event start, Event end) {
    FERRY_DOUBLE_ON_DEVICE(hipEventElapsedTime)
    return forward(cuda::driver().cuEventElapsedTime, milliseconds, start, end);
}
