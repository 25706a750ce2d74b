// SPDX-License-Identifier: Apache-2.0
#include "probe/probe_key.hpp"

#include "base/decimal.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"
#include "child/message.hpp"
#include "system/environment.hpp"
#include "system/file_stamp.hpp"
#include "system/shared_library.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace ferry::detail::probe {
namespace {

// The first letters of the variables that loaders, drivers and the stand-ins of the tests read.
constexpr std::array prefixes{
    "AMD_",   "CL_",     "CUDA_",          "DPCPP_", "FERRY_DOUBLE_", "GALLIUM_", "GPU_",  "HIP_",
    "HSA_",   "IGC_",    "INTEL_",         "LD_",    "LP_",           "MESA_",    "NEO",   "NVIDIA_",
    "OCL_",   "OPENCL_", "POCL_",          "ROCR_",  "ROCM_",         "RUSTICL_", "SYCL_", "ZE_",
    "RADEON", "DRI_",    "GLIBC_TUNABLES", "VK_"};

std::string variables_of_drivers() {
    std::vector<std::string> found;
    for (std::string& text : environment()) {
        if (std::any_of(prefixes.begin(), prefixes.end(),
                        [&](const char* prefix) { return text.starts_with(prefix); })) {
            found.push_back(std::move(text));
        }
    }
    std::sort(found.begin(), found.end());
    std::string all;
    for (const std::string& one : found) {
        all += one + '\n';
    }
    return all;
}

const Setting& compiler_of(const backend::Libraries& libraries, Backend backend) {
    return backend == Backend::cuda ? libraries.nvrtc : libraries.hiprtc;
}

const Setting& library_of(const backend::Libraries& libraries, Subject subject) {
    return subject.part == Part::compiler       ? compiler_of(libraries, subject.backend)
           : subject.backend == Backend::cuda   ? libraries.cuda
           : subject.backend == Backend::hip    ? libraries.hip
           : subject.backend == Backend::vulkan ? libraries.vulkan
                                                : libraries.opencl;
}

std::string search_path() {
    std::string all = stamp_of("/etc/ld.so.cache");
    const char* const folders = ::secure_getenv("LD_LIBRARY_PATH");
    for (const std::string& folder : split(folders != nullptr ? folders : "", ':')) {
        all += '\n' + (folder.empty() ? std::string() : stamp_of(folder));
    }
    return all;
}

std::optional<BackendProblem> problem_from(std::string_view name) {
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(BackendProblem::device_unsupported); ++i) {
        if (const auto problem = static_cast<BackendProblem>(i); to_string(problem) == name) {
            return problem;
        }
    }
    return std::nullopt;
}

/// How long a library counts as too slow: the machine may have been busy.
constexpr long long late_seconds = 600;

long long now_in_seconds() {
    using std::chrono::system_clock;
    return std::chrono::duration_cast<std::chrono::seconds>(system_clock::now().time_since_epoch()).count();
}

} // namespace

std::string loaded_library(Subject subject) {
    constexpr std::array<std::string_view, 4> drivers{"libcuda.so", "libamdhip64.so", "libOpenCL.so",
                                                      "libvulkan.so"};
    constexpr std::array<std::string_view, 2> compilers{"libnvrtc.so", "libhiprtc.so"};
    const auto index = static_cast<std::size_t>(subject.backend);
    const std::string_view name = subject.part == Part::compiler ? compilers.at(index) : drivers.at(index);
    for (std::string& path : loaded_files()) {
        if (path.substr(path.rfind('/') + 1).starts_with(name)) {
            return std::move(path);
        }
    }
    return {};
}

cache::Key key_of(Subject subject, const std::string& loaded) {
    const backend::Libraries libraries = library_settings();
    cache::Key key;
    key.add("tested", to_text(subject))
        .add("form", 3)
        .add("boot", beginning_of("/proc/sys/kernel/random/boot_id"))
        .add("kernel driver",
             beginning_of("/sys/module/nvidia/version") + beginning_of("/sys/module/amdgpu/srcversion"))
        .add("library", library_of(libraries, subject).value)
        .add("stamp", stamp_of(library_of(libraries, subject).value))
        .add("loaded", loaded)
        .add("search", search_path())
        .add("variables", variables_of_drivers());
    if (subject.backend == Backend::vulkan) {
        for (const char* const folder : {"/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d"}) {
            key.add("drivers", stamp_of(folder)); // Their manifests. The verdict has the libraries.
        }
    } else if (subject.backend != Backend::opencl) {
        key.add("compiler", compiler_of(libraries, subject.backend).value);
    } else {
        for (const Icd& icd : installed_icds()) {
            key.add("icd", icd.source + '\n' + icd.library);
        }
    }
    return key;
}

std::string to_text(const Verdict& verdict, std::chrono::milliseconds late_under) {
    std::string text = (verdict.usable ? "usable " : "unusable ") + std::to_string(late_under.count()) + ' ' +
                       std::to_string(now_in_seconds()) + '\n';
    const auto add = [&](const char* word, std::string line) {
        std::replace(line.begin(), line.end(), '\n', ' ');
        text += word + line + '\n';
    };
    for (const BackendReason& reason : verdict.reasons) {
        add("reason ", std::string(to_string(reason.problem)) + ' ' + reason.text);
    }
    for (const Icd& icd : verdict.icds) {
        add("source ", icd.source);
        add("icd ", icd.library);
    }
    for (const std::string& file : verdict.files) {
        add("file ", file);
    }
    return text;
}

std::optional<Verdict> verdict_from(std::string_view text, std::chrono::milliseconds limit) {
    Verdict verdict;
    std::string_view first = child_run::next_part(text, '\n');
    const std::string_view word = child_run::next_part(first, ' ');
    const auto late_under = parse_number<long long>(child_run::next_part(first, ' '));
    const auto when = parse_number<long long>(first);
    if ((word != "usable" && word != "unusable") || !late_under || !when) {
        return std::nullopt;
    }
    const long long age = now_in_seconds() - *when;
    if (*late_under != 0 && (*late_under < limit.count() || age < 0 || age >= late_seconds)) {
        return std::nullopt;
    }
    verdict.usable = word == "usable";
    std::string source;
    while (!text.empty()) {
        std::string_view line = child_run::next_part(text, '\n');
        const std::string_view kind = child_run::next_part(line, ' ');
        if (kind == "reason") {
            const auto problem = problem_from(child_run::next_part(line, ' '));
            if (!problem) {
                return std::nullopt;
            }
            verdict.reasons.push_back({*problem, std::string(line)});
        } else if (kind == "source") {
            source = line;
        } else if (kind == "icd") {
            verdict.icds.push_back({std::string(line), source});
        } else if (kind == "file" && is_current(line)) {
            verdict.files.emplace_back(line);
        } else {
            return std::nullopt;
        }
    }
    return verdict;
}

} // namespace ferry::detail::probe
