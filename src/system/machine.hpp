// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

// Facts about this machine from the operating system.
namespace ferry::host {

/// "x86_64", "aarch64".
std::string architecture();
/// "Linux 6.1.0".
std::string operating_system();
/// Peak, MHz; 0 if not known.
std::uint32_t clock_mhz();

/// Bytes: the machine's memory, or less if a control group limits this process.
std::uint64_t total_memory();
/// Bytes that can be used without swapping, within the same limits. Empty if not known, for example without
/// /proc: the system call for it excludes memory that the page cache would release.
std::optional<std::uint64_t> free_memory();

/// Number of threads that run work-groups: the processors that this process may use (sched_getaffinity), or
/// fewer if FERRY_HOST_THREADS is set. Read once.
std::uint32_t thread_count();
/// Number of processors that this process may use.
std::uint32_t usable_processors() noexcept;
/// Bytes of memory that this process may lock. Empty if there is no limit.
std::optional<std::uint64_t> lockable_memory() noexcept;
/// Number of processors that the machine can have, with those that are off. Not limited for this process.
std::uint32_t configured_processors() noexcept;
/// The kernel's two words of processor features (AT_HWCAP, AT_HWCAP2).
std::pair<unsigned long, unsigned long> processor_features() noexcept;
/// The processor that runs the calling thread at this moment. -1 if not known.
int current_processor() noexcept;
/// Moves the calling thread to another processor that it may use, if there is one. It may return later.
void leave_processor(int processor) noexcept;
/// The problem of FERRY_HOST_THREADS, as a full sentence.
std::optional<std::string> thread_setting_fault();

} // namespace ferry::host
