// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

#include <memory>
#include <string>
#include <utility>

namespace ferry::null {

/// An entry point. Nothing is known of its parameters, so only the vendor checks the arguments.
class NullKernel final : public backend::Kernel {
public:
    explicit NullKernel(std::string name) { info_.name = std::move(name); }
    const KernelInfo& info() const override { return info_; }

private:
    KernelInfo info_;
};

/// Compiled code. NullDevice makes none.
class NullProgram final : public backend::Program {
public:
    std::unique_ptr<backend::Kernel> kernel(const std::string&) override { return nullptr; }
    const std::string& log() const override { return log_; }

private:
    std::string log_;
};

} // namespace ferry::null
