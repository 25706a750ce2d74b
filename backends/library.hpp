// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"

#include <span>
#include <string>
#include <vector>

namespace ferry::backend {

/// A vendor library opened at run time (RTLD_NOW | RTLD_LOCAL). Never closed: what it made may be alive.
class Library {
public:
    /// Tries the names in order, or only the one that is `named` if one is. `environment` is the variable
    /// that names one, for the message if none was. If none opens, adds one sentence to `reasons` with every
    /// name tried and why not (what is wrong with the file, or the loader's words), and the result is empty.
    static Library open(std::span<const char* const> names, const Setting& named, const char* environment,
                        std::vector<std::string>& reasons);

    explicit operator bool() const noexcept { return handle_ != nullptr; }
    /// The exported symbol, or null.
    void* symbol(const char* name) const noexcept;
    const std::string& name() const noexcept { return name_; } ///< as it was opened
    std::string path() const;                                  ///< the file it came from, if the loader tells
    /// For people: the name, and the file behind all links if that has another one.
    std::string text() const;

    /// The file, behind all links, that holds the code at `address`; empty if the loader does not know.
    static std::string file_of(const void* address);

private:
    void* handle_ = nullptr;
    std::string name_;
};

} // namespace ferry::backend
