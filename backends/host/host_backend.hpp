// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"
#include "offline.hpp"

#include <memory>
#include <string>
#include <vector>

// The processor this program runs on, as a device. Needs no library, so it is always there; it is also the
// backend to read first and to copy for a new one (README.md in this folder).
namespace ferry::host {

/// Null, with a reason, only if FERRY_HOST_THREADS, FERRY_HOST_MODE or FERRY_HOST_SEED holds something that
/// they do not take.
std::unique_ptr<backend::Driver> open(const backend::Libraries& settings, std::vector<std::string>& reasons);

/// For the process's exit handler, on any thread. From the call on, commands are dropped instead of run: a
/// launch stops after the work-groups in hand, waits come to an end. Returns once no kernel function and no
/// copy runs any more; one that goes on for more than two seconds is left behind. Never joins a thread.
void stop_at_exit() noexcept;

/// The system's C++ compiler, for this processor.
backend::OfflineCompiler offline_compiler();

} // namespace ferry::host
