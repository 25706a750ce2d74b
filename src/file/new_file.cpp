// SPDX-License-Identifier: Apache-2.0
#include "file/new_file.hpp"

#include "file/file_error.hpp"
#include "system/folder.hpp"
#include "system/thread.hpp"

#include <ferry/error.hpp>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace ferry::detail::staging {
namespace {

constexpr const char* purpose = "opened for writing";
constexpr std::uint32_t own_permissions = 0600;
constexpr int most_links = 40; // The limit of Linux.

/// Resolves symbolic links. The target need not exist.
std::filesystem::path behind_links(std::filesystem::path place) {
    std::error_code error;
    for (int links = 0; links < most_links; ++links) {
        const std::filesystem::path to = std::filesystem::read_symlink(place, error);
        if (error) {
            break;
        }
        place = place.parent_path() / to;
    }
    return place;
}

} // namespace

NewFile::NewFile(const std::string& path, SourceLocation where) : path_(path) {
    replaced_ = status_at(path);
    if (!replaced_ && errno != ENOENT) {
        throw_open_error(path, purpose, errno, where);
    }
    if (replaced_ && !replaced_->is_regular()) {
        throw Error(Code::invalid_argument,
                    "'" + path + "' is " + to_string(replaced_->kind) +
                        "; without an offset, only a regular file is replaced by a new one",
                    where);
    }
    const std::filesystem::path place = behind_links(path);
    const auto there = replaced_ ? status_in({}, place.c_str()) : std::nullopt;
    if (replaced_ &&
        !(there && there->is_same_file(*replaced_))) { // Links in /proc may point to unlinked files.
        throw Error(Code::invalid_argument,
                    "'" + path + "' leads to a file that is not at '" + place.string() +
                        "', so none can take its place there",
                    where);
    }
    name_ = place.filename().string();
    if (name_.empty()) {
        throw_open_error(path, purpose, ENOENT, where);
    }
    const std::filesystem::path parent = place.parent_path();
    folder_ = open_folder(parent.empty() ? "." : parent.string(), FolderUse::names);
    if (!folder_) {
        throw_open_error(path, purpose, errno, where);
    }
}

NewFile::~NewFile() {
    if (!temporary_.empty()) {
        remove_in(folder_, temporary_.c_str());
    }
}

// Does not use mkstemp(), whose files only the owner may read. A file that replaces none must get the same
// mode as with open().
FileDescriptor NewFile::make() {
    static std::atomic<unsigned> number{0};
    for (int attempt = 0; attempt < 100; ++attempt) {
        std::string name =
            ".ferry-" + std::to_string(process_number()) + "-" + std::to_string(number++) + ".part";
        FileDescriptor file = open_file(folder_, name.c_str(),
                                        {.writes = true,
                                         .create = OpenOptions::Create::always,
                                         .permissions = replaced_ ? own_permissions : usual_permissions});
        if (file) {
            temporary_ = std::move(name);
        }
        if (file || errno != EEXIST) {
            return file;
        }
    }
    return {};
}

void NewFile::take_access(const FileDescriptor& file) const {
    std::optional<FileStatus> there = status_in(folder_, name_.c_str());
    if (there && !there->is_regular()) {
        throw Error(Code::command_failed, "'" + path_ + "' has become " + to_string(there->kind) +
                                              ", which is not replaced by a file");
    }
    there = there ? there : replaced_;
    if (const int error = there ? copy_rights(folder_, name_, *there, file) : 0; error != 0) {
        throw Error(Code::command_failed, "The new file in the place of '" + path_ +
                                              "' could not be given its mode: " + words_of(error));
    }
}

void NewFile::take_place() {
    if (!rename_in(folder_, temporary_.c_str(), name_.c_str())) {
        throw Error(Code::command_failed, "The file '" + temporary_ + "' could not take the place of '" +
                                              path_ + "': " + words_of(errno));
    }
    temporary_.clear();
}

} // namespace ferry::detail::staging
