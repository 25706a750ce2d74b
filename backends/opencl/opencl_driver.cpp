// SPDX-License-Identifier: Apache-2.0
#include "opencl_backend.hpp"
#include "opencl_device.hpp"
#include "opencl_error.hpp"
#include "opencl_query.hpp"
#include "system/privilege.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>

namespace ferry::opencl {
namespace {

class OpenclDriver final : public backend::Driver {
public:
    OpenclDriver(std::string library, std::vector<std::unique_ptr<OpenclDevice>> devices)
        : library_(std::move(library)), devices_(std::move(devices)) {}

    std::string library() const override { return library_; }
    std::vector<std::unique_ptr<backend::Device>> devices() override {
        return {std::make_move_iterator(devices_.begin()), std::make_move_iterator(devices_.end())};
    }

private:
    std::string library_;
    std::vector<std::unique_ptr<OpenclDevice>> devices_;
};

using Devices = std::vector<std::unique_ptr<OpenclDevice>>;

constexpr const char* how_to_mend =
    "; install a driver (Debian, Ubuntu: pocl-opencl-icd for processors), which registers itself with an "
    ".icd file "
    "in /etc/OpenCL/vendors, and see that OCL_ICD_VENDORS does not name a folder without one";

std::string code_text(const char* call, cl_int code) {
    const std::string_view name = code_name(code);
    return std::string(call) + " returned " + std::to_string(code) +
           (name.empty() ? "" : " (" + std::string(name) + ")");
}

void add_device(const Api& api, cl_platform_id platform, cl_device_id device, Devices& devices,
                std::vector<BackendReason>& reasons) {
    const std::string platform_version = platform_text(api, platform, CL_PLATFORM_VERSION);
    const std::string version = device_text(api, device, CL_DEVICE_VERSION);
    const std::string name = device_text(api, device, CL_DEVICE_NAME);
    const int number = std::min(version_number(platform_version), version_number(version));
    if (number < 12) {
        reasons.push_back({BackendProblem::device_unsupported,
                           "The device " + name + " of " + platform_text(api, platform, CL_PLATFORM_NAME) +
                               " speaks \"" + version + "\" (its platform \"" + platform_version +
                               "\"); Ferry needs OpenCL 1.2 or later" +
                               (version.empty() ? "; clGetDeviceInfo did not answer" : "") +
                               (platform_version.empty() ? "; clGetPlatformInfo did not answer" : "")});
        return;
    }
    if (required_value<cl_bool>(api, device, CL_DEVICE_AVAILABLE) == CL_FALSE) {
        reasons.push_back(
            {BackendProblem::device_unavailable,
             "The device " + name + " says that it is not available (CL_DEVICE_AVAILABLE is false)"});
        return;
    }
    const Api own = restrict_to(api, platform, number, device_text(api, device, CL_DEVICE_EXTENSIONS));
    Traits traits = read_traits(own, platform, device);
    DeviceInfo info = read_info(own, device, traits);
    devices.push_back(
        std::make_unique<OpenclDevice>(own, platform, device, std::move(traits), std::move(info)));
}

void add_platform(const Api& api, cl_platform_id platform, Devices& devices,
                  std::vector<BackendReason>& reasons) {
    const std::string name = platform_text(api, platform, CL_PLATFORM_NAME);
    cl_uint count = 0;
    const cl_int code = api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    std::vector<cl_device_id> ids(code == CL_SUCCESS
                                      ? backend::plausible(Backend::opencl, "clGetDeviceIDs", "devices",
                                                           count, 0, backend::most_devices)
                                      : 0);
    if (ids.empty() ||
        api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr) != CL_SUCCESS) {
        reasons.push_back(
            {BackendProblem::empty_platform,
             "The OpenCL platform " + name + " has no device: " + code_text("clGetDeviceIDs", code) +
                 (name == "rusticl" ? "; it shows devices only if RUSTICL_ENABLE names a driver, for "
                                      "example RUSTICL_ENABLE=llvmpipe"
                                    : "")});
        return;
    }
    for (cl_device_id id : ids) {
        try {
            add_device(api, platform, backend::made(Backend::opencl, "clGetDeviceIDs", id), devices, reasons);
        } catch (const Error& error) {
            reasons.push_back({BackendProblem::failed,
                               "A device of the OpenCL platform " + name + " is left out: " + error.what()});
        }
    }
}

/// "Portable Computing Language (/usr/lib/x86_64-linux-gnu/libpocl.so.2.12.0)", from an address that every
/// driver behind a loader must provide.
std::string text_of(const Api& api, cl_platform_id platform) {
    const std::string name = platform_text(api, platform, CL_PLATFORM_NAME);
    const void* const inside =
        api.clGetExtensionFunctionAddressForPlatform(platform, "clIcdGetPlatformIDsKHR");
    const std::string file = inside != nullptr ? backend::Library::file_of(inside) : "";
    return file.empty() ? name : name + " (" + file + ")";
}

/// Khronos' loader splits these variables in place, so that a child process would see only the first part.
/// The length of the text does not change, so it is restored in place.
class KeptVariable {
public:
    explicit KeptVariable(const char* name)
        : place_(secure_getenv(name)), text_(place_ != nullptr ? place_ : "") {}
    KeptVariable(const KeptVariable&) = delete;
    KeptVariable& operator=(const KeptVariable&) = delete;
    ~KeptVariable() {
        if (place_ != nullptr && std::memcmp(place_, text_.c_str(), text_.size() + 1) != 0) {
            std::memcpy(place_, text_.c_str(), text_.size() + 1);
        }
    }

private:
    char* place_;
    std::string text_;
};

Devices find_devices(const Api& api, const std::string& library, std::string& platforms_text,
                     std::vector<BackendReason>& reasons) {
    // PoCL crashes if two threads make the first calls at once.
    static std::mutex first_calls;
    const std::lock_guard lock(first_calls);
    const KeptVariable names("OCL_ICD_FILENAMES");
    const KeptVariable vendors("OCL_ICD_VENDORS");
    cl_uint count = 0;
    backend::entering(backend::Opening::initialisation, "clGetPlatformIDs");
    const cl_int code = api.clGetPlatformIDs(0, nullptr, &count);
    std::vector<cl_platform_id> platforms(
        code == CL_SUCCESS ? backend::plausible(Backend::opencl, "clGetPlatformIDs", "platforms", count, 0,
                                                backend::most_devices)
                           : 0);
    if (platforms.empty() || api.clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) {
        reasons.push_back({BackendProblem::no_device, library + " finds no OpenCL platform: " +
                                                          code_text("clGetPlatformIDs", code) + how_to_mend});
        return {};
    }
    platforms_text = std::to_string(count) + (count == 1 ? " platform" : " platforms");
    Devices devices;
    for (cl_platform_id platform : platforms) {
        try {
            backend::entering(backend::Opening::listing);
            backend::made(Backend::opencl, "clGetPlatformIDs", platform);
            backend::entering(backend::Opening::listing, platform_text(api, platform, CL_PLATFORM_NAME));
            platforms_text += (platform == platforms.front() ? ": " : ", ") + text_of(api, platform);
            add_platform(api, platform, devices, reasons);
        } catch (const Error& error) {
            reasons.push_back(
                {BackendProblem::failed, std::string("An OpenCL platform is left out: ") + error.what()});
        }
    }
    const auto order = [](const std::unique_ptr<OpenclDevice>& device) {
        switch (device->info().kind) {
        case DeviceKind::gpu:
            return 0;
        case DeviceKind::accelerator:
            return 1;
        default:
            return 2;
        }
    };
    std::stable_sort(devices.begin(), devices.end(),
                     [&](const auto& a, const auto& b) { return order(a) < order(b); });
    for (std::size_t i = 0; i < devices.size(); ++i) {
        devices[i]->set_index(static_cast<std::uint32_t>(i));
    }
    return devices;
}

/// The loader reads these without secure_getenv(). They let a user load any library.
constexpr std::array loader_variables{"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_LAYERS",
                                      "OPENCL_LAYER_PATH"};

/// The variable that is set while this program has more rights than its user. Null if there is none.
const char* unsafe_variable() noexcept {
    if (ferry::detail::is_privileged()) {
        for (const char* const name : loader_variables) {
            if (std::getenv(name) != nullptr) { // NOLINT(concurrency-mt-unsafe)
                return name;
            }
        }
    }
    return nullptr;
}

std::unique_ptr<backend::Driver> open_library(const backend::Libraries& libraries,
                                              std::vector<BackendReason>& reasons) {
    if (const char* const variable = unsafe_variable()) {
        reasons.push_back(
            {BackendProblem::invalid_setting,
             std::string(variable) +
                 " is set, and this program runs with more rights than its user has (set-user-id or "
                 "file capabilities): the OpenCL loader would load a library of the user's choice; "
                 "unset it"});
        return nullptr;
    }
    constexpr std::array names{"libOpenCL.so.1", "libOpenCL.so"};
    const backend::Library library =
        backend::Library::open(names, libraries.opencl, "FERRY_OPENCL_LIBRARY", reasons);
    if (!library) {
        return nullptr;
    }
    Api api;
    if (const std::vector<std::string> missing = load(api, library); !missing.empty()) {
        std::string list;
        for (const std::string& name : missing) {
            list += (list.empty() ? "" : ", ") + name;
        }
        reasons.push_back({BackendProblem::wrong_library,
                           library.path() + " is no library of OpenCL 1.2 or later: it lacks " + list});
        return nullptr;
    }
    std::vector<BackendReason> skipped;
    std::string platforms;
    Devices devices = find_devices(api, library.name(), platforms, skipped);
    reasons.insert(reasons.end(), skipped.begin(), skipped.end());
    if (devices.empty()) {
        return nullptr;
    }
    return std::make_unique<OpenclDriver>(library.text() + ", " + platforms, std::move(devices));
}

} // namespace

std::unique_ptr<backend::Driver> open(const backend::Libraries& libraries,
                                      std::vector<BackendReason>& reasons) {
    try {
        return open_library(libraries, reasons);
    } catch (const std::exception& error) {
        reasons.push_back(
            {BackendProblem::failed, std::string("OpenCL could not be opened: ") + error.what()});
        return nullptr;
    }
}

} // namespace ferry::opencl
