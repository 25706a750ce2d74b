// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_c/check.hpp"
#include "translate/translate.hpp"

#include <memory>
#include <string>
#include <vector>

// Emits C++ from the typed tree of a text: for NVRTC, hipRTC and the compiler of the host.
namespace ferry::emit_cpp {

/// A preprocessed text.
class Unit {
public:
    explicit Unit(translate::Request request);

    bool failed() const noexcept { return diagnostics_.failed(); }
    const translate::Files& files() const noexcept { return *files_; }
    /// The tokens with a blank or a line end between them.
    std::string spelling() const;

    /// A construct that has no form in the dialect is an error of the translation.
    translate::Translation translate() &&;

private:
    translate::Request request_;
    std::shared_ptr<translate::Files> files_;
    translate::Diagnostics diagnostics_;
    std::vector<translate::Token> tokens_;
};

/// Never throws because of the contents of the text. Thread-safe.
translate::Translation translate(const translate::Request& request);

} // namespace ferry::emit_cpp
