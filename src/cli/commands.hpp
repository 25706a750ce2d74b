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

/// Exit status of the process, as documented in docs/cli.md.
enum Status : int { found = 0, none = 1, refused = 2 };

/// The contents of `list` and `info`: the backends' reports and the devices of the default list.
struct Survey {
    std::vector<ferry::BackendReport> backends;
    std::vector<ferry::Device> devices;
    /// The device of a program that selects none. Empty if FERRY_DEVICE names a device that does not exist.
    std::optional<ferry::Device> chosen;
    /// The reason why `devices` or `chosen` is empty.
    std::optional<ferry::Error> problem;
    Status status = found;
};

inline constexpr std::array memory_kinds{ferry::MemoryKind::device, ferry::MemoryKind::host,
                                         ferry::MemoryKind::shared, ferry::MemoryKind::imported};

/// Advice for systems that refuse page-locked memory.
inline constexpr const char* mend_locked_memory =
    "Raise the limit of locked memory (ulimit -l unlimited; in a container --ulimit memlock=-1), and see "
    "whether memory is left.";

/// Throws ferry::Error (invalid_argument) if FERRY_BACKEND is invalid.
Survey survey();

Status list(bool json);
/// With an empty selector, prints all devices and the backends.
Status info(const std::string& selector, bool json);
/// Makes the page-locked slots of a device and prints their description as JSON. For tried_staging().
Status staging(const std::string& selector);
/// staging_info() once the slots were made. A child process makes them, because a driver may hang there. Sets
/// `problem` if the child failed or ran out of time.
ferry::StagingInfo tried_staging(const ferry::Device& device, std::string& problem);
/// Returns `none` if the cache cannot be used, or could not be cleared completely.
Status show_cache(bool json);
Status clear_cache(bool json);

struct CompileCommand {
    std::string file;
    ferry::CompileRequest request;
    std::string emit; ///< A folder for translations and binaries. Empty: none.
    bool json = false;
    bool here = false;  ///< Compile in this process.
    std::string target; ///< "check", "spirv" or "vulkan". Empty: the compilers of the backends.
};
/// Returns Status::found if every available compiler accepted the file.
Status compile(const CompileCommand& request);
/// Returns Status::found if the file has no error.
Status check(const CompileCommand& command);
/// Writes a SPIR-V module. Returns Status::found if it contains every kernel of the file.
Status compile_spirv(const CompileCommand& command);
/// Creates a folder if it does not exist. Throws std::runtime_error if that fails. Empty: the current folder.
void make_folder(const std::string& folder);
/// Summarises a file written with FERRY_TRACE.
Status trace(const std::string& file, bool json);
/// Names, arguments, registers and local memory of kernels.
nlohmann::ordered_json kernels_json(const std::vector<ferry::KernelInfo>& kernels);

struct BenchCommand {
    std::vector<std::string> devices; ///< Selectors. Empty: every device of the list.
    std::string filter;               ///< A part of a measurement's name.
    std::string plot;                 ///< A folder for plots. Empty: none.
    std::size_t largest = 0;          ///< In bytes. 0: the default of the device.
    int pairs = 0;                    ///< Samples of each side. 0: the default.
    bool quick = false;
    bool page_locked = false; ///< For `bench placement`: share() gets page-locked memory.
    bool json = false;
};
struct DoctorCommand {
    std::string device;                   ///< A selector. Empty: the machine and every backend.
    std::vector<ferry::Backend> backends; ///< The backends in FERRY_BACKEND. Empty: it is not set.
    /// Examine it in this process. Used for the child processes of doctor.
    std::optional<ferry::Backend> examine;
    bool expected = false;       ///< The backend must be available; otherwise that is a finding.
    bool examine_device = false; ///< Examine `device` in this process.
    bool examine_choice = false; ///< Examine the device chosen by FERRY_DEVICE in this process.
    int seconds = 10;            ///< Time limit without an answer.
    bool json = false;
};
/// Returns `none` if a finding prevents use.
Status doctor_command(const DoctorCommand& command);

/// Returns Status::refused if a device failed or a result was wrong.
Status bench(const BenchCommand& command);
Status list_measurements();
/// Compares the placement chosen by share() with each forced placement. Uses devices, plot, largest, pairs,
/// quick, json and page_locked.
Status bench_placement(const BenchCommand& command);

} // namespace cli
