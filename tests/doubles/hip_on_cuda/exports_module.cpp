// SPDX-License-Identifier: Apache-2.0
#include "../hip_cpu/code_object.hpp"
#include "../hip_numbers.hpp"
#include "forward.hpp"

namespace {

constexpr unsigned int plain_local_bytes = 48 * 1024; // CUDA requires a request for more; HIP does not

} // namespace

// Drops options, because AMD's runtime ignores them.
Result hipModuleLoadDataEx(Module* module, const void* image, unsigned int, JitOption*, void**) {
    FERRY_DOUBLE_ON_DEVICE(hipModuleLoadDataEx)
    const std::optional<CodeObject> object = read_code_object(image);
    if (object && object->shared_object.empty()) {
        return no_binary_for_gpu;
    }
    const void* cubin = object ? object->shared_object.data() : image;
    return forward(cuda::driver().cuModuleLoadDataEx, module, cubin, 0U, static_cast<int*>(nullptr),
                   static_cast<void**>(nullptr));
}

Result hipModuleUnload(Module module) {
    FERRY_DOUBLE_ON_DEVICE(hipModuleUnload)
    return forward(cuda::driver().cuModuleUnload, module);
}

Result hipModuleGetFunction(Function* function, Module module, const char* name) {
    FERRY_DOUBLE_ON_DEVICE(hipModuleGetFunction)
    return forward(cuda::driver().cuModuleGetFunction, function, module, name);
}

// The numbers are the same.
Result hipFuncGetAttribute(int* value, FunctionAttribute attribute, Function function) {
    FERRY_DOUBLE_ON_DEVICE(hipFuncGetAttribute)
    return forward(cuda::driver().cuFuncGetAttribute, value, attribute, function);
}

Result hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* groups, Function function, int group_size,
                                                          std::size_t local_bytes) {
    FERRY_DOUBLE_ON_DEVICE(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor)
    return forward(cuda::driver().cuOccupancyMaxActiveBlocksPerMultiprocessor, groups, function, group_size,
                   local_bytes);
}

Result hipModuleLaunchKernel(Function function, unsigned int groups_x, unsigned int groups_y,
                             unsigned int groups_z, unsigned int local_x, unsigned int local_y,
                             unsigned int local_z, unsigned int local_bytes, Stream stream, void** parameters,
                             void** extra) {
    FERRY_DOUBLE_ON_DEVICE(hipModuleLaunchKernel)
    const cuda::Driver& cuda = cuda::driver();
    if (local_bytes > plain_local_bytes && cuda.cuFuncSetAttribute != nullptr) {
        cuda.cuFuncSetAttribute(function, function_max_dynamic_shared_bytes, static_cast<int>(local_bytes));
    }
    if (extra != nullptr) {
        return not_supported;
    }
    return forward(cuda.cuLaunchKernel, function, groups_x, groups_y, groups_z, local_x, local_y, local_z,
                   local_bytes, stream, parameters, extra);
}
