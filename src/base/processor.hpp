// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace ferry::host {

/// The processors of a machine.
struct Processor {
    std::string name;   ///< "AMD EPYC 9654", "ARM Neoverse-V2". Empty if not known.
    std::string vendor; ///< "AuthenticAMD", "ARM". Empty if not known.
    /// Differs between two machines if a compiler generates different code for "this processor". For cache
    /// keys. Covers every kind of core, because the cores of an ARM machine may differ.
    std::string identity;
};

/// Read once.
const Processor& processor();

/// The instruction sets in the words AT_HWCAP and AT_HWCAP2 of the kernel.
struct Capabilities {
    std::uint64_t first = 0, second = 0;
};
/// From the text of /proc/cpuinfo and the register MIDR_EL1 of each core, one per line, as far as they are
/// known.
Processor read_processor(std::istream& cpuinfo, std::istream& midr, Capabilities capabilities);

} // namespace ferry::host
