// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_c/check.hpp"
#include "translate/translate.hpp"

#include <memory>
#include <string>
#include <vector>

// Emits C++ for NVRTC and hipRTC from the typed tree of a text.
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
/// FERRY_TEST_EMITTER=tree chooses it for CUDA and HIP. The variable is for tests, and goes when the emitter
/// replaces the translator.
bool is_used_for(translate::Dialect dialect);

/// The result of the emitter that is used for the dialect.
translate::Translation translate(const translate::Request& request);

} // namespace ferry::emit_cpp
