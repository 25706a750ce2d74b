// SPDX-License-Identifier: Apache-2.0
#include "opencl_shared.hpp"

#include <array>

namespace bench {

namespace {

// Defined by OpenCL 2.0 and cl_intel_unified_shared_memory, but not by the headers for 1.2.
constexpr cl_device_info svm_capabilities = 0x1053;
constexpr cl_bitfield svm_fine_grain = 1U << 1;
constexpr cl_bitfield svm_flags = CL_MEM_READ_WRITE | 1U << 10; // CL_MEM_SVM_FINE_GRAIN_BUFFER
constexpr cl_device_info usm_shared_capabilities = 0x4193;
constexpr cl_bitfield usm_access = 1U << 0;

bool allows(const OpenclCalls& cl, cl_device_id device, cl_device_info what, cl_bitfield bit) {
    cl_bitfield value = 0;
    return cl.clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS &&
           (value & bit) != 0;
}

std::string platform_name(const OpenclCalls& cl, cl_platform_id platform) {
    std::array<char, 256> name{};
    cl.clGetPlatformInfo(platform, CL_PLATFORM_NAME, name.size() - 1, name.data(), nullptr);
    return name.data();
}

} // namespace

OpenclShared::OpenclShared(const OpenclCalls& cl, cl_context context, cl_device_id device)
    : context_(context), device_(device) {
    cl_platform_id platform = nullptr;
    check_opencl(cl.clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), &platform, nullptr),
                 "clGetDeviceInfo");
    const bool svm = allows(cl, device, svm_capabilities, svm_fine_grain);
    const bool prefers_svm = svm && platform_name(cl, platform) == "Portable Computing Language";
    if (!prefers_svm && allows(cl, device, usm_shared_capabilities, usm_access)) {
        const auto find = [&]<class Function>(const char* name, Function*& function) {
            function =
                reinterpret_cast<Function*>(cl.clGetExtensionFunctionAddressForPlatform(platform, name));
            return function != nullptr;
        };
        if (find("clSharedMemAllocINTEL", usm_alloc_) &&
            find("clSetKernelArgMemPointerINTEL", set_pointer_) && find("clMemFreeINTEL", usm_free_)) {
            return;
        }
        usm_free_ = nullptr;
    }
    svm_alloc_ = reinterpret_cast<decltype(svm_alloc_)>(find_symbol(cl.library, "clSVMAlloc"));
    svm_free_ = reinterpret_cast<decltype(svm_free_)>(find_symbol(cl.library, "clSVMFree"));
    set_pointer_ =
        reinterpret_cast<decltype(set_pointer_)>(find_symbol(cl.library, "clSetKernelArgSVMPointer"));
}

void* OpenclShared::allocate(std::size_t bytes) {
    if (usm_free_ == nullptr) {
        if (void* const memory = svm_alloc_(context_, svm_flags, bytes, 0)) {
            return memory;
        }
        throw std::runtime_error("The raw side's clSVMAlloc returned no memory.");
    }
    cl_int result = CL_SUCCESS;
    void* const memory = usm_alloc_(context_, device_, nullptr, bytes, 0, &result);
    check_opencl(result, "clSharedMemAllocINTEL");
    return memory;
}

void OpenclShared::free(void* memory) {
    if (usm_free_ != nullptr) {
        usm_free_(context_, memory);
    } else {
        svm_free_(context_, memory);
    }
}

void OpenclShared::set_argument(cl_kernel kernel, cl_uint index, const void* memory) {
    check_opencl(set_pointer_(kernel, index, memory), "clSetKernelArg...Pointer");
}

} // namespace bench
