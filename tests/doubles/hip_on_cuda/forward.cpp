// SPDX-License-Identifier: Apache-2.0
#include "forward.hpp"

#include "../hip_errors.hpp"

#include <map>
#include <mutex>

namespace ferry_double {

int hip_code(int cuda_code) {
    switch (cuda_code) {
    case 0:
        return success;
    case 221: // JIT compiler not found
    case 222: // unsupported PTX
    case 218:
        return no_binary_for_gpu; // invalid PTX
    case 714:                     // hardware stack error
    case 715:                     // illegal instruction
    case 716:                     // misaligned address
    case 717:                     // invalid address space
    case 718:
        return launch_failure; // invalid program counter
    default:
        return error_of(cuda_code).code; // unknown if HIP lacks it
    }
}

int& current_device() {
    static thread_local int ordinal = 0;
    return ordinal;
}

int ready() {
    static const int code = [] {
        const cuda::Driver& cuda = cuda::driver();
        return cuda.missing.empty() ? forward(cuda.cuInit, 0U) : static_cast<int>(no_device);
    }();
    return code;
}

void* primary_context(int ordinal) {
    static std::mutex& mutex = *new std::mutex;
    static std::map<int, void*>& contexts = *new std::map<int, void*>;
    const std::lock_guard lock(mutex);
    if (const auto found = contexts.find(ordinal); found != contexts.end()) {
        return found->second;
    }
    const cuda::Driver& cuda = cuda::driver();
    int device = 0;
    void* context = nullptr;
    if (ready() != success || cuda.cuDeviceGet(&device, ordinal) != 0 ||
        cuda.cuDevicePrimaryCtxRetain(&context, device) != 0) {
        return nullptr;
    }
    contexts.emplace(ordinal, context);
    return context;
}

int use_current() {
    // Remembers the context for each thread, because this runs before every call.
    static thread_local int known_ordinal = -1;
    static thread_local void* known = nullptr;
    if (known_ordinal != current_device()) {
        known = primary_context(current_device());
        known_ordinal = known != nullptr ? current_device() : -1;
    }
    if (known == nullptr) {
        return ready() != success ? ready() : static_cast<int>(invalid_device);
    }
    const cuda::Driver& cuda = cuda::driver();
    void* now = nullptr;
    cuda.cuCtxGetCurrent(&now);
    return now == known ? static_cast<int>(success) : hip_code(cuda.cuCtxSetCurrent(known));
}

} // namespace ferry_double
