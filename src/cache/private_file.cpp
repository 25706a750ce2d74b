// SPDX-License-Identifier: Apache-2.0
#include "private_file.hpp"

#include "system/folder.hpp"
#include "system/memory_file.hpp"
#include "system/temporary_folder.hpp"
#include "system/thread.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace ferry::cache {
namespace {

constexpr std::size_t longest_label = 200;

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1) + 1;
}

/// The same file under a new name each time: the bits of `number` as "./" and "/".
std::string descriptor_path(int file, std::uint64_t number) {
    // Not /proc/self: a debugger opens the path in its own process.
    std::string path = "/proc/" + std::to_string(detail::process_number()) + "/fd/";
    for (; number != 0; number >>= 1U) {
        path += (number & 1U) != 0 ? "./" : "/";
    }
    return path + std::to_string(file);
}

} // namespace

PrivateFile::PrivateFile(std::string_view bytes, std::string_view label, Place place) {
    if (place == Place::disk || !in_memory(bytes, label)) {
        on_disk(bytes);
    }
}

PrivateFile::~PrivateFile() {
    if (named_) {
        detail::remove_in({}, path_.c_str());
    }
}

bool PrivateFile::in_memory(std::string_view bytes, std::string_view label) {
    const std::string name = "ferry-" + std::string(label.substr(0, longest_label));
    file_ = detail::sealed_memory_file(name, bytes);
    std::string path = descriptor_path(file_.get(), next_number());
    if (!file_ || !detail::may_access(path, detail::FileAccess::read)) {
        return false;
    }
    path_ = std::move(path);
    return true;
}

void PrivateFile::on_disk(std::string_view bytes) {
    path_ = detail::temporary_kernels_name(next_number());
    file_ = detail::open_file(path_, {.reads = false,
                                      .writes = true,
                                      .create = detail::OpenOptions::Create::always,
                                      .permissions = 0700,
                                      .follows_link = false});
    named_ = static_cast<bool>(file_);
    if (file_) {
        static_cast<void>(detail::try_lock_file(file_)); // It is in use, like a TemporaryFolder.
        if (detail::write_all(file_, bytes)) {
            return;
        }
    }
    problem_ = "A compiled kernel of " + std::to_string(bytes.size()) +
               " bytes can be loaded neither from memory nor from \"" + path_ + "\": " + std::strerror(errno);
    if (named_) {
        detail::remove_in({}, path_.c_str());
        named_ = false;
    }
    path_.clear();
}

} // namespace ferry::cache
