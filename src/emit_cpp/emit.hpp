// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_c/check.hpp"
#include "translate/translate.hpp"

#include <memory>
#include <string>
#include <vector>

// Emits C++ from the typed tree of a text: for NVRTC, hipRTC and the compiler of the host.
namespace ferry::emit_cpp {

/// A preprocessed text. The members are those of translate::Unit.
class Unit {
public:
    explicit Unit(translate::Request request);

    bool failed() const noexcept { return diagnostics_.failed(); }
    const translate::Files& files() const noexcept { return *files_; }
    std::string spelling() const { return translate::spelling(tokens_); }

    /// A construct that has no form in the dialect is an error of the translation.
    translate::Translation translate() &&;

private:
    translate::Request request_;
    std::shared_ptr<translate::Files> files_;
    translate::Diagnostics diagnostics_;
    std::vector<translate::Token> tokens_;
};

/// Whether programs for this dialect are translated by this emitter instead of translate::Unit.
/// Always true for CUDA and HIP. FERRY_TEST_EMITTER=tree-host chooses it for the host; the variable is for
/// tests.
bool is_used_for(translate::Dialect dialect);

/// The result of the emitter that is used for the dialect.
translate::Translation translate(const translate::Request& request);

} // namespace ferry::emit_cpp
