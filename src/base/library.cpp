// SPDX-License-Identifier: Apache-2.0
#include "base/library.hpp"

#include "system/files.hpp"
#include "system/library_file.hpp"
#include "system/shared_library.hpp"

namespace ferry::backend {

constinit std::atomic<OpeningObserver> opening_observer{nullptr};

namespace {

std::string file_behind(const std::string& path) {
    const std::string file = detail::resolved_path(path);
    return file.empty() ? path : file;
}

} // namespace

Library Library::open(std::span<const char* const> names, const Setting& named, const char* environment,
                      std::vector<BackendReason>& reasons) {
    Library library;
    std::string tried;
    const auto attempt = [&](const char* name) {
        const std::string text = name;
        const bool is_path = text.find('/') != std::string::npos;
        std::string message;
        std::string problem = is_path ? kind_problem(text) : "";
        if (problem.empty()) {
            entering(Opening::constructor, name);
            library.handle_ = detail::open_library(name, message);
        }
        if (library.handle_ != nullptr) {
            entering(Opening::opened, name);
            library.name_ = name;
            return true;
        }
        entering(Opening::absent, name);
        if (problem.empty() && is_path) {
            problem = file_problem(text);
        }
        if (problem.empty()) {
            problem = message;
        }
        // The loader's message usually begins with the name.
        tried += "\n    " + (problem.starts_with(text + ": ") ? problem : text + ": " + problem);
        return false;
    };
    if (!named.value.empty()) {
        if (!attempt(named.value.c_str())) {
            reasons.push_back({BackendProblem::named_library,
                               "The library that " + named.source + " names does not open:" + tried});
        }
        return library;
    }
    for (const char* name : names) {
        if (attempt(name)) {
            return library;
        }
    }
    reasons.push_back({BackendProblem::no_library,
                       "No library was found (install the vendor's driver, or name the file in " +
                           std::string(environment) + "); tried:" + tried});
    return library;
}

void* Library::symbol(const char* name) const noexcept {
    return handle_ != nullptr ? detail::symbol_of(handle_, name) : nullptr;
}

std::string Library::path() const {
    const std::string file = handle_ != nullptr ? detail::file_of_library(handle_) : std::string();
    return file.empty() ? name_ : file;
}

std::string Library::text() const {
    const std::string file = file_behind(path());
    return file.empty() || file == name_ ? name_ : name_ + " (" + file + ")";
}

std::string Library::file_of(const void* address) {
    const std::string file = detail::file_with(address);
    return file.empty() ? file : file_behind(file);
}

} // namespace ferry::backend
