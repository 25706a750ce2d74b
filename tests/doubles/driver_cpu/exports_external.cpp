// SPDX-License-Identifier: Apache-2.0
// Memory of other APIs: a regular file, for example a memfd, which the double maps. lavapipe's opaque
// descriptors are such files, and begin with a header.
#include "exports.hpp"
#include "memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

namespace ferry_double {

namespace {

constexpr int opaque_descriptor = 1;
constexpr unsigned int dedicated = 1;

struct Mapped {
    std::byte* file = nullptr;
    std::size_t file_bytes = 0;
    std::byte* data = nullptr;
    std::size_t bytes = 0;
};

struct All {
    std::mutex mutex;
    std::map<External, std::unique_ptr<Mapped>> list;
};

All& all() {
    static All& only = *new All;
    return only;
}

/// The offset of the contents in a file of Mesa's os_memory_fd.c, which begins with its size and this offset.
/// 0 for any other file.
std::size_t offset_of_contents(int descriptor, std::size_t file_bytes) {
    std::size_t header[2] = {};
    if (pread(descriptor, header, sizeof header, 0) != static_cast<ssize_t>(sizeof header) ||
        header[0] != file_bytes || header[1] < sizeof header || header[1] >= file_bytes) {
        return 0;
    }
    return header[1];
}

} // namespace

Result Rows::import_external(External* memory, const ExternalHandle* handle) {
    FERRY_DOUBLE_ENTER(import_external)
    if (memory == nullptr || handle == nullptr || handle->kind != opaque_descriptor || handle->bytes == 0 ||
        (handle->flags & ~dedicated) != 0) {
        return invalid_value;
    }
    struct stat facts {};
    if (fstat(handle->descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return invalid_value;
    }
    auto made = std::make_unique<Mapped>();
    made->file_bytes = static_cast<std::size_t>(facts.st_size);
    const std::size_t offset = offset_of_contents(handle->descriptor, made->file_bytes);
    made->bytes = handle->bytes;
    if (made->file_bytes - offset < made->bytes) {
        return invalid_value;
    }
    void* const file =
        mmap(nullptr, made->file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, handle->descriptor, 0);
    if (file == MAP_FAILED) {
        return out_of_memory;
    }
    made->file = static_cast<std::byte*>(file);
    made->data = made->file + offset;
    if (external_takes_descriptor) {
        close(handle->descriptor);
    }
    const std::lock_guard lock(all().mutex);
    *memory = made.get();
    all().list.emplace(*memory, std::move(made));
    return success;
}

Result Rows::map_external(Pointer* address, External memory, const ExternalBuffer* buffer) {
    FERRY_DOUBLE_ENTER(map_external)
    const std::lock_guard lock(all().mutex);
    const auto found = all().list.find(memory);
    if (found == all().list.end() || address == nullptr || buffer == nullptr || buffer->flags != 0) {
        return invalid_value;
    }
    const Mapped& mapped = *found->second;
    if (buffer->bytes == 0 || buffer->offset > mapped.bytes ||
        buffer->bytes > mapped.bytes - buffer->offset) {
        return invalid_value;
    }
    std::byte* const start = mapped.data + buffer->offset;
    *address = pointer_to(start);
    return add_external(start, buffer->bytes, current());
}

// The drivers demand that the mappings are freed first.
Result Rows::destroy_external(External memory) {
    FERRY_DOUBLE_COUNT(destroy_external)
    const std::lock_guard lock(all().mutex);
    const auto found = all().list.find(memory);
    if (found == all().list.end() || find_range(found->second->data, 1).known) {
        return invalid_value;
    }
    munmap(found->second->file, found->second->file_bytes);
    all().list.erase(found);
    return success;
}

} // namespace ferry_double
