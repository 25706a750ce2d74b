// SPDX-License-Identifier: Apache-2.0
#include "hip_double.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace conformance {
namespace {

template <class Function>
Function* symbol(const ferry::Device& device, const char* name) {
    const ferry::Backend backend = device.backend();
    const char* const file = std::getenv(backend == ferry::Backend::hip      ? "FERRY_HIP_LIBRARY"
                                         : backend == ferry::Backend::cuda   ? "FERRY_CUDA_LIBRARY"
                                         : backend == ferry::Backend::vulkan ? "FERRY_VULKAN_LIBRARY"
                                                                             : "FERRY_OPENCL_LIBRARY");
    void* library = nullptr;
    if (backend != ferry::Backend::host && file != nullptr) {
        // never closed, because the backend keeps it open anyway
        library = dlopen(file, RTLD_NOW | RTLD_NOLOAD);
    }
    void* found = library != nullptr ? dlsym(library, name) : nullptr;
    if (found == nullptr) {
        throw ferry::Error(ferry::Code::unsupported, "Device " + device.id() + " has no injected faults.");
    }
    return reinterpret_cast<Function*>(found);
}

// The stand-in that forwards to CUDA has some of the functions, but its kernels run on a real device.
void check_double(const ferry::Device& device) {
    if (!is_double(device)) {
        throw ferry::Error(ferry::Code::unsupported, "Device " + device.id() + " has no injected faults.");
    }
}

struct VendorNames {
    std::string_view cuda, hip;
};
constexpr std::array vendor_names{
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) VendorNames{#cuda, #hip},
#include "driver/symbols.def"
};

} // namespace

std::string vendor_name(const ferry::Device& device, std::string_view text) {
    std::string named;
    while (!text.empty()) {
        const auto is_letter = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        };
        std::size_t length = 0;
        while (length < text.size() && is_letter(text[length])) {
            ++length;
        }
        std::string_view word = text.substr(0, length);
        text.remove_prefix(length);
        for (const VendorNames& names : vendor_names) {
            if (word == names.hip && device.backend() == ferry::Backend::cuda) {
                word = names.cuda;
                break;
            }
        }
        named += word;
        while (!text.empty() && !is_letter(text.front())) {
            named += text.front();
            text.remove_prefix(1);
        }
    }
    return named;
}

bool is_double(const ferry::Device& device) {
    return device.info().name.find(" double on the CPU") != std::string::npos;
}

void inject(const ferry::Device& device, const char* faults) {
    check_double(device);
    const std::string named = vendor_name(device, faults);
    if (symbol<ferry_double_inject_function>(device, "ferry_double_inject")(named.c_str()) == 0) {
        throw std::invalid_argument("the double does not understand " + named);
    }
}

int fail_launches(const ferry::Device& device, const std::string& kernel) {
    const bool opencl = device.backend() == ferry::Backend::opencl;
    const int code = opencl ? -5 : 701; // CL_OUT_OF_RESOURCES, launch out of resources
    const std::string faults = kernel.empty() ? kernel : "kernel:" + kernel + ":" + std::to_string(code);
    if (!opencl) {
        inject(device, faults.c_str());
    } else if (symbol<ferry_double_inject_function>(device, "ferry_double_inject")(faults.c_str()) == 0) {
        throw std::invalid_argument("the double does not understand " + faults);
    }
    return code;
}

void exit_in_next(const ferry::Device& device, CallKind kind, int status) {
    struct Calls {
        CallKind kind;
        std::initializer_list<const char*> hip, opencl;
    };
    static const Calls all[] = {
        {CallKind::copy, {"hipMemcpyHtoDAsync"}, {"clEnqueueWriteBuffer", "clEnqueueMapBuffer"}},
        {CallKind::launch, {"hipModuleLaunchKernel"}, {"clEnqueueNDRangeKernel"}},
        {CallKind::build, {"hiprtcCompileProgram", "nvrtcCompileProgram"}, {"clBuildProgram"}},
        {CallKind::allocation, {"hipMalloc"}, {"clCreateBuffer"}},
        {CallKind::wait,
         {"hipStreamSynchronize", "hipStreamQuery"},
         {"clFinish", "clWaitForEvents", "clGetEventInfo"}},
    };
    const auto& calls =
        *std::find_if(std::begin(all), std::end(all), [kind](const Calls& one) { return one.kind == kind; });
    const std::string end = ":" + std::to_string(status);
    std::string faults;
    if (device.backend() != ferry::Backend::opencl) {
        for (const char* const name : calls.hip) {
            if (double_has(device, name)) {
                faults += (faults.empty() ? "exit:" : ",exit:") + std::string(name) + end;
            }
        }
        inject(device, faults.c_str());
        return;
    }
    for (const char* const name : calls.opencl) {
        faults += (faults.empty() ? "exit:" : ",") + std::string(name);
    }
    if (symbol<ferry_double_inject_function>(device, "ferry_double_inject")((faults + end).c_str()) == 0) {
        throw std::invalid_argument("the double does not understand " + faults + end);
    }
}

bool is_vulkan_double(const ferry::Device& device) {
    const char* const library = std::getenv("FERRY_VULKAN_LIBRARY");
    return device.backend() == ferry::Backend::vulkan && library != nullptr &&
           std::string_view(library).find("libferry_vulkan") != std::string_view::npos;
}

void lose_at_submit(const ferry::Device& device, const char* when) {
    if (symbol<ferry_double_inject_function>(device, "ferry_double_inject")(when) == 0) {
        throw std::invalid_argument(std::string("the double does not understand ") + when);
    }
}

bool double_has(const ferry::Device& device, const char* function) {
    check_double(device);
    auto* const name_of = symbol<ferry_double_symbol_function>(device, "ferry_double_symbol");
    const std::string named = vendor_name(device, function);
    for (int i = 0; name_of(i) != nullptr; ++i) {
        if (name_of(i) == named) {
            return true;
        }
    }
    return false;
}

long long double_calls(const ferry::Device& device, const char* function) {
    check_double(device);
    return symbol<ferry_double_calls_function>(device,
                                               "ferry_double_calls")(vendor_name(device, function).c_str());
}

long long double_argument(const ferry::Device& device, const char* function, int index) {
    check_double(device);
    return symbol<ferry_double_argument_function>(device, "ferry_double_argument")(
        vendor_name(device, function).c_str(), index);
}

DoubleCounts double_counts(const ferry::Device& device) {
    return symbol<ferry_double_live_function>(device, "ferry_double_live")();
}

void check_counts(const DoubleCounts& now, const DoubleCounts& before) {
    CHECK(now.allocations == before.allocations);
    CHECK(now.bytes == before.bytes);
    CHECK(now.streams == before.streams);
    CHECK(now.modules == before.modules);
    CHECK(now.programs == before.programs);
    CHECK(now.graphs == before.graphs);
    CHECK(now.overruns == before.overruns);
    CHECK(now.wild == before.wild);
}

} // namespace conformance
