// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_errors.hpp"
#include "driver/driver_symbols.hpp"
#include "hal/plausible.hpp"

#include <ferry/program.hpp>
#include <ferry/source.hpp>

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ferry::driver {

using CompilerProgram = struct CompilerProgramObject*;

/// The rows of compiler.def, as driver_symbols.hpp has those of the library.
template <class T>
struct CompilerSymbols {
    using CompilerResult = typename T::CompilerResult;
    using CompilerProgram = typename T::CompilerProgram;
    using Strings = typename T::Strings;
#define FERRY_COMPILER_SYMBOL(tier, member, nvrtc, hiprtc, parameters) \
    Symbol<CompilerResult parameters> member{T::backend_is_cuda ? #nvrtc : #hiprtc};
#define FERRY_COMPILER_TEXT(tier, member, nvrtc, hiprtc, parameters) \
    Symbol<const char * parameters> member{T::backend_is_cuda ? #nvrtc : #hiprtc};
#include "driver/compiler.def"
    template <class F>
    void visit(F&& f) {
#define FERRY_COMPILER_SYMBOL(tier, member, nvrtc, hiprtc, parameters) f(#tier, member);
#define FERRY_COMPILER_TEXT(tier, member, nvrtc, hiprtc, parameters) f(#tier, member);
#include "driver/compiler.def"
    }
};

template <class T>
struct NvrtcSymbols {
    using CompilerResult = typename T::CompilerResult;
    using CompilerProgram = typename T::CompilerProgram;
#define FERRY_NVRTC_SYMBOL(tier, member, name, result, parameters) Symbol<result parameters> member{#name};
#include "driver/compiler.def"
    template <class F>
    void visit(F&& f) {
#define FERRY_NVRTC_SYMBOL(tier, member, name, result, parameters) f(#tier, member);
#include "driver/compiler.def"
    }
};

template <class T>
struct NoMoreSymbols {
    template <class F>
    void visit(F&&) {}
};

/// The target of a compilation.
struct Target {
    std::string option;        ///< "--gpu-architecture=sm_90". Empty if the caller's options contain one.
    bool machine_code = false; ///< NVRTC: a cubin instead of PTX.
};

struct Compiled {
    std::string image;
    std::string log;
};

/// The words of a text, separated by blanks.
std::vector<std::string> split_options(const std::string& text);
/// The value of the first "--gpu-architecture=X", "-arch=X" or "--offload-arch=X" (or with a blank).
std::optional<std::string> architecture_option(const std::vector<std::string>& options);
/// Defines and include directories in the form of NVRTC and hipRTC, followed by `extra`.
std::vector<std::string> compile_options(const BuildOptions& options, const std::vector<std::string>& extra);
/// The error of a compilation. The message and log() contain the log.
Error compile_error(const std::string& target, VendorCall call, std::string log);

/// The vendor's run-time compiler. Thread-safe.
template <class V>
class Compiler : public V::CompilerSymbols, public V::OwnCompilerSymbols {
public:
    /// Takes the functions from `library`. Returns false if one is missing; the note then names it.
    bool take(backend::Library library) {
        const Missing missing = load(library, static_cast<typename V::CompilerSymbols&>(*this),
                                     static_cast<typename V::OwnCompilerSymbols&>(*this));
        if (!missing.required.empty()) {
            refuse(library.name() + " lacks " + missing.required.front());
            return false;
        }
        if (const int result_code = this->version(&major_, &minor_); result_code != result::success) {
            refuse(std::string(this->version.name) + " of " + library.name() + " returned " +
                   std::to_string(result_code));
            return false;
        }
        if (major_ < 0 || major_ > backend::most_major_version || minor_ < 0) {
            refuse(std::string(this->version.name) + " of " + library.name() + " answered version " +
                   std::to_string(major_) + "." + std::to_string(minor_) + ", but only 0 to " +
                   std::to_string(backend::most_major_version) + " are plausible as major version");
            return false;
        }
        note_ = std::string(V::compiler_name) + " " + std::to_string(major_) + "." + std::to_string(minor_) +
                " (" + library.name() + ")";
        path_ = library.path();
        release_ = V::compiler_release(major_, minor_, library.name());
        available_ = true;
        return true;
    }
    void refuse(std::string why) {
        available_ = false;
        note_ = std::move(why);
    }

    bool available() const noexcept { return available_; }
    const std::string& note() const noexcept {
        return note_;
    } ///< The compiler, or the reason why there is
      ///< none.
    int major_version() const noexcept { return major_; }
    /// DeviceInfo::compiler_version.
    const std::string& release() const noexcept { return release_; }
    bool is_at_least(int major, int minor) const noexcept {
        return std::pair{major_, minor_} >= std::pair{major, minor};
    }
    const std::string& path() const noexcept { return path_; }

    /// `explain` converts the compiler's log for the user.
    template <class Explain = std::identity>
    Compiled compile(const Source& source, const BuildOptions& options, const std::string& architecture,
                     const Explain& explain = {}) {
        // AMD's compiler crashes if it runs twice at a time, so calls are serialised if the vendor requires
        // it.
        std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
        if (V::compiler_is_serial) {
            lock.lock();
        }
        std::vector<std::string> extra = split_options(options.*V::compiler_options);
        const Target target = V::compile_target(*this, architecture, extra);
        if (!target.option.empty()) {
            extra.push_back(target.option);
        }
        V::add_include_directories(*this, extra);
        const std::vector<std::string> all = compile_options(options, extra);
        std::vector<const char*> words;
        words.reserve(all.size());
        for (const std::string& option : all) {
            words.push_back(option.c_str());
        }

        std::vector<const char*> header_names;
        std::vector<const char*> header_texts;
        for (const auto& [name, header] : options.headers) {
            header_names.push_back(name.c_str());
            header_texts.push_back(header.c_str());
        }

        const std::string& text = V::compiler_text(source);
        Program program(*this);
        const auto check = [&](const char* name, int result_code) {
            if (result_code != result::success) {
                throw compile_error(architecture, call(name, result_code), explain(program.log()));
            }
        };
        check(this->create.name,
              this->create(&program.handle, text.c_str(), source.name().c_str(),
                           static_cast<int>(header_names.size()), header_texts.data(), header_names.data()));
        check(this->compile_symbol().name,
              this->compile_symbol()(program.handle, static_cast<int>(words.size()), words.data()));
        const auto [size_of, get] = V::image_symbols(*this, *this, target.machine_code);
        std::size_t bytes = 0;
        check(size_of.name, size_of(program.handle, &bytes));
        backend::plausible(V::backend, size_of.name, "bytes of code", bytes, 1, backend::most_code);
        Compiled compiled{std::string(bytes, '\0'), explain(program.log())};
        check(get.name, get(program.handle, compiled.image.data()));
        if (!target.machine_code && compiled.image.ends_with('\0')) {
            compiled.image.pop_back();
        }
        return compiled;
    }

private:
    struct Program {
        explicit Program(const Compiler& c) : compiler(c) {}
        Program(const Program&) = delete;
        Program& operator=(const Program&) = delete;
        ~Program() {
            if (handle != nullptr) {
                static_cast<void>(compiler.destroy(&handle));
            }
        }
        std::string log() const {
            std::size_t bytes = 0;
            if (handle == nullptr || compiler.log_size(handle, &bytes) != result::success || bytes <= 1 ||
                bytes > backend::most_log) {
                return {};
            }
            std::string text(bytes, '\0');
            if (compiler.V::CompilerSymbols::log(handle, text.data()) != result::success) {
                return {};
            }
            text.resize(text.find_last_not_of(std::string_view(" \n\0", 3)) + 1);
            return text;
        }
        const Compiler& compiler;
        typename V::CompilerProgram handle = nullptr;
    };

    const auto& compile_symbol() const noexcept { return V::CompilerSymbols::compile; }
    VendorCall call(const char* name, int result_code) const {
        const char* text = this->error_text(result_code);
        return {V::backend, name, result_code, text != nullptr ? text : ""};
    }

    std::mutex mutex_;
    bool available_ = false;
    std::string note_;
    std::string path_;
    std::string release_;
    int major_ = 0;
    int minor_ = 0;
};

} // namespace ferry::driver
