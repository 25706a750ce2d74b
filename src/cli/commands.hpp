// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/// What the process ends with; docs/cli.md promises these.
enum Status : int { found = 0, none = 1, refused = 2 };

/// What list and info show: the backends' reports and the devices of the default list.
struct Survey {
    std::vector<ferry::BackendReport> backends;
    std::vector<ferry::Device> devices;
    /// The device that a program gets which names none; empty if FERRY_DEVICE names one that is not there.
    std::optional<ferry::Device> chosen;
    /// Why `devices` or `chosen` is empty.
    std::optional<ferry::Error> problem;
    Status status = found;
};

inline constexpr std::array memory_kinds{ferry::MemoryKind::device, ferry::MemoryKind::host,
                                         ferry::MemoryKind::shared, ferry::MemoryKind::imported};

/// What to do where the system refuses page-locked memory.
inline constexpr const char* mend_locked_memory =
    "Raise the limit of locked memory (ulimit -l unlimited; in a container --ulimit memlock=-1), and see "
    "whether memory is left.";

/// Throws ferry::Error (invalid_argument) if FERRY_BACKEND is not understood.
Survey survey();

Status list(bool json);
/// An empty selector: every device, and the backends.
Status info(const std::string& selector, bool json);
/// Status `none` if the cache cannot be used, or not all of it could be cleared.
Status show_cache(bool json);
Status clear_cache(bool json);

struct CompileCommand {
    std::string file;
    ferry::CompileRequest request;
    std::string emit; ///< a folder for translations and binaries; empty: none
    bool json = false;
    bool here = false;  ///< in this process
    std::string target; ///< "check", "spirv"; empty: the backends' compilers
};
/// Status::found if every compiler there is took the file.
Status compile(const CompileCommand& request);
/// Status::found if the file has no error.
Status check(const CompileCommand& request);
/// Writes a SPIR-V module. Status::found if it has every kernel of the file.
Status compile_spirv(const CompileCommand& request);
/// Throws std::runtime_error if there is no such folder and it cannot be made. Empty: the current one.
void make_folder(const std::string& folder);
/// Summarises a file that FERRY_TRACE has written.
Status trace(const std::string& file, bool json);
/// Names, arguments, registers and local memory of kernels.
nlohmann::ordered_json kernels_json(const std::vector<ferry::KernelInfo>& kernels);

struct BenchCommand {
    std::vector<std::string> devices; ///< selectors; empty: every device of the list
    std::string filter;               ///< part of a measurement's name
    std::string plot;                 ///< a folder for plots; empty: none
    std::size_t largest = 0;          ///< bytes; 0: the default of the device
    int pairs = 0;                    ///< samples of each side; 0: the default
    bool quick = false;
    bool page_locked = false; ///< of `bench placement`: share() of memory that is page-locked already
    bool json = false;
};
struct DoctorCommand {
    std::string device;                    ///< a selector; empty: the machine and every backend
    std::vector<ferry::Backend> backends;  ///< those that FERRY_BACKEND names; empty: it names none
    std::optional<ferry::Backend> examine; ///< in this process, as the parts of doctor run
    bool expected = false;                 ///< the backend to examine is wrong if it is not available
    bool examine_device = false;           ///< `device`, in this process
    bool examine_choice = false;           ///< what FERRY_DEVICE comes to, in this process
    int seconds = 10;                      ///< without an answer
    bool json = false;
};
/// Status `none` if a finding stops use.
Status doctor_command(const DoctorCommand& command);

/// Status::refused if a device failed or a result was wrong.
Status bench(const BenchCommand& command);
Status list_measurements();
/// What share() chooses, against each placement forced. Uses devices, plot, largest, pairs, quick and json.
Status bench_placement(const BenchCommand& command);

} // namespace cli
