// SPDX-License-Identifier: Apache-2.0
#include "examine.hpp"

#include <array>
#include <string_view>

namespace cli::doctor {
namespace {

using ferry::Backend;

struct Driver {
    const char* install;
    const char* variable;
    const char* devices;
};

Driver driver_of(Backend backend) {
    switch (backend) {
    case Backend::cuda:
        return {"install NVIDIA's driver, 450 or later; in a container give --gpus all", "FERRY_CUDA_LIBRARY",
                "See whether nvidia-smi lists the device, and whether CUDA_VISIBLE_DEVICES hides it; in a "
                "container give --gpus all."};
    case Backend::hip:
        return {"install ROCm's HIP runtime, 5.0 or later", "FERRY_HIP_LIBRARY",
                "See whether rocminfo lists the device, whether HIP_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES "
                "hides it, and whether this user is in the groups render and video."};
    case Backend::vulkan:
        return {
            "install a Vulkan loader and a driver (Debian, Ubuntu: libvulkan1 and mesa-vulkan-drivers)",
            "FERRY_VULKAN_LIBRARY",
            "Install a driver (Debian, Ubuntu: mesa-vulkan-drivers), and see that vulkaninfo --summary lists "
            "the device."};
    case Backend::opencl:
    case Backend::host:
        break;
    }
    return {"install an OpenCL loader and a driver (Debian, Ubuntu: ocl-icd-libopencl1, and for processors "
            "pocl-opencl-icd)",
            "FERRY_OPENCL_LIBRARY",
            "Install a driver (Debian, Ubuntu: pocl-opencl-icd for processors), and see that clinfo lists "
            "its platform."};
}

} // namespace

std::string mend_of_backend(Backend backend, std::string_view reason) {
    const auto says = [&](std::string_view words) { return reason.find(words) != std::string_view::npos; };
    if (backend == Backend::host) {
        return "Set the variable or setting named there to a valid value, or unset it.";
    }
    const Driver driver = driver_of(backend);
    const std::string variable = driver.variable;
    if (says(" names does not open")) {
        return "Set " + variable +
               " to the path of the driver's library, or unset it to try the usual names.";
    }
    if (says(" names the OpenCL driver ")) {
        return "Reinstall that driver, or remove the file that names it.";
    }
    if (says("No library was found")) {
        return "To use it, " + std::string(driver.install) + "; or set " + variable +
               " to the library if it is elsewhere.";
    }
    if (says("stub library")) {
        return "To use it, " + std::string(driver.install) +
               "; and take the toolkit's folder stubs out of LD_LIBRARY_PATH and " + variable + ".";
    }
    if (says("The OpenCL platform ") && says(" has no device")) {
        return "See whether clinfo lists a device of that platform, and whether its driver shows devices "
               "only if a variable is set.";
    }
    if (says(" finds no ") || says(" has no device")) {
        return driver.devices;
    }
    if (says("not available")) {
        return "See whether another program holds the device, and look at the kernel's log (dmesg).";
    }
    if (says(" lacks ") || says(" is CUDA ") || says(" is HIP ") || says("Ferry needs OpenCL")) {
        return "It is too old, or another library of that name: " + std::string(driver.install) +
               ", or set " + variable + " to the right one.";
    }
    return "Update or reinstall the driver, and look at the kernel's log (dmesg) for its messages.";
}

} // namespace cli::doctor
