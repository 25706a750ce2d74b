// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache/cache_key.hpp"
#include "opencl_program.hpp"

#include <memory>
#include <optional>
#include <string>

namespace ferry::opencl {

/// The place of one program in the cache on disk: its text, options, device and driver. Nothing is kept of a
/// program for which the driver reads files that Ferry does not see (#include), nor where the driver keeps
/// programs itself.
class ProgramEntry {
public:
    ProgramEntry(OpenclDevice& device, const std::string& text, const std::string& options);

    /// The program, built from the driver's own machine code. Null if there is none, or if the driver refuses
    /// it or finds other kernels in it.
    std::unique_ptr<OpenclProgram> load();
    /// Keeps a program that was built from source after load() gave none. One that the driver did not take
    /// back is marked as not worth another try.
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
