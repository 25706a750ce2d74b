// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/no_destructor.hpp"
#include "host_module.hpp"

#include <ferry/program.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ferry::cache {
class Key;
}
namespace ferry::translate {
struct Translation;
}

namespace ferry::host {

/// The system's C++ compiler: the one named by FERRY_HOST_COMPILER, otherwise the first of c++, g++ and
/// clang++ in PATH. It is searched at first use.
class Compiler {
public:
    /// strict: runs the work-items of a group in either order (ModuleGroup::backwards), and fills the local
    /// memory that a kernel declares with a pattern.
    enum class Code : std::uint8_t { fast, strict };

    static const Compiler& get();

    bool available() const noexcept { return !path_.empty(); }
    const std::string& path() const noexcept { return path_; }
    /// The compiler, or the reason why there is none.
    const std::string& note() const noexcept { return note_; }

    /// Compiles for this processor and loads the result, which stays loaded until the process ends: the same
    /// text returns the same module again. Takes some tenths of a second if it is not in the cache. Throws
    /// Error (build_failed) with a log in terms of the user's text.
    const Module& compile(const translate::Translation& translation, const BuildOptions& options,
                          const std::string& name, Code code = Code::fast) const;
    /// The same, up to the bytes of the shared library.
    std::string build(const translate::Translation& translation, const BuildOptions& options,
                      Code code = Code::fast) const;

private:
    friend class detail::NoDestructor<const Compiler>;
    Compiler();
    std::vector<std::string> words(const translate::Translation& translation, const BuildOptions& options,
                                   Code code) const;
    const Module& compile_once(const cache::Key& key, const translate::Translation& translation,
                               const BuildOptions& options, Code code) const;
    const Module& compile_for_debugger(const translate::Translation& translation, const BuildOptions& options,
                                       Code code) const;
    /// Compiles `text`, the C++ of the translation, in `folder`. The library is kernels.so there; returns its
    /// bytes.
    std::string run_in(const std::string& folder, const std::string& text,
                       const translate::Translation& translation, const BuildOptions& options,
                       Code code) const;

    std::string path_;
    std::string note_;
    std::string identity_; ///< Changes when the compiler does.
};

} // namespace ferry::host
