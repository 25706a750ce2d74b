// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "doctor/examine.hpp"
#include "doctor/machine.hpp"
#include "doctor/signals.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

using namespace cli::doctor;
namespace fs = std::filesystem;

namespace {

// Files of a simulated machine. A test makes the files that it needs.
class Files {
public:
    Files() {
        std::string name = (fs::temp_directory_path() / "ferry_doctor_XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        root_ = name;
        machine.root = root_.string() + "/";
        machine.may_open = [](const std::string&) { return true; };
    }
    ~Files() {
        std::error_code ignored;
        fs::remove_all(root_, ignored);
    }
    void add(const std::string& name, const std::string& text) {
        fs::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name) << text << '\n';
    }
    void add_device(const std::string& address, const std::string& vendor, const std::string& kind) {
        add("sys/bus/pci/devices/" + address + "/vendor", vendor);
        add("sys/bus/pci/devices/" + address + "/class", kind);
    }

    Machine machine;

private:
    fs::path root_;
};

} // namespace

TEST_CASE("doctor: hardware is read from the PCI bus, and a network card of the same vendor does not count") {
    Files files;
    CHECK_FALSE(hardware_of(files.machine).nvidia);
    files.add_device("0000:01:00.0", "0x15b3", "0x020000");
    files.add_device("0000:02:00.0", "0x8086", "0x020000");
    CHECK_FALSE(hardware_of(files.machine).intel);
    files.add_device("0000:03:00.0", "0x10de", "0x030200");
    files.add_device("0000:04:00.0", "0x1002", "0x120000");
    CHECK(hardware_of(files.machine).nvidia);
    CHECK(hardware_of(files.machine).amd);
    CHECK_FALSE(hardware_of(files.machine).intel);
}

TEST_CASE("doctor: a device on the bus without a kernel driver") {
    Files files;
    files.add_device("0000:03:00.0", "0x10de", "0x030200");
    files.add("dev/nvidiactl", "");
    files.add("dev/nvidia-uvm", "");
    const Findings findings = check_device_files(files.machine);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].severity == Severity::warning);
    CHECK(findings[0].what == "The PCI bus has a device of NVIDIA, but there is no /dev/nvidia0.");
    CHECK(findings[0].mend == "Install and load the kernel driver of NVIDIA.");
}

TEST_CASE("doctor: a device's own file without the other files that CUDA opens") {
    Files files;
    files.add_device("0000:03:00.0", "0x10de", "0x030200");
    files.add("dev/nvidia0", "");
    files.add("dev/nvidiactl", "");
    Findings findings = check_device_files(files.machine);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].severity == Severity::warning);
    CHECK(findings[0].what.find("no /dev/nvidia-uvm, without which CUDA") != std::string::npos);
    CHECK(findings[0].mend.find("nvidia-modprobe") != std::string::npos);
    files.add(".dockerenv", "");
    CHECK(check_device_files(files.machine)[0].mend.find("--device /dev/nvidia-uvm") != std::string::npos);
    files.add("dev/nvidia-uvm", "");
    findings = check_device_files(files.machine);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].severity == Severity::good);
    files.machine.may_open = [](const std::string& file) {
        return file.find("nvidiactl") == std::string::npos;
    };
    findings = check_device_files(files.machine);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].what.find("may not open /dev/nvidiactl") != std::string::npos);
}

TEST_CASE("doctor: a container that was not given the device") {
    Files files;
    files.add(".dockerenv", "");
    files.add_device("0000:03:00.0", "0x10de", "0x030200");
    REQUIRE(check_device_files(files.machine).size() == 1);
    CHECK(check_device_files(files.machine)[0].mend ==
          "Give the device to the container: start it with --gpus all.");
    files.add_device("0000:04:00.0", "0x1002", "0x030000");
    CHECK(check_device_files(files.machine).size() == 3); // /dev/kfd and /dev/dri of AMD
}

TEST_CASE("doctor: device files that are there and may be opened") {
    Files files;
    CHECK(check_device_files(files.machine).empty());
    files.add_device("0000:04:00.0", "0x1002", "0x030000");
    files.add("dev/kfd", "");
    files.add("dev/dri/renderD128", "");
    const Findings findings = check_device_files(files.machine);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].severity == Severity::good);
}

TEST_CASE("doctor: a user who is not in the group of the device's file") {
    Files files;
    files.add_device("0000:05:00.0", "0x8086", "0x030000");
    files.add("dev/dri/renderD128", "");
    files.machine.may_open = [](const std::string&) { return false; };
    const Findings findings = check_device_files(files.machine);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].what == "This user may not open /dev/dri/renderD128, which drivers of Intel need.");
    CHECK(findings[0].mend.find("Add the user to the group ") == 0);
}

TEST_CASE("doctor: limits of locked memory") {
    Machine machine;
    CHECK(check_locked_memory(machine)[0].severity == Severity::good);
    machine.locked_memory = 64 << 10;
    CHECK(check_locked_memory(machine)[0].severity == Severity::note);
    CHECK(check_locked_memory(machine)[0].what == "A process may lock 64 KiB of memory (ulimit -l).");
    machine.locked_memory = std::uint64_t{8} << 30;
    CHECK(check_locked_memory(machine)[0].mend.empty());
}

TEST_CASE("doctor: an IOMMU that translates, and one in pass-through mode") {
    Files files;
    files.add("sys/kernel/iommu_groups/0/type", "identity");
    CHECK(check_iommu(files.machine)[0].severity == Severity::good);
    files.add("sys/kernel/iommu_groups/1/type", "DMA-FQ");
    files.add("sys/kernel/iommu_groups/2/type", "DMA");
    CHECK(check_iommu(files.machine)[0].severity == Severity::note);
    CHECK(check_iommu(files.machine)[0].what.find("for 2 groups") != std::string::npos);
}

TEST_CASE("doctor: versions of compilers and drivers") {
    CHECK(version_of("13.2").major == 13);
    CHECK(version_of("13.2").minor == 2);
    CHECK(version_of("7").major == 7);
    CHECK(version_of("7").minor == 0);
    CHECK(version_of("").major == 0);
}

TEST_CASE("doctor: a remedy for each reason why a backend does not open") {
    using ferry::Backend;
    using ferry::BackendProblem;
    struct Row {
        Backend backend;
        BackendProblem problem;
        const char* word;
    };
    for (const Row& row : {Row{Backend::cuda, BackendProblem::named_library, "unset it"},
                           Row{Backend::cuda, BackendProblem::no_library, "NVIDIA's driver"},
                           Row{Backend::cuda, BackendProblem::stub_library, "stubs"},
                           Row{Backend::cuda, BackendProblem::wrong_library, "450"},
                           Row{Backend::cuda, BackendProblem::no_device, "nvidia-smi"},
                           Row{Backend::cuda, BackendProblem::failed, "reinstall"},
                           Row{Backend::cuda, BackendProblem::not_selected, "FERRY_BACKEND"},
                           Row{Backend::hip, BackendProblem::no_device, "rocminfo"},
                           Row{Backend::hip, BackendProblem::wrong_library, "ROCm"},
                           Row{Backend::hip, BackendProblem::unsound_library, "reinstall"},
                           Row{Backend::hip, BackendProblem::untested_library, "FERRY_PROBE"},
                           Row{Backend::opencl, BackendProblem::no_device, "Install a driver"},
                           Row{Backend::opencl, BackendProblem::empty_platform, "variable"},
                           Row{Backend::opencl, BackendProblem::missing_driver, "remove the file"},
                           Row{Backend::opencl, BackendProblem::device_unsupported, "newest driver"},
                           Row{Backend::opencl, BackendProblem::device_unavailable, "another program"},
                           Row{Backend::opencl, BackendProblem::invalid_setting, "unset it"},
                           Row{Backend::vulkan, BackendProblem::no_device, "vulkaninfo"},
                           Row{Backend::host, BackendProblem::invalid_setting, "value"}}) {
        const std::string mend = mend_of_backend(row.backend, row.problem);
        INFO(to_string(row.backend), " ", to_string(row.problem), "\n", mend);
        CHECK(mend.find(row.word) != std::string::npos);
        CHECK(mend.back() == '.');
    }
}

TEST_CASE("doctor: a report survives its way from one process to another, however it is cut, up to its end") {
    std::ostringstream text;
    Reporter reporter(text);
    const Finding bad{Severity::problem, "kernel", "hip:0", "A \"quoted\"\nline \xff.", "Mend it."};
    reporter.device("hip:0");
    reporter.device("hip:1");
    reporter.step("hip:0", "kernel");
    reporter.findings({bad, {Severity::good, "cache", "machine", "Well.", ""}});
    reporter.finished("hip:0");
    reporter.step("hip:1", "memory");
    const std::string whole = "a driver's words\n[1, 2]\n{\"finding\": {\"severity\": 7}}\n" + text.str();
    for (std::size_t piece = 1; piece < 40; ++piece) {
        Report report;
        for (std::size_t at = 0; at < whole.size(); at += piece) {
            report.take(std::string_view(whole).substr(at, piece));
        }
        REQUIRE(report.findings.size() == 2);
        CHECK(report.findings[0].severity == Severity::problem);
        CHECK(report.findings[0].what.find("\"quoted\"\nline") != std::string::npos);
        CHECK(report.findings[0].mend == "Mend it.");
        CHECK(report.findings[1].mend.empty());
        CHECK(report.unfinished == std::vector<std::string>{"hip:1"});
        CHECK(report.subject == "hip:1");
        CHECK(report.check == "memory");
        CHECK_FALSE(report.done);
        CHECK_FALSE(report.refusal);
        text.str("");
        reporter.refused("No.");
        reporter.done();
        report.take(text.str());
        CHECK(report.done);
        CHECK(report.refusal == "No.");
    }
}

TEST_CASE("doctor: signal handlers that are installed between two times are named, with their file") {
    const SignalHandlers before;
    CHECK(before.changes("cuda").empty());
    struct sigaction old {};
    struct sigaction action {};
    action.sa_handler = [](int) {};
    sigaction(SIGUSR1, &action, &old);
    const Findings found = before.changes("cuda");
    sigaction(SIGUSR1, &old, nullptr);
    REQUIRE(found.size() == 1);
    CHECK(found[0].subject == "cuda");
    CHECK(found[0].what.find("SIGUSR1 (") != std::string::npos);
    CHECK(found[0].what.find("ferry_doctor_test") != std::string::npos);
}
