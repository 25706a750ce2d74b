// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

#include <array>
#include <functional>
#include <string>

namespace ferry::backend {

/// A run-time compiler that is opened without its driver. It works on machines without the device.
struct OfflineCompiler {
    Backend backend{};
    translate::Dialect dialect{};
    bool available = false;
    std::string note;         ///< The compiler, or the reason why there is none.
    std::string architecture; ///< Default target architecture.
    std::string machine;      ///< Default target for machine code. Empty: there is none.

    struct Code {
        Language language{};
        std::string bytes;
        std::string log;
        std::vector<KernelInfo> kernels{}; ///< By symbol: registers and local memory, if known.
    };
    /// Throws Error (build_failed) with a log in terms of the user's text.
    std::function<Code(const translate::Translation&, const std::string& name, const BuildOptions&,
                       const std::string& architecture)>
        compile;
};

/// The backends that have such a compiler.
inline constexpr std::array offline_backends{Backend::cuda, Backend::hip, Backend::host};

/// NVRTC, hipRTC or the system's C++ compiler.
OfflineCompiler offline_compiler(Backend backend, const Libraries& libraries);

} // namespace ferry::backend
