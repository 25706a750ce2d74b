// SPDX-License-Identifier: Apache-2.0
#include "limits.hpp"

#include "system/shared_library.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

namespace bench {

namespace {

struct Link {
    double gigatransfers = 0;
    int lanes = 0;
};

std::optional<Link> link_of_kernel(const std::string& address) {
    const std::filesystem::path folder = "/sys/bus/pci/devices/" + address;
    Link link;
    std::ifstream(folder / "current_link_speed") >> link.gigatransfers; // "32.0 GT/s PCIe"
    std::ifstream(folder / "current_link_width") >> link.lanes;
    // A virtual machine may hide the link of a device. It then reports width 0, or 63 and 255 for "unknown".
    const bool sound = link.gigatransfers > 0 && link.lanes >= 1 && link.lanes <= 32;
    return sound ? std::optional(link) : std::nullopt;
}

// NVIDIA's management library may know the link if the kernel does not report it, as in containers and
// virtual machines.
std::optional<Link> link_of_nvml(const std::string& address) {
    std::string problem; // Without the library, the link is not known.
    void* const library = ferry::detail::open_library("libnvidia-ml.so.1", problem);
    if (library == nullptr) {
        return std::nullopt;
    }
    const auto find = [&]<class Function>(const char* name, Function*& function) {
        function = reinterpret_cast<Function*>(ferry::detail::symbol_of(library, name));
        return function != nullptr;
    };
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*by_address)(const char*, void**) = nullptr;
    int (*generation)(void*, unsigned*) = nullptr;
    int (*width)(void*, unsigned*) = nullptr;
    if (!find("nvmlInit_v2", init) || !find("nvmlShutdown", shutdown) ||
        !find("nvmlDeviceGetHandleByPciBusId_v2", by_address) ||
        !find("nvmlDeviceGetCurrPcieLinkGeneration", generation) ||
        !find("nvmlDeviceGetCurrPcieLinkWidth", width) || init() != 0) {
        return std::nullopt;
    }
    constexpr double speeds[] = {0, 2.5, 5, 8, 16, 32, 64};
    void* device = nullptr;
    unsigned number = 0;
    unsigned lanes = 0;
    std::optional<Link> link;
    if (by_address(address.c_str(), &device) == 0 && generation(device, &number) == 0 &&
        width(device, &lanes) == 0 && number >= 1 && number <= 6 && lanes >= 1) {
        link = Link{speeds[number], static_cast<int>(lanes)};
    }
    shutdown();
    return link;
}

} // namespace

double pcie_bandwidth(double gigatransfers, int lanes) {
    const double code = gigatransfers < 6 ? 8.0 / 10 : gigatransfers < 60 ? 128.0 / 130 : 242.0 / 256;
    return gigatransfers * 1e9 * code * lanes / 8;
}

Limits::Limits(const ferry::Device& device, Subject* raw) : pci_address_(device.info().pci_address) {
    if (raw != nullptr) {
        raw->enter();
        memory_ = raw->memory_bandwidth().value_or(0);
        raw->leave();
    }
    look();
}

void Limits::look() {
    if (pci_address_.empty()) {
        return;
    }
    std::optional<Link> link = link_of_kernel(pci_address_);
    if (!link) {
        link = link_of_nvml(pci_address_);
    }
    if (!link) {
        return;
    }
    if (const double bandwidth = pcie_bandwidth(link->gigatransfers, link->lanes); bandwidth > link_) {
        char text[64];
        std::snprintf(text, sizeof text, "PCIe %g GT/s x%d", link->gigatransfers, link->lanes);
        link_ = bandwidth;
        link_text_ = text;
    }
}

double Limits::step(const Measurement& what, std::size_t bytes) const {
    const double bandwidth = what.bound == Bound::link ? link_ : what.bound == Bound::memory ? memory_ : 0;
    return bandwidth > 0 ? static_cast<double>(bytes) * what.traffic / bandwidth * 1e9 : 0;
}

} // namespace bench
