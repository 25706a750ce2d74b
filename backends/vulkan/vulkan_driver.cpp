// SPDX-License-Identifier: Apache-2.0
#include "vulkan_backend.hpp"
#include "vulkan_device.hpp"

#include <ferry/version.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

namespace ferry::vulkan {
namespace {

using Devices = std::vector<std::unique_ptr<VulkanDevice>>;

constexpr const char* how_to_mend = "; install a driver (Debian, Ubuntu: mesa-vulkan-drivers), and see that "
                                    "VK_DRIVER_FILES and VK_ICD_FILENAMES, "
                                    "if they are set, name its file";

class VulkanDriver final : public backend::Driver {
public:
    VulkanDriver(std::string library, std::unique_ptr<InstanceApi> api, Devices devices)
        : library_(std::move(library)), api_(std::move(api)), devices_(std::move(devices)) {}

    std::string library() const override { return library_; }
    std::vector<std::unique_ptr<backend::Device>> devices() override {
        return {std::make_move_iterator(devices_.begin()), std::make_move_iterator(devices_.end())};
    }

private:
    std::string library_;
    std::unique_ptr<InstanceApi> api_; // The devices refer to it.
    Devices devices_;
};

std::string joined(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) {
        list += (list.empty() ? "" : ", ") + name;
    }
    return list;
}

bool create_instance(InstanceApi& api, const std::string& library, std::vector<BackendReason>& reasons) {
    ApplicationInfo application;
    application.engine_name = "Ferry";
    application.api_version = version_1_2;
    InstanceCreateInfo info;
    info.application = &application;
    Instance instance = nullptr;
    backend::entering(backend::Opening::initialisation, "vkCreateInstance");
    if (const Result result = api.vkCreateInstance(&info, nullptr, &instance); result != constant::success) {
        reasons.push_back(
            {BackendProblem::no_device,
             library + " has no Vulkan driver: " + call_text("vkCreateInstance", result) + how_to_mend});
        return false;
    }
    if (const auto missing = api.load_instance(made("vkCreateInstance", instance)); !missing.empty()) {
        reasons.push_back({BackendProblem::wrong_library,
                           library + " lacks the functions " + joined(missing) + " of Vulkan 1.2"});
        return false;
    }
    return true;
}

std::vector<PhysicalDevice> list_devices(const InstanceApi& api, const std::string& library,
                                         std::vector<BackendReason>& reasons) {
    std::uint32_t count = 0;
    backend::entering(backend::Opening::listing);
    Result result = api.vkEnumeratePhysicalDevices(api.instance, &count, nullptr);
    std::vector<PhysicalDevice> found(result == constant::success
                                          ? backend::plausible(Backend::vulkan, "vkEnumeratePhysicalDevices",
                                                               "devices", count, 0, backend::most_devices)
                                          : 0);
    if (!found.empty()) {
        result = api.vkEnumeratePhysicalDevices(api.instance, &count, found.data());
        found.resize(result >= 0 ? std::min<std::size_t>(count, found.size()) : 0);
    }
    if (found.empty()) {
        reasons.push_back({BackendProblem::no_device,
                           library +
                               " finds no Vulkan device: " + call_text("vkEnumeratePhysicalDevices", result) +
                               (result == constant::success ? " and no device" : "") + how_to_mend});
    }
    return found;
}

Devices find_devices(const InstanceApi& api, const std::string& library,
                     std::vector<BackendReason>& reasons) {
    Devices devices;
    for (PhysicalDevice one : list_devices(api, library, reasons)) {
        try {
            made("vkEnumeratePhysicalDevices", one);
            if (std::string refused = refusal(api, one); !refused.empty()) {
                reasons.push_back({BackendProblem::device_unsupported, std::move(refused)});
                continue;
            }
            devices.push_back(std::make_unique<VulkanDevice>(api, one));
        } catch (const Error& error) {
            reasons.push_back(
                {BackendProblem::failed, std::string("A Vulkan device is left out: ") + error.what()});
        }
    }
    // Other devices than processors come first: a discrete GPU, then an integrated one.
    const auto order = [](const std::unique_ptr<VulkanDevice>& device) {
        const DeviceInfo& info = device->info();
        return info.kind == DeviceKind::gpu           ? (info.integrated.value_or(true) ? 1 : 0)
               : info.kind == DeviceKind::accelerator ? 2
                                                      : 3;
    };
    std::stable_sort(devices.begin(), devices.end(),
                     [&](const auto& a, const auto& b) { return order(a) < order(b); });
    for (std::size_t i = 0; i < devices.size(); ++i) {
        devices[i]->set_index(static_cast<std::uint32_t>(i));
    }
    return devices;
}

std::unique_ptr<backend::Driver> open_library(const backend::Libraries& libraries,
                                              std::vector<BackendReason>& reasons) {
    constexpr std::array names{"libvulkan.so.1", "libvulkan.so"};
    const backend::Library library =
        backend::Library::open(names, libraries.vulkan, "FERRY_VULKAN_LIBRARY", reasons);
    if (!library) {
        return nullptr;
    }
    auto api = std::make_unique<InstanceApi>();
    if (const auto missing = api->load(library); !missing.empty()) {
        reasons.push_back(
            {BackendProblem::wrong_library,
             library.path() + " is no Vulkan loader of version 1.1 or later: it lacks " + joined(missing)});
        return nullptr;
    }
    std::uint32_t version = 0;
    check(api->vkEnumerateInstanceVersion(&version), "vkEnumerateInstanceVersion");
    if (version < version_1_2) {
        reasons.push_back({BackendProblem::wrong_library, library.path() + " is a Vulkan loader of version " +
                                                              version_text(version) +
                                                              "; Ferry needs Vulkan 1.2 or later"});
        return nullptr;
    }
    if (!create_instance(*api, library.name(), reasons)) {
        return nullptr;
    }
    Devices devices = find_devices(*api, library.name(), reasons);
    if (devices.empty()) {
        return nullptr;
    }
    return std::make_unique<VulkanDriver>(library.text() + ", Vulkan " + version_text(version),
                                          std::move(api), std::move(devices));
}

} // namespace

std::unique_ptr<backend::Driver> open(const backend::Libraries& libraries,
                                      std::vector<BackendReason>& reasons) {
    try {
        return open_library(libraries, reasons);
    } catch (const std::exception& error) {
        reasons.push_back(
            {BackendProblem::failed, std::string("Vulkan could not be opened: ") + error.what()});
        return nullptr;
    }
}

} // namespace ferry::vulkan
