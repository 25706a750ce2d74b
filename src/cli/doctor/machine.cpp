// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include "system/files.hpp"
#include "system/machine.hpp"
#include "text.hpp"

#include <ferry/cache.hpp>
#include <ferry/settings.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace cli::doctor {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

std::vector<fs::path> entries(const fs::path& folder) {
    std::vector<fs::path> list;
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
        list.push_back(at->path());
    }
    std::sort(list.begin(), list.end());
    return list;
}

std::string group_of(const fs::path& file) {
    const auto status = ferry::detail::status_at(file.string());
    return status ? ferry::detail::group_name(status->group) : "";
}

bool in_container(const Machine& machine) {
    return fs::exists(fs::path(machine.root) / ".dockerenv") ||
           fs::exists(fs::path(machine.root) / "run/.containerenv");
}

// Access to one of the files is sufficient.
void check_files(const Machine& machine, Findings& findings, const char* vendor, const std::string& named,
                 const std::vector<fs::path>& files, const char* container_option) {
    if (files.empty()) {
        const bool inside = in_container(machine);
        findings.push_back(
            {Severity::warning, "device files", "machine",
             std::string("The PCI bus has a device of ") + vendor + ", but there is no " + named + ".",
             inside ? std::string("Give the device to the container: start it with ") + container_option + "."
                    : std::string("Install and load the kernel driver of ") + vendor + "."});
        return;
    }
    for (const fs::path& file : files) {
        if (machine.may_open(file.string())) {
            return;
        }
    }
    const std::string path = "/" + files.front().lexically_relative(machine.root).string();
    findings.push_back({Severity::warning, "device files", "machine",
                        "This user may not open " + path + ", which drivers of " + vendor + " need.",
                        "Add the user to the group " + group_of(files.front()) +
                            " and log in again, or change the file's access rights."});
}

// Files that CUDA opens in addition to the device file. Kernel modules create them when they are loaded or
// first used.
void check_nvidia_helpers(const Machine& machine, Findings& findings) {
    for (const char* name : {"nvidiactl", "nvidia-uvm"}) {
        const fs::path file = fs::path(machine.root) / "dev" / name;
        const std::string path = std::string("/dev/") + name;
        if (!fs::exists(file)) {
            findings.push_back(
                {Severity::warning, "device files", "machine",
                 "There is /dev/nvidia0 but no " + path + ", without which CUDA does not start.",
                 in_container(machine)
                     ? "Give it to the container as well: start it with --gpus all, or with --device " +
                           path + "."
                     : "Run nvidia-modprobe -u -c 0 as root, which loads the module and creates the file."});
        } else if (!machine.may_open(file.string())) {
            findings.push_back({Severity::warning, "device files", "machine",
                                "This user may not open " + path + ", without which CUDA does not start.",
                                "Give all users access: chmod a+rw " + path + ", as NVIDIA's driver does."});
        }
    }
}

std::vector<fs::path> matching(const fs::path& folder, std::string_view start) {
    std::vector<fs::path> list = entries(folder);
    std::erase_if(list, [&](const fs::path& file) {
        const std::string name = file.filename().string();
        return name.rfind(start, 0) != 0 || name.size() == start.size() ||
               name.find_first_not_of("0123456789", start.size()) != std::string::npos;
    });
    return list;
}

} // namespace

Machine Machine::present() {
    Machine machine;
    machine.locked_memory = ferry::host::lockable_memory();
    machine.may_open = [](const std::string& file) {
        return ferry::detail::may_access(file, ferry::detail::FileAccess::read_and_write);
    };
    return machine;
}

Hardware hardware_of(const Machine& machine) {
    Hardware hardware;
    for (const fs::path& device : entries(fs::path(machine.root) / "sys/bus/pci/devices")) {
        const std::string kind = first_line(device / "class").substr(0, 4);
        if (kind != "0x03" && kind != "0x12") { // Neither a display controller nor an accelerator.
            continue;
        }
        const std::string vendor = first_line(device / "vendor");
        hardware.nvidia = hardware.nvidia || vendor == "0x10de";
        hardware.amd = hardware.amd || vendor == "0x1002";
        hardware.intel = hardware.intel || vendor == "0x8086";
    }
    return hardware;
}

Findings check_device_files(const Machine& machine) {
    Findings findings;
    const Hardware hardware = hardware_of(machine);
    const fs::path dev = fs::path(machine.root) / "dev";
    if (hardware.nvidia) {
        check_files(machine, findings, "NVIDIA", "/dev/nvidia0", matching(dev, "nvidia"), "--gpus all");
        if (findings.empty()) {
            check_nvidia_helpers(machine, findings);
        }
    }
    if (hardware.amd) {
        const std::vector<fs::path> kfd =
            fs::exists(dev / "kfd") ? std::vector{dev / "kfd"} : std::vector<fs::path>{};
        check_files(machine, findings, "AMD", "/dev/kfd", kfd, "--device /dev/kfd --device /dev/dri");
    }
    if (hardware.amd || hardware.intel) {
        check_files(machine, findings, hardware.amd ? "AMD" : "Intel", "/dev/dri/renderD128",
                    matching(dev / "dri", "renderD"), "--device /dev/dri");
    }
    if (findings.empty() && (hardware.nvidia || hardware.amd || hardware.intel)) {
        findings.push_back(
            {Severity::good, "device files", "machine", "The devices' files can be opened.", ""});
    }
    return findings;
}

Findings check_locked_memory(const Machine& machine) {
    constexpr std::uint64_t little = std::uint64_t{64} << 20;
    if (!machine.locked_memory) {
        return {{Severity::good, "memlock", "machine", "A process may lock any amount of memory.", ""}};
    }
    const bool few = *machine.locked_memory < little;
    return {{few ? Severity::note : Severity::good, "memlock", "machine",
             "A process may lock " + bytes_text(*machine.locked_memory) + " of memory (ulimit -l).",
             few ? "If page-locked memory is refused, raise the limit: ulimit -l unlimited, or memlock in "
                   "/etc/security/limits.conf; in a container --ulimit memlock=-1."
                 : ""}};
}

Findings check_iommu(const Machine& machine) {
    std::size_t translating = 0;
    for (const fs::path& group : entries(fs::path(machine.root) / "sys/kernel/iommu_groups")) {
        translating += first_line(group / "type").rfind("DMA", 0) == 0;
    }
    if (translating == 0) {
        return {
            {Severity::good, "iommu", "machine", "No IOMMU translates the addresses used by devices.", ""}};
    }
    return {{Severity::note, "iommu", "machine",
             "An IOMMU translates addresses for " + std::to_string(translating) +
                 " groups of devices: copies between devices may go through the host, and page-locking "
                 "takes longer.",
             "If that is too slow, boot with iommu=pt."}};
}

Findings check_cache() {
    const ferry::CacheReport report = ferry::cache_report();
    std::size_t damaged = 0;
    for (const ferry::CacheEntry& entry : report.entries) {
        damaged += entry.damaged;
    }
    if (!report.usable) {
        return {{Severity::warning, "cache", "machine",
                 report.note.empty() ? "Compiled kernels cannot be stored on disk." : report.note,
                 "Every process compiles and measures again. Set FERRY_CACHE_DIR to a directory that this "
                 "user, and only this user, may write to."}};
    }
    if (damaged != 0) {
        return {{Severity::note, "cache", "machine",
                 std::to_string(damaged) + " of the " + std::to_string(report.entries.size()) +
                     " entries in " + report.directory + " are damaged; they are not used.",
                 "Run ferry cache clear, and check the disk if it happens again."}};
    }
    return {{Severity::good, "cache", "machine",
             std::to_string(report.entries.size()) + " compiled kernels and measurements are kept in " +
                 report.directory + ".",
             ""}};
}

Findings check_variables() {
    Findings findings;
    for (const std::string& note : ferry::unknown_variables()) {
        findings.push_back({Severity::warning, "variables", "machine",
                            note + (note.ends_with('?') ? "" : "."),
                            "Correct the name, or unset the variable (docs/environment.md has all names)."});
    }
    return findings;
}

} // namespace cli::doctor
