// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

// What the operating system says of this machine.
namespace ferry::host {

/// "x86_64", "aarch64"
std::string architecture();
/// "Linux 6.1.0"
std::string operating_system();
/// Peak, MHz; 0 if not known.
std::uint32_t clock_mhz();

/// Bytes: the machine's memory, or less where a control group limits this process.
std::uint64_t total_memory();
/// Bytes that can be used without swapping, within the same limits; nothing if that is not known, as without
/// /proc: the system call for it leaves out what the page cache would give back.
std::optional<std::uint64_t> free_memory();

/// How many threads run work-groups: the processors this process may use (sched_getaffinity), or fewer where
/// FERRY_HOST_THREADS says so. Read once.
std::uint32_t thread_count();
/// The processor that runs the calling thread this moment; -1 if that is not known.
int current_processor() noexcept;
/// Moves the calling thread to another processor that it may use, if there is one. It may come back.
void leave_processor(int processor) noexcept;
/// What is wrong with FERRY_HOST_THREADS, as a full sentence.
std::optional<std::string> thread_setting_fault();

} // namespace ferry::host
