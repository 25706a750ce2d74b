// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "opencl_api.hpp"
#include "opencl_notes.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace ferry::opencl {

class OpenclDevice;

/// By the names of kernels.
using GroupLimits = std::map<std::string, backend::GroupLimit, std::less<>>;

class OpenclProgram final : public backend::Program {
public:
    /// Takes ownership of the program. `text` is its source, including its options.
    OpenclProgram(OpenclDevice& device, cl_program program, std::string text)
        : device_(device), program_(program), text_(std::move(text)) {}
    ~OpenclProgram() override;

    /// Compiles or links. Throws build_failed with the log.
    void build(const std::string& options);
    bool has_kernels() const;

    std::unique_ptr<backend::Kernel> kernel(const std::string& name) override;
    std::vector<std::string> kernel_names() override;
    const std::string& log() const override { return log_; }
    std::vector<std::byte> binary() override;

    /// The driver's binary, without the additions of binary(). Empty if there is none.
    std::string payload();
    /// The description of each kernel's parameters, by the driver or by Ferry's notes. The type and name of
    /// an unknown parameter are empty.
    KernelNotes notes();
    /// Used if the driver has no description.
    void set_notes(KernelNotes notes) { notes_ = std::move(notes); }
    void set_group_limits(GroupLimits limits) { group_limits_ = std::move(limits); }

private:
    /// Null if there is no kernel of this name.
    cl_kernel create_kernel(const std::string& name);

    OpenclDevice& device_;
    cl_program program_;
    std::string text_;
    std::string log_;
    GroupLimits group_limits_;
    KernelNotes notes_; // Only if the driver cannot describe them.
};

inline constexpr std::string_view argument_info = "-cl-kernel-arg-info";

/// Not built yet. Throws Error if the driver rejects it.
cl_program create_from_binary(OpenclDevice& device, std::string_view payload);

backend::Fit fit_source(const OpenclDevice& device, const Source& source);
std::unique_ptr<backend::Program> build_program(OpenclDevice& device, const Source& source,
                                                const BuildOptions& options);

} // namespace ferry::opencl
