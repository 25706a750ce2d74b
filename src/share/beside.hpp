// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/source_location.hpp>

#include <cstdint>
#include <string>

namespace ferry::detail {

/// As long as it lives, commands of this thread are those of a share itself, and so is what it frees.
class OwnCommand {
public:
    OwnCommand() noexcept;
    OwnCommand(const OwnCommand&) = delete;
    OwnCommand& operator=(const OwnCommand&) = delete;
    ~OwnCommand();
};

/// With FERRY_CHECK=races: throws Error (invalid_state) where a command uses the memory of a share past it,
/// and would read old bytes or write what the share does not learn of.
void check_beside_shares(const std::string& what, std::uintptr_t begin, std::uintptr_t end, bool writes,
                         SourceLocation where);

/// A buffer ends whose memory may be shared: check_mapped() tells that.
void note_freed_beneath_shares(const std::string& buffer, std::uintptr_t begin, std::uintptr_t end) noexcept;

} // namespace ferry::detail
