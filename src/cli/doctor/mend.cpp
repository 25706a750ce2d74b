// SPDX-License-Identifier: Apache-2.0
#include "examine.hpp"

#include <string>

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

std::string mend_of_backend(Backend backend, ferry::BackendProblem problem) {
    using ferry::BackendProblem;
    constexpr const char* setting = "Set the variable or setting named there to a valid value, or unset it.";
    if (backend == Backend::host) {
        return setting;
    }
    const Driver driver = driver_of(backend);
    const std::string variable = driver.variable;
    switch (problem) {
    case BackendProblem::not_selected:
        return "Add it to the list in FERRY_BACKEND, or unset that variable.";
    case BackendProblem::invalid_setting:
        return setting;
    case BackendProblem::named_library:
        return "Set " + variable +
               " to the path of the driver's library, or unset it to try the usual names.";
    case BackendProblem::missing_driver:
        return "Reinstall that driver, or remove the file that names it.";
    case BackendProblem::no_library:
        return "To use it, " + std::string(driver.install) + "; or set " + variable +
               " to the library if it is elsewhere.";
    case BackendProblem::stub_library:
        return "To use it, " + std::string(driver.install) +
               "; and take the toolkit's folder stubs out of LD_LIBRARY_PATH and " + variable + ".";
    case BackendProblem::empty_platform:
        return "See whether clinfo lists a device of that platform, and whether its driver shows devices "
               "only if a variable is set.";
    case BackendProblem::no_device:
        return driver.devices;
    case BackendProblem::device_unavailable:
        return "See whether another program holds the device, and look at the kernel's log (dmesg).";
    case BackendProblem::device_unsupported:
        return "Update its driver. If the newest driver lacks it too, use the device through another "
               "backend.";
    case BackendProblem::wrong_library:
        return "It is too old, or another library of that name: " + std::string(driver.install) +
               ", or set " + variable + " to the right one.";
    case BackendProblem::untested_library:
        return "See why no child process could test it, and FERRY_PROBE in docs/environment.md.";
    case BackendProblem::unsound_library:
    case BackendProblem::failed:
        break;
    }
    return "Update or reinstall the driver, and look at the kernel's log (dmesg) for its messages.";
}

} // namespace cli::doctor
