// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/setting.hpp"

#include <ferry/backend.hpp>

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::backend {

/// The steps in which a backend opens its vendor library.
enum class Opening : std::uint8_t {
    constructor,    ///< The loader runs the constructors of the library. The subject is the library's name.
    opened,         ///< The constructors have run. The subject is the same.
    absent,         ///< The loader did not open it. The subject is the same.
    initialisation, ///< The subject is the vendor's function.
    listing,        ///< Listing of devices. The subject is the platform if a library has several.
};
using OpeningObserver = void (*)(Opening step, std::string_view subject) noexcept;

/// Called before each step. Null except in processes that test a library (src/probe). Relaxed: it is set
/// before other threads open libraries, and points to a function and no data.
extern constinit std::atomic<OpeningObserver> opening_observer;

inline void entering(Opening step, std::string_view subject = {}) noexcept {
    if (const OpeningObserver observer = opening_observer.load(std::memory_order_relaxed)) {
        observer(step, subject);
    }
}

/// A vendor library opened at run time (RTLD_NOW | RTLD_LOCAL). Never closed, because its objects may be
/// alive.
class Library {
public:
    /// Tries the names in order, or only the name in `named` if it is set. `environment` is the variable that
    /// would have named one, for the message. If none opens, the result is empty, and one reason is added to
    /// `reasons`, whose text has every name and its failure (a problem of the file, or the loader's message).
    static Library open(std::span<const char* const> names, const Setting& named, const char* environment,
                        std::vector<BackendReason>& reasons);

    explicit operator bool() const noexcept { return handle_ != nullptr; }
    /// The exported symbol, or null.
    void* symbol(const char* name) const noexcept;
    const std::string& name() const noexcept { return name_; } ///< The name that was opened.
    std::string path() const;                                  ///< The file it came from, if the loader
                                                               ///< reports it.
    /// Text for users: the name, and the file behind all links if its name differs.
    std::string text() const;

    /// The file, behind all links, that contains the code at `address`. Empty if the loader does not know it.
    static std::string file_of(const void* address);

private:
    void* handle_ = nullptr;
    std::string name_;
};

} // namespace ferry::backend
