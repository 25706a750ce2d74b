// SPDX-License-Identifier: Apache-2.0
#include "system/finish_libraries.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <string_view>

namespace ferry::detail {
namespace {

using Destructor = void (*)();

struct LoadedLibrary {
    std::string_view path;
    std::string_view name; ///< DT_SONAME, by which others need it. Empty if it has none.
    std::vector<std::string_view> needed;
    const ElfW(Addr) * destructors = nullptr;
    std::size_t count = 0;
    ElfW(Addr) last = 0;
    bool visited = false;

    bool is(std::string_view wanted) const {
        return wanted == (name.empty() ? path.substr(path.rfind('/') + 1) : name);
    }
};

bool is_from_file(const dl_phdr_info* info) {
    return info->dlpi_name != nullptr && *info->dlpi_name == '/';
}

/// glibc writes the address into this entry, other loaders leave it relative to the place of the library.
const char* texts_of(const dl_phdr_info* info, const ElfW(Dyn) * entry) {
    for (; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_STRTAB) {
            const ElfW(Addr) given = entry->d_un.d_ptr;
            return reinterpret_cast<const char*>(given < info->dlpi_addr ? info->dlpi_addr + given : given);
        }
    }
    return nullptr;
}

LoadedLibrary describe(const dl_phdr_info* info) {
    LoadedLibrary found;
    found.path = info->dlpi_name;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) {
            continue;
        }
        const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        const char* const texts = texts_of(info, entry);
        for (; entry->d_tag != DT_NULL; ++entry) {
            // The addresses of destructors are relative to the place of the library.
            if (entry->d_tag == DT_FINI_ARRAY) {
                found.destructors = reinterpret_cast<const ElfW(Addr)*>(info->dlpi_addr + entry->d_un.d_ptr);
            } else if (entry->d_tag == DT_FINI_ARRAYSZ) {
                found.count = entry->d_un.d_val / sizeof(ElfW(Addr));
            } else if (entry->d_tag == DT_FINI) {
                found.last = info->dlpi_addr + entry->d_un.d_ptr;
            } else if (entry->d_tag == DT_NEEDED && texts != nullptr) {
                found.needed.emplace_back(texts + entry->d_un.d_val);
            } else if (entry->d_tag == DT_SONAME && texts != nullptr) {
                found.name = texts + entry->d_un.d_val;
            }
        }
    }
    return found;
}

/// Appends a library after those that it needs.
void add_in_order(LoadedLibrary& library, std::vector<LoadedLibrary>& all,
                  std::vector<LoadedLibrary*>& order) {
    if (library.visited) {
        return;
    }
    library.visited = true;
    for (const std::string_view needed : library.needed) {
        const auto other =
            std::find_if(all.begin(), all.end(), [&](const LoadedLibrary& one) { return one.is(needed); });
        if (other != all.end()) {
            add_in_order(*other, all, order);
        }
    }
    order.push_back(&library);
}

void finish(const LoadedLibrary& library) {
    for (std::size_t i = library.count; i > 0; --i) {
        reinterpret_cast<Destructor>(library.destructors[i - 1])();
    }
    if (library.last != 0) {
        reinterpret_cast<Destructor>(library.last)();
    }
}

} // namespace

void finish_libraries(const std::vector<std::string>& before) {
    struct Search {
        const std::vector<std::string>& before;
        std::vector<LoadedLibrary> found;
    };
    Search search{before, {}};
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            auto& [old, found] = *static_cast<Search*>(data);
            if (is_from_file(info) && std::find(old.begin(), old.end(), info->dlpi_name) == old.end()) {
                found.push_back(describe(info));
            }
            return 0;
        },
        &search);
    // A destructor may close other libraries, which the loader keeps until the end.
    for (const LoadedLibrary& library : search.found) {
        static_cast<void>(::dlopen(library.path.data(), RTLD_NOW | RTLD_NOLOAD));
    }
    std::vector<LoadedLibrary*> order;
    for (auto library = search.found.rbegin(); library != search.found.rend(); ++library) {
        add_in_order(*library, search.found, order);
    }
    for (auto library = order.rbegin(); library != order.rend(); ++library) {
        finish(**library);
    }
}

} // namespace ferry::detail
