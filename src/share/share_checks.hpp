// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/source_location.hpp>

#include <cstdint>
#include <string>

namespace ferry::detail {

/// While it lives, commands of this thread, and memory that it frees, are marked as issued by a share.
class OwnCommand {
public:
    OwnCommand() noexcept;
    OwnCommand(const OwnCommand&) = delete;
    OwnCommand& operator=(const OwnCommand&) = delete;
    ~OwnCommand();
};

/// With FERRY_CHECK=races: throws Error (invalid_state) if a command uses the memory of a share directly, and
/// would read outdated bytes or write bytes that the share does not track.
void check_direct_use(const std::string& what, std::uintptr_t begin, std::uintptr_t end, bool writes,
                      SourceLocation where);

/// A buffer is destroyed while its memory may be shared. check_mapped() reports it.
void note_freed_beneath_shares(const std::string& buffer, std::uintptr_t begin, std::uintptr_t end) noexcept;

} // namespace ferry::detail
