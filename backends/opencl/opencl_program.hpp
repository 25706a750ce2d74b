// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/backend.hpp"
#include "opencl_api.hpp"
#include "opencl_notes.hpp"

#include <string_view>

namespace ferry::opencl {

class OpenclDevice;

class OpenclProgram final : public backend::Program {
public:
    /// Takes over the program. `text` is what it was made from, its options included.
    OpenclProgram(OpenclDevice& device, cl_program program, std::string text)
        : device_(device), program_(program), text_(std::move(text)) {}
    ~OpenclProgram() override;

    /// Compiles or links; throws build_failed with the log.
    void build(const std::string& options);
    bool has_kernels() const;

    std::unique_ptr<backend::Kernel> kernel(const std::string& name) override;
    std::vector<std::string> kernel_names() override;
    const std::string& log() const override { return log_; }
    std::vector<std::byte> binary() override;

    /// The driver's binary, without what binary() puts around it. Empty if there is none.
    std::string payload();
    /// What the driver, or the notes that Ferry has, tell of each kernel's parameters; of a parameter of
    /// which nothing is known the type and name are empty.
    KernelNotes notes();
    /// Serve where the driver tells nothing.
    void set_notes(KernelNotes notes) { notes_ = std::move(notes); }

private:
    /// Null if there is none of that name.
    cl_kernel create_kernel(const std::string& name);

    OpenclDevice& device_;
    cl_program program_;
    std::string text_;
    std::string log_;
    KernelNotes notes_; // only where the driver cannot tell
};

inline constexpr std::string_view argument_info = "-cl-kernel-arg-info";

/// Not built yet. Throws Error if the driver does not take it.
cl_program create_from_binary(OpenclDevice& device, std::string_view payload);

backend::Fit fit_source(const OpenclDevice& device, const Source& source);
std::unique_ptr<backend::Program> build_program(OpenclDevice& device, const Source& source,
                                                const BuildOptions& options);

} // namespace ferry::opencl
