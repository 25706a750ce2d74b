// SPDX-License-Identifier: Apache-2.0
#include "system/finish_libraries.hpp"

#include <link.h>

#include <algorithm>

namespace ferry::detail {
namespace {

using Destructor = void (*)();

struct Destructors {
    const ElfW(Addr) * array = nullptr;
    std::size_t count = 0;
    ElfW(Addr) last = 0;
};

bool is_file(const dl_phdr_info* info) {
    return info->dlpi_name != nullptr && *info->dlpi_name == '/';
}

Destructors destructors_of(const dl_phdr_info* info) {
    Destructors found;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) {
            continue;
        }
        const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; ++entry) {
            // Addresses of these entries are relative to the place of the library.
            if (entry->d_tag == DT_FINI_ARRAY) {
                found.array = reinterpret_cast<const ElfW(Addr)*>(info->dlpi_addr + entry->d_un.d_ptr);
            } else if (entry->d_tag == DT_FINI_ARRAYSZ) {
                found.count = entry->d_un.d_val / sizeof(ElfW(Addr));
            } else if (entry->d_tag == DT_FINI) {
                found.last = info->dlpi_addr + entry->d_un.d_ptr;
            }
        }
    }
    return found;
}

} // namespace

void finish_libraries(const std::vector<std::string>& before) {
    struct Search {
        const std::vector<std::string>& before;
        std::vector<Destructors> found;
    };
    Search search{before, {}};
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            auto& [old, found] = *static_cast<Search*>(data);
            if (is_file(info) && std::find(old.begin(), old.end(), info->dlpi_name) == old.end()) {
                found.push_back(destructors_of(info));
            }
            return 0;
        },
        &search);
    for (auto library = search.found.rbegin(); library != search.found.rend(); ++library) {
        for (std::size_t i = library->count; i > 0; --i) {
            reinterpret_cast<Destructor>(library->array[i - 1])();
        }
        if (library->last != 0) {
            reinterpret_cast<Destructor>(library->last)();
        }
    }
}

} // namespace ferry::detail
