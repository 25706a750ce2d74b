// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory of other APIs in the tables. Both vendors have the same structs; HIP's older ones end with `flags`.

namespace ferry_double {

using External = void*;
// CUDA_EXTERNAL_MEMORY_HANDLE_DESC, hipExternalMemoryHandleDesc
struct ExternalHandle {
    int kind;
    union {
        int descriptor;
        struct {
            void* handle;
            const void* name;
        } windows;
    };
    unsigned long long bytes;
    unsigned int flags;
    unsigned int reserved[16];
};
// CUDA_EXTERNAL_MEMORY_BUFFER_DESC, hipExternalMemoryBufferDesc
struct ExternalBuffer {
    unsigned long long offset, bytes;
    unsigned int flags;
    unsigned int reserved[16];
};

} // namespace ferry_double
