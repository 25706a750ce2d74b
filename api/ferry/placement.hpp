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

/// What the device does with shared bytes. The host's part is told by the guards of Shared::host().
enum class Access : std::uint8_t {
    device_reads,   ///< the device reads
    device_writes,  ///< it writes every byte of what a launch is given; what was there before is not needed
    device_updates, ///< it reads, and writes some or all
};

/// What the host does within a guard.
enum class HostAccess : std::uint8_t {
    read,
    write,      ///< it writes every byte of the guard's range; what was there need not be brought back
    read_write, ///< it reads, and writes some or all
};

/// How bytes get from the host to a device and back. Later ones come with fewer demands on the hardware.
enum class Placement : std::uint8_t {
    alias, ///< both use the same memory chips: no copy exists
    link,  ///< the device works on page-locked host memory over its bus: no copy exists, each access crosses
    migrate, ///< pages move to the device as it touches them
    copy,    ///< explicit copies between device memory and the caller's memory, page-locked for it
    stage,   ///< explicit copies of ordinary memory, through the library's page-locked slots or the driver's
};

/// A set of placements.
class Placements {
public:
    constexpr Placements() noexcept = default; ///< none
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

/// How a kernel goes over the bytes.
enum class Pattern : std::uint8_t {
    sequential, ///< all of them, neighbours together
    sparse,     ///< a small part of them, about one in a hundred
    random,     ///< all of them, in no order
};

/// A placement that was not taken.
struct Rejected {
    Placement placement{};
    std::string why; ///< a clause: "1.9 ms predicted", "not allowed by the caller, 1.9 ms predicted"
    double predicted_seconds = 0; ///< of one round; 0 where it is not possible
    bool measured = false;        ///< whether that comes of rounds measured on this device
    double built_in_seconds = 0;  ///< the same by built-in figures; 0 where it is not possible
};

/// What a Shared does and why: as data, and through to_string() for people.
struct Explanation {
    Placement taken{};
    std::string why;
    double predicted_seconds = 0; ///< of one round: share, what goes up, the passes, what comes down
    /// Whether that comes of rounds measured on this device; else of built-in figures of another one of its
    /// kind. Device::capabilities() measures, share() itself does not.
    bool measured = false;
    double built_in_seconds = 0; ///< the same round by built-in figures
    std::vector<Rejected> rejected;
    std::uint64_t bytes_up = 0;     ///< copied to the device so far
    std::uint64_t bytes_down = 0;   ///< copied back so far
    std::uint64_t copies = 0;       ///< commands that did so
    std::vector<std::string> hints; ///< what would make it better
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
