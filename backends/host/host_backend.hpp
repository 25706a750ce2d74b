// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "hal/offline.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// The processor that runs this program, as a device. It needs no library, so it is always available.
namespace ferry::host {

/// Makes the device of FERRY_HOST_MODE=strict (backends/strict).
using MakeStrict = std::unique_ptr<backend::Device> (*)(std::uint64_t seed);

/// Null, with a reason, only if FERRY_HOST_THREADS, FERRY_HOST_MODE or FERRY_HOST_SEED has an invalid value.
std::unique_ptr<backend::Driver> open(const backend::Libraries& settings, std::vector<BackendReason>& reasons,
                                      MakeStrict make_strict);

/// For the exit handler of the process, on any thread. After this call commands are dropped instead of run: a
/// launch stops after the work-groups in progress, and waits end. Returns once no kernel function and no copy
/// is running; one that runs for more than two seconds is abandoned. Never joins a thread.
void stop_at_exit() noexcept;

/// The system's C++ compiler, for this processor.
backend::OfflineCompiler offline_compiler();

} // namespace ferry::host
