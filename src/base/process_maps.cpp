// SPDX-License-Identifier: Apache-2.0
#include "base/process_maps.hpp"

#include "base/decimal.hpp"
#include "base/text.hpp"
#include "system/pages.hpp"
#include "system/thread.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

namespace ferry::detail {
namespace {

/// The end of the file mapped from `begin` to `end`, rounded up to a page, or `end`.
std::uintptr_t end_of_file(std::uintptr_t begin, std::uintptr_t end) {
    if (can_be_read(end - 1)) {
        return end;
    }
    const std::uintptr_t page = page_size();
    std::uintptr_t there = begin & ~(page - 1); // The file exists up to here.
    for (std::uintptr_t not_there = (end - 1) & ~(page - 1); there < not_there;) {
        const std::uintptr_t middle = (there + (not_there - there) / 2) & ~(page - 1);
        if (can_be_read(middle)) {
            there = middle + page;
        } else {
            not_there = middle;
        }
    }
    return std::max(begin, there);
}

/// For the main thread the C library reads the whole list of mappings, so do it only once.
const StackBounds& stack_of_this_thread() {
    static thread_local const StackBounds bounds = find_stack_of_this_thread();
    return bounds;
}

} // namespace

std::string describe_range(const void* data, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    return address_text(begin) + " to " + address_text(begin + bytes) + " (" + in_bytes(bytes) + ")";
}

std::size_t check_extent(const char* what, const void* data, std::size_t count, std::size_t element,
                         SourceLocation where) {
    const auto refuse = [&](const std::string& why) {
        throw Error(Code::invalid_argument, std::string(what) + " " + why, where);
    };
    if (data == nullptr) {
        refuse("begins at the null pointer (" + std::to_string(count) + " elements)");
    }
    if (count == 0) {
        refuse("at " + address_text(reinterpret_cast<std::uintptr_t>(data)) +
               " has no elements; at least one is needed");
    }
    const std::uintptr_t room =
        std::numeric_limits<std::uintptr_t>::max() - reinterpret_cast<std::uintptr_t>(data);
    if (count > room / element) {
        refuse("has " + std::to_string(count) + " elements of " + in_bytes(element) + " at " +
               address_text(reinterpret_cast<std::uintptr_t>(data)) +
               " and would end beyond the address space, which has " + in_bytes(room) + " from there on");
    }
    return count * element;
}

namespace {

struct Verdict {
    PageFacts facts;
    std::uintptr_t at = 0;   ///< The range is valid up to here.
    std::uintptr_t stop = 0; ///< The bytes from `at` to here are not valid.
    const char* fault = "not mapped";
};

constinit std::atomic<const OwnProtection*> own_protection{nullptr};

bool is_own_protection(std::uintptr_t begin, std::uintptr_t end) {
    const OwnProtection* const own = own_protection.load();
    return own != nullptr && own->covers(begin, end);
}

std::uint64_t changes_of_own_protection() noexcept {
    const OwnProtection* const own = own_protection.load();
    return own != nullptr ? own->changes() : 0;
}

Verdict look_at_pages(std::uintptr_t begin, std::uintptr_t end, bool writes, Mappings mappings) {
    const StackBounds& stack = stack_of_this_thread();
    Verdict found;
    found.at = begin;
    found.stop = end;
    found.facts.stack = begin < stack.end && stack.begin < end;
    MappingReader reader(begin, mappings);
    if (!reader.is_available()) {
        found.at = end;
    }
    for (Mapping mapping; found.at < end && reader.next(mapping);) {
        if (mapping.begin > found.at) {
            found.stop = std::min(found.stop, mapping.begin);
            break;
        }
        found.facts.stack = found.facts.stack || mapping.stack;
        const std::uintptr_t mapped = std::min(end, mapping.end);
        if (!mapping.reads && is_own_protection(found.at, mapped)) { // They are the program's.
            found.at = mapped;
            continue;
        }
        found.facts.writable = found.facts.writable && mapping.writes;
        if (!mapping.reads || (writes && !mapping.writes)) {
            found.fault = mapping.reads ? "not writable" : "not readable";
            found.stop = mapped;
            break;
        }
        found.at = mapping.file ? end_of_file(found.at, mapped) : mapped;
        if (found.at < mapped) {
            found.fault = "past the end of the file that is mapped there (or cannot be read from it)";
            found.stop = mapped;
            break;
        }
    }
    return found;
}

} // namespace

void set_own_protection(const OwnProtection& protection) noexcept {
    own_protection = &protection;
}

PageFacts check_pages(const char* what, const void* data, std::size_t bytes, bool writes,
                      SourceLocation where, Mappings mappings) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::uintptr_t end = begin + bytes;
    std::uint64_t changes = 0;
    Verdict found;
    do { // A page that is protected, or released, meanwhile is not an error of the program.
        changes = changes_of_own_protection();
        found = look_at_pages(begin, end, writes, mappings);
    } while (found.at < end && changes != changes_of_own_protection());
    if (found.at < end) {
        throw Error(Code::invalid_argument,
                    std::string(what) + ", " + describe_range(data, bytes) + ", has bytes that are " +
                        found.fault + ": " +
                        describe_range(reinterpret_cast<const void*>(found.at), found.stop - found.at),
                    where);
    }
    return found.facts;
}

void allow_again(const void* data, std::size_t bytes) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::uintptr_t end = begin + bytes;
    const auto allow = [](std::uintptr_t from, std::uintptr_t to) {
        set_page_rights(reinterpret_cast<void*>(from), to - from, PageRights::all);
    };
    MappingReader reader(begin);
    if (!reader.is_available()) {
        allow(begin, end);
    }
    for (Mapping mapping; reader.next(mapping) && mapping.begin < end;) {
        if (!mapping.reads && !mapping.writes) {
            allow(std::max(begin, mapping.begin), std::min(end, mapping.end));
        }
    }
}

void check_still_mapped(const char* what, const void* data, std::size_t bytes, SourceLocation where) {
    try {
        static_cast<void>(check_pages(what, data, bytes, false, where));
    } catch (const Error& error) {
        throw Error(Code::invalid_state,
                    std::string(error.what()) +
                        "; it was given back to the system too early: it must stay until the share or the "
                        "import has ended",
                    where);
    }
}

} // namespace ferry::detail
