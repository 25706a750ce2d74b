// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"

#include <atomic>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::backend {

/// The steps in which a backend opens its vendor library.
enum class Opening : std::uint8_t {
    constructor,    ///< the loader runs the library's constructors; the subject is the library's name
    opened,         ///< they have run; the subject is the same
    absent,         ///< the loader did not open it; the subject is the same
    initialisation, ///< the subject is the vendor's function
    listing,        ///< of devices; the subject is the platform where a library has several
};
using OpeningObserver = void (*)(Opening step, std::string_view subject) noexcept;

/// Called before each step. Null in all processes but those that test a library (src/probe).
extern constinit std::atomic<OpeningObserver> opening_observer;

inline void entering(Opening step, std::string_view subject = {}) noexcept {
    if (const OpeningObserver observer = opening_observer.load(std::memory_order_relaxed)) {
        observer(step, subject);
    }
}

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
