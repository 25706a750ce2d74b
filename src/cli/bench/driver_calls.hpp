// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "subject.hpp"

namespace bench {

template <class Function>
void resolve(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(find_symbol(library, name));
}

/// Calls with the same signature in CUDA and HIP.
template <class DevicePointer>
struct DriverCalls {
    using Pointer = DevicePointer;

    int (*stream_create)(void**, unsigned) = nullptr;
    int (*stream_destroy)(void*) = nullptr;
    int (*stream_synchronize)(void*) = nullptr;
    int (*stream_wait_event)(void*, void*, unsigned) = nullptr;
    int (*event_create)(void**, unsigned) = nullptr;
    int (*event_destroy)(void*) = nullptr;
    int (*event_record)(void*, void*) = nullptr;
    int (*event_synchronize)(void*) = nullptr;
    int (*event_query)(void*) = nullptr;
    int (*event_elapsed)(float*, void*, void*) = nullptr;
    int (*host_alloc)(void**, std::size_t, unsigned) = nullptr;
    int (*host_free)(void*) = nullptr;
    int (*mem_alloc)(Pointer*, std::size_t) = nullptr;
    int (*mem_free)(Pointer) = nullptr;
    /// Null if the device has no shared memory.
    int (*managed_alloc)(Pointer*, std::size_t, unsigned) = nullptr;
    int (*module_load_data)(void**, const void*, unsigned, int*, void**) = nullptr;
    int (*module_unload)(void*) = nullptr;
    int (*module_get_function)(void**, void*, const char*) = nullptr;
    int (*launch_kernel)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                         void**, void**) = nullptr;
    int (*copy_down)(void*, Pointer, std::size_t, void*) = nullptr;
    int (*copy_between)(Pointer, Pointer, std::size_t, void*) = nullptr;
    int (*attribute)(int*, int, int) = nullptr;
    int ordinal = 0;
};

} // namespace bench
