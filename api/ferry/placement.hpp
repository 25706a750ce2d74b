// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/export.hpp>

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace ferry {

/// How the device uses shared memory. The guards of Shared::host() state the access by the host.
enum class Access : std::uint8_t {
    device_reads,   ///< The device reads.
    device_writes,  ///< The device writes every byte of the range that a launch is given. The old contents
                    ///< are not needed.
    device_updates, ///< The device reads, and writes some or all bytes.
};

/// How the host uses the range of a guard.
enum class HostAccess : std::uint8_t {
    read,
    write,      ///< The host writes every byte of the guard's range. The old contents are not transferred.
    read_write, ///< The host reads, and writes some or all bytes.
};

/// How bytes get from the host to a device and back. Later enumerators need less from the hardware.
enum class Placement : std::uint8_t {
    alias, ///< Host and device use the same memory. No copy exists.
    link,  ///< The device works on page-locked host memory over its bus. No copy exists; each access crosses
           ///< the bus.
    migrate, ///< Pages move to the device when it accesses them.
    copy,    ///< Explicit copies between device memory and the caller's memory, which is page-locked for
             ///< this.
    stage,   ///< Explicit copies of pageable memory, through the page-locked slots of the library or of the
             ///< driver.
};

/// A set of placements.
class Placements {
public:
    constexpr Placements() noexcept = default; ///< The empty set.
    constexpr Placements(Placement one) noexcept : bits_(bit(one)) {}
    constexpr Placements(std::initializer_list<Placement> several) noexcept {
        for (const Placement one : several) {
            bits_ = static_cast<std::uint8_t>(bits_ | bit(one));
        }
    }
    static constexpr Placements all() noexcept {
        return {Placement::alias, Placement::link, Placement::migrate, Placement::copy, Placement::stage};
    }
    constexpr bool has(Placement one) const noexcept { return (bits_ & bit(one)) != 0; }
    constexpr bool empty() const noexcept { return bits_ == 0; }
    friend constexpr bool operator==(Placements, Placements) noexcept = default;

private:
    static constexpr std::uint8_t bit(Placement one) noexcept {
        return static_cast<std::uint8_t>(1U << static_cast<unsigned>(one));
    }
    std::uint8_t bits_ = 0;
};

/// How a kernel accesses the bytes.
enum class Pattern : std::uint8_t {
    sequential, ///< All of them, adjacent bytes together.
    sparse,     ///< A small part of them, about one percent.
    random,     ///< All of them, in no order.
};

/// A placement that was not chosen.
struct Rejected {
    Placement placement{};
    std::string why; ///< a clause: "1.9 ms predicted", "not allowed by the caller, 1.9 ms predicted"
    double predicted_seconds = 0; ///< of one round; 0 where it is not possible
    bool measured = false;        ///< whether that comes of rounds measured on this device
    double built_in_seconds = 0;  ///< the same by built-in figures; 0 where it is not possible
    bool slower = false;          ///< Its longer time is the only reason.
};

/// The placement of a Shared and the reasons for it. to_string() turns it into text.
struct Explanation {
    Placement taken{};
    std::string why;
    double predicted_seconds = 0; ///< Time of one round: share, copies to the device, the passes, copies
                                  ///< back.
    /// True if the prediction is based on measurements of this device. False if it is based on built-in
    /// figures of another device of the same kind. Device::capabilities() measures; share() does not.
    bool measured = false;
    double built_in_seconds = 0; ///< the same round by built-in figures
    std::vector<Rejected> rejected;
    std::uint64_t bytes_up = 0;     ///< Bytes copied to the device so far.
    std::uint64_t bytes_down = 0;   ///< Bytes copied back so far.
    std::uint64_t copies = 0;       ///< Number of commands that copied.
    std::vector<std::string> hints; ///< Changes that would make it faster.
};

/// "alias", "device_reads".
FERRY_API std::string_view to_string(Placement placement) noexcept;
FERRY_API std::string_view to_string(Access access) noexcept;
/// A line with the placement, the bytes moved and the reason, a table of all placements and a line for each
/// hint. The table has the time by built-in figures, the time by rounds measured on this device, and the
/// reason. No line has more than 120 columns, unless one word does.
FERRY_API std::string to_string(const Explanation& explanation);
/// The same without table and hints, in one line.
FERRY_API std::string one_line(const Explanation& explanation);
FERRY_API std::ostream& operator<<(std::ostream& out, const Explanation& explanation);

} // namespace ferry
