// SPDX-License-Identifier: Apache-2.0
#include "forward.hpp"

#include <unistd.h>

namespace {

constexpr unsigned int common_host_flags =
    7;                             // portable, mapped, write-combined; other flags concern AMD's caches
constexpr unsigned int mapped = 2; // HIP always maps

} // namespace

Result hipMalloc(Pointer* memory, std::size_t bytes) {
    FERRY_DOUBLE_ON_DEVICE(hipMalloc)
    *memory = nullptr;
    return bytes != 0 ? forward(cuda::driver().cuMemAlloc_v2, memory, bytes) : static_cast<int>(success);
}

Result hipFree(Pointer memory) {
    FERRY_DOUBLE_ON_DEVICE(hipFree)
    return memory != nullptr ? forward(cuda::driver().cuMemFree_v2, memory) : static_cast<int>(success);
}

Result hipHostMalloc(void** memory, std::size_t bytes, unsigned int flags) {
    FERRY_DOUBLE_ON_DEVICE(hipHostMalloc)
    return forward(cuda::driver().cuMemHostAlloc, memory, bytes, (flags & common_host_flags) | mapped);
}

Result hipHostFree(void* memory) {
    FERRY_DOUBLE_ON_DEVICE(hipHostFree)
    return memory != nullptr ? forward(cuda::driver().cuMemFreeHost, memory) : static_cast<int>(success);
}

Result hipHostRegister(void* memory, std::size_t bytes, unsigned int flags) {
    FERRY_DOUBLE_ON_DEVICE(hipHostRegister)
    return forward(cuda::driver().cuMemHostRegister_v2, memory, bytes, flags);
}

Result hipHostUnregister(void* memory) {
    FERRY_DOUBLE_ON_DEVICE(hipHostUnregister)
    return forward(cuda::driver().cuMemHostUnregister, memory);
}

Result hipHostGetDevicePointer(Pointer* address, void* memory, unsigned int flags) {
    FERRY_DOUBLE_ON_DEVICE(hipHostGetDevicePointer)
    return forward(cuda::driver().cuMemHostGetDevicePointer_v2, address, memory, flags);
}

Result hipPointerGetAttribute(void* value, PointerAttribute attribute, Pointer pointer) {
    FERRY_DOUBLE_ON_DEVICE(hipPointerGetAttribute)
    constexpr int host_pointer = 4; // the same number in both APIs
    if (attribute != host_pointer) {
        return invalid_value;
    }
    return forward(cuda::driver().cuPointerGetAttribute, value, attribute, pointer);
}

Result hipMallocManaged(Pointer* memory, std::size_t bytes, unsigned int flags) {
    FERRY_DOUBLE_ON_DEVICE(hipMallocManaged)
    return forward(cuda::driver().cuMemAllocManaged, memory, bytes, flags);
}

Result hipMemPrefetchAsync(PeerSource memory, std::size_t bytes, Device device, Stream stream) {
    FERRY_DOUBLE_ON_DEVICE(hipMemPrefetchAsync)
    return forward(cuda::driver().cuMemPrefetchAsync, memory, bytes, device, stream);
}

// The numbers are the same.
Result hipMemAdvise(PeerSource memory, std::size_t bytes, MemoryAdvice advice, Device device) {
    FERRY_DOUBLE_ON_DEVICE(hipMemAdvise)
    return forward(cuda::driver().cuMemAdvise, memory, bytes, advice, device);
}

Result hipMemcpyHtoDAsync(Pointer to, UploadSource from, std::size_t bytes, Stream stream) {
    FERRY_DOUBLE_ON_DEVICE(hipMemcpyHtoDAsync)
    return forward(cuda::driver().cuMemcpyHtoDAsync_v2, to, from, bytes, stream);
}

Result hipMemcpyDtoHAsync(void* to, Pointer from, std::size_t bytes, Stream stream) {
    FERRY_DOUBLE_ON_DEVICE(hipMemcpyDtoHAsync)
    return forward(cuda::driver().cuMemcpyDtoHAsync_v2, to, from, bytes, stream);
}

Result hipMemcpyDtoDAsync(Pointer to, Pointer from, std::size_t bytes, Stream stream) {
    FERRY_DOUBLE_ON_DEVICE(hipMemcpyDtoDAsync)
    return forward(cuda::driver().cuMemcpyDtoDAsync_v2, to, from, bytes, stream);
}

// All memory has one address space, so the driver finds the direction, as with hipMemcpyDefault.
Result hipMemcpyAsync(void* to, const void* from, std::size_t bytes, CopyKind, Stream stream) {
    FERRY_DOUBLE_ON_DEVICE(hipMemcpyAsync)
    return forward(cuda::driver().cuMemcpyAsync, to, from, bytes, stream);
}

Result hipMemcpy3DAsync(const BoxCopy* copy, Stream stream) {
    FERRY_DOUBLE_ON_DEVICE(hipMemcpy3DAsync)
    constexpr int host = 1;
    constexpr int unified = 4;
    const auto end = [](const BoxCopy::End& from, bool is_host) {
        cuda::BoxCopy::End to{};
        to.x = from.x;
        to.y = from.y;
        to.z = from.z;
        to.kind = is_host ? host : unified;
        to.host = from.address;
        to.device = reinterpret_cast<cuda::Pointer>(from.address);
        to.pitch = from.pitch;
        to.height = from.height;
        return to;
    };
    // hipMemcpyHostToDevice is 1, hipMemcpyDeviceToHost is 2.
    const cuda::BoxCopy made{end(copy->from, copy->kind == 1), end(copy->to, copy->kind == 2), copy->width,
                             copy->height, copy->depth};
    return forward(cuda::driver().cuMemcpy3DAsync_v2, &made, stream);
}

Result hipMemcpyPeerAsync(Pointer to, Context to_device, PeerSource from, Context from_device,
                          std::size_t bytes, Stream stream) {
    FERRY_DOUBLE_ON_DEVICE(hipMemcpyPeerAsync)
    return forward(cuda::driver().cuMemcpyPeerAsync, to, primary_context(to_device), from,
                   primary_context(from_device), bytes, stream);
}

Result hipMemsetD8Async(Pointer to, unsigned char value, std::size_t count, Stream stream) {
    FERRY_DOUBLE_ON_DEVICE(hipMemsetD8Async)
    return forward(cuda::driver().cuMemsetD8Async, to, value, count, stream);
}

Result hipMemsetD16Async(Pointer to, unsigned short value, std::size_t count, Stream stream) {
    FERRY_DOUBLE_ON_DEVICE(hipMemsetD16Async)
    return forward(cuda::driver().cuMemsetD16Async, to, value, count, stream);
}

Result hipMemsetD32Async(Pointer to, Word value, std::size_t count, Stream stream) {
    FERRY_DOUBLE_ON_DEVICE(hipMemsetD32Async)
    return forward(cuda::driver().cuMemsetD32Async, to, value, count, stream);
}

// HIP leaves the descriptor to its caller.
Result hipImportExternalMemory(External* memory, const ExternalHandle* handle) {
    FERRY_DOUBLE_ON_DEVICE(hipImportExternalMemory)
    ExternalHandle own = *handle;
    own.descriptor = dup(handle->descriptor);
    const int code = forward(cuda::driver().cuImportExternalMemory, memory, &own);
    if (code != success) {
        close(own.descriptor);
    }
    return code;
}

Result hipExternalMemoryGetMappedBuffer(Pointer* address, External memory, const ExternalBuffer* buffer) {
    FERRY_DOUBLE_ON_DEVICE(hipExternalMemoryGetMappedBuffer)
    return forward(cuda::driver().cuExternalMemoryGetMappedBuffer, address, memory, buffer);
}

Result hipDestroyExternalMemory(External memory) {
    FERRY_DOUBLE_ON_DEVICE(hipDestroyExternalMemory)
    return forward(cuda::driver().cuDestroyExternalMemory, memory);
}
