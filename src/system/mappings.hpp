// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/file_descriptor.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>

// The mappings of this process.
namespace ferry::detail {

struct Mapping {
    std::uintptr_t begin = 0, end = 0;
    bool reads = false, writes = false;
    bool stack = false; ///< Of the main thread.
    bool file = false;  ///< A file, which may end before the mapping does; not device memory.
};

/// The source of the mappings.
enum class Mappings {
    query, ///< One by one if the kernel supports the query (Linux 6.11), otherwise as text.
    text,  ///< The list of all of them: some hundred lines in a process that has opened a GPU's driver.
};

/// Reads the mappings that end after an address, in order.
class MappingReader {
public:
    explicit MappingReader(std::uintptr_t after, Mappings source = Mappings::query) noexcept;
    /// Whether there is a list. There is none without /proc.
    bool is_available() const noexcept { return file_ || text_ != nullptr; }
    /// Returns false after the last one.
    bool next(Mapping& mapping) noexcept;

private:
    bool next_in_text(Mapping& mapping) noexcept;

    struct Close {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };
    FileDescriptor file_;                    ///< For queries.
    std::unique_ptr<std::FILE, Close> text_; ///< Otherwise.
    std::uintptr_t after_;
    bool whole_line_ = true; ///< A long path arrives in several pieces.
};

/// Whether a mapping with this name is of a file. By the name in /proc/self/maps, as far as it is known.
bool is_file(const char* name) noexcept;

/// Whether the system can read there. Otherwise, a read by the program would get a signal.
bool can_be_read(std::uintptr_t address) noexcept;

} // namespace ferry::detail
