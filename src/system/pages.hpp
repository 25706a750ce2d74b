// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ferry::detail {

/// Bytes of a page: 4096 on x86-64; 4096, 16384 or 65536 on ARM64, depending on the kernel's configuration.
std::size_t page_size() noexcept;

/// The accesses that pages permit.
enum class PageRights : std::uint8_t { none, read, all };

/// New private pages, which are zero and allocated on first use. With PageRights::none they only reserve
/// addresses. Null with errno set if the system has none.
std::byte* map_pages(std::size_t bytes, PageRights rights) noexcept;
void unmap_pages(void* at, std::size_t bytes) noexcept;
/// Whole pages. Returns false with errno set if the system refuses.
bool set_page_rights(void* at, std::size_t bytes, PageRights rights) noexcept;
/// Returns their memory to the system. The contents of private pages are lost.
void drop_pages(void* at, std::size_t bytes) noexcept;

/// Whether all of these whole pages are mapped.
bool are_mapped(const void* at, std::size_t bytes) noexcept;

/// Number of these whole pages that are not in memory. Empty if some are not mapped.
std::optional<std::size_t> absent_pages(const void* at, std::size_t bytes) noexcept;
/// Allocates or reads these whole pages, for reading or (PageRights::all) for writing. Returns 0 or an errno
/// value: EFAULT if they are past the end of a file; ENOMEM if some are not mapped, or there is no memory;
/// EINVAL if they do not permit the access, or the kernel is older than Linux 5.14.
int make_present(const void* at, std::size_t bytes, PageRights rights) noexcept;

/// Pages of its own, which are allocated on first use. The system may use huge pages, which are faster.
class AnonymousMapping {
public:
    explicit AnonymousMapping(std::size_t bytes) noexcept;
    AnonymousMapping(const AnonymousMapping&) = delete;
    AnonymousMapping& operator=(const AnonymousMapping&) = delete;
    ~AnonymousMapping();

    std::byte* data() const noexcept { return data_; } ///< Null if the system has no memory.

private:
    const std::size_t bytes_;
    std::byte* const data_;
};

} // namespace ferry::detail
