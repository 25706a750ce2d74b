// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache/cache_key.hpp"
#include "opencl_program.hpp"

#include <memory>
#include <optional>
#include <string>

namespace ferry::opencl {

/// The entry of one program in the cache on disk: its source, options, device and driver. A program is not
/// stored if the driver reads files that Ferry does not see (#include), or if the driver has its own cache.
class ProgramEntry {
public:
    ProgramEntry(OpenclDevice& device, const std::string& text, const std::string& options);

    /// The program, built from the driver's own machine code. Null if there is none, or if the driver rejects
    /// it or finds other kernels in it.
    std::unique_ptr<OpenclProgram> load();
    /// Stores a program that was built from source because load() returned none. If the driver does not
    /// accept the stored code, the entry is marked so that it is not tried again.
    void store(OpenclProgram& program);

private:
    enum class Found { nothing, useless, marked };

    OpenclDevice& device_;
    std::string text_;
    std::string options_;
    std::optional<cache::Key> key_;
    Found found_ = Found::nothing;
};

} // namespace ferry::opencl
