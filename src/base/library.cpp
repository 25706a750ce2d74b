// SPDX-License-Identifier: Apache-2.0
#include "base/library.hpp"

#include "base/library_file.hpp"

#include <dlfcn.h>
#include <link.h>

#include <climits>
#include <cstdlib>
#include <memory>

namespace ferry::backend {

constinit std::atomic<OpeningObserver> opening_observer{nullptr};

namespace {

std::string file_behind(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> file(::realpath(path.c_str(), nullptr), &std::free);
    return file ? file.get() : path;
}

} // namespace

Library Library::open(std::span<const char* const> names, const Setting& named, const char* environment,
                      std::vector<std::string>& reasons) {
    Library library;
    std::string tried;
    const auto attempt = [&](const char* name) {
        const std::string text = name;
        const bool is_path = text.find('/') != std::string::npos;
        std::string problem = is_path ? kind_problem(text) : "";
        if (problem.empty()) {
            entering(Opening::constructor, name);
            library.handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        }
        if (library.handle_ != nullptr) {
            entering(Opening::opened, name);
            library.name_ = name;
            return true;
        }
        const char* message = dlerror();
        entering(Opening::absent, name);
        if (problem.empty() && is_path) {
            problem = file_problem(text);
        }
        if (problem.empty()) {
            problem = message != nullptr ? message : "unknown error";
        }
        // The loader's message usually begins with the name.
        tried += "\n    " + (problem.starts_with(text + ": ") ? problem : text + ": " + problem);
        return false;
    };
    if (!named.value.empty()) {
        if (!attempt(named.value.c_str())) {
            reasons.push_back("The library that " + named.source + " names does not open:" + tried);
        }
        return library;
    }
    for (const char* name : names) {
        if (attempt(name)) {
            return library;
        }
    }
    reasons.push_back("No library was found (install the vendor's driver, or name the file in " +
                      std::string(environment) + "); tried:" + tried);
    return library;
}

void* Library::symbol(const char* name) const noexcept {
    return handle_ != nullptr ? dlsym(handle_, name) : nullptr;
}

std::string Library::path() const {
    link_map* map = nullptr;
    if (handle_ != nullptr && dlinfo(handle_, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 &&
        map != nullptr && map->l_name != nullptr && map->l_name[0] != '\0') {
        return map->l_name;
    }
    return name_;
}

std::string Library::text() const {
    const std::string file = file_behind(path());
    return file.empty() || file == name_ ? name_ : name_ + " (" + file + ")";
}

std::string Library::file_of(const void* address) {
    Dl_info info{};
    return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? file_behind(info.dli_fname) : "";
}

} // namespace ferry::backend
