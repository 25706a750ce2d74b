// SPDX-License-Identifier: Apache-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // dladdr1.
#endif
#include "system/shared_library.hpp"

#include <dlfcn.h>
#include <link.h>

namespace ferry::detail {

void* open_library(const char* name, std::string& problem, Binding binding) {
    void* const library = ::dlopen(name, (binding == Binding::now ? RTLD_NOW : RTLD_LAZY) | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const message = ::dlerror();
        problem = message != nullptr ? message : "unknown error";
    }
    return library;
}

void* loaded_library(const char* name) noexcept {
    return ::dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
}

void* symbol_of(void* library, const char* name) noexcept {
    return ::dlsym(library, name);
}

std::string file_of_library(void* library) {
    link_map* map = nullptr;
    const bool known = ::dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr &&
                       map->l_name != nullptr;
    return known ? map->l_name : "";
}

std::vector<std::string> loaded_files() {
    std::vector<std::string> files;
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* list) {
            if (info->dlpi_name != nullptr && *info->dlpi_name == '/') {
                static_cast<std::vector<std::string>*>(list)->emplace_back(info->dlpi_name);
            }
            return 0;
        },
        &files);
    return files;
}

std::string library_with(const void* address) {
    Dl_info info{};
    link_map* map = nullptr;
    const bool known =
        ::dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0 && map != nullptr;
    return known && map->l_name != nullptr ? map->l_name : "";
}

std::string file_with(const void* address) {
    Dl_info info{};
    return ::dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

} // namespace ferry::detail
