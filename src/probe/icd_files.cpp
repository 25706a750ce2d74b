// SPDX-License-Identifier: Apache-2.0
#include "probe/icd_files.hpp"

#include "base/text.hpp"
#include "system/environment.hpp"
#include "system/file_stamp.hpp"
#include "system/folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

namespace ferry::detail::probe {
namespace {

std::string variable(const char* name) {
    const char* const value = ::secure_getenv(name);
    return value != nullptr ? value : "";
}

bool is_folder(const std::string& path) {
    const auto status = status_at(path);
    return status && status->kind == FileKind::folder;
}

void add_file(const std::string& path, std::vector<Icd>& icds) {
    const std::string text = beginning_of(path);
    std::string library = trim(std::string_view(text).substr(0, text.find('\n')));
    if (!library.empty()) {
        icds.push_back({std::move(library), path});
    }
}

void add_folder(const std::string& path, std::vector<Icd>& icds) {
    std::vector<std::string> names;
    // A folder that cannot be read has no drivers. std::filesystem is slower at first use.
    if (const FileDescriptor folder = open_folder(path)) {
        list_files(folder, [&](const char* name, const FileStatus&) {
            if (std::string_view(name).ends_with(".icd")) {
                names.push_back(path + '/' + name);
            }
        });
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
        add_file(name, icds);
    }
}

} // namespace

std::vector<Icd> installed_icds() {
    std::vector<Icd> icds;
    for (const std::string& library : split(variable("OCL_ICD_FILENAMES"), ':')) {
        if (!library.empty()) {
            icds.push_back({library, "OCL_ICD_FILENAMES"});
        }
    }
    const std::string vendors = variable("OCL_ICD_VENDORS");
    if (vendors.empty() || is_folder(vendors)) {
        add_folder(vendors.empty() ? "/etc/OpenCL/vendors" : vendors, icds);
    } else if (vendors.ends_with(".icd")) {
        add_file(vendors, icds);
    } else {
        icds.push_back({vendors, "OCL_ICD_VENDORS"});
    }
    return icds;
}

IcdFolder::IcdFolder(const std::vector<Icd>& icds) {
    for (std::size_t i = 0; *this && i < icds.size(); ++i) {
        const std::string number = std::to_string(100 + i); // loaders may sort them
        std::ofstream file(folder_.path() + '/' + number + ".icd");
        file << icds[i].library << '\n';
        file.close();
        is_whole_ = is_whole_ && !file.fail();
    }
}

child_run::Variables IcdFolder::variables() const {
    return {{"OCL_ICD_VENDORS", folder_.path()}, {"OCL_ICD_FILENAMES", {}}};
}

// setenv() may move the list while other threads read it. This one is new, and the old one stays.
ChangedEnvironment::ChangedEnvironment(const child_run::Variables& changes) : before_(environment_list()) {
    std::vector<char*> entries;
    for (char** entry = before_; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::string_view name = text.substr(0, text.find('='));
        if (std::none_of(changes.begin(), changes.end(),
                         [&](const auto& pair) { return pair.first == name; })) {
            entries.push_back(*entry);
        }
    }
    for (const auto& [name, value] : changes) {
        if (!value.empty()) {
            entries.push_back(::strdup((name + '=' + value).c_str()));
        }
    }
    entries.push_back(nullptr);
    now_ = static_cast<char**>(std::malloc(entries.size() * sizeof(char*)));
    if (now_ != nullptr) {
        std::copy(entries.begin(), entries.end(), now_);
        set_environment_list(now_);
    }
}

ChangedEnvironment::~ChangedEnvironment() {
    if (now_ != nullptr && environment_list() == now_) {
        set_environment_list(before_); // the new list is not freed: another thread may be reading it
    }
}

} // namespace ferry::detail::probe
