// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session.hpp"

#include <ferry/capabilities.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Tests of what is said about memory.
namespace ferry::detail::litmus {

/// Which facts a test may settle.
enum Asked : std::uint8_t {
    asks_reach = 1,
    asks_coherence = 2,
    asks_atomics = 4,
    asks_same_address = 8,
    asks_migrates = 16,
    asks_host_cached = 32,
    asks_speed = 64,
};

struct Test {
    std::string_view name; ///< one word, the same in each version: parts of a measurement are named by it
    std::string_view what; ///< "the atomics that both sides do", behind "measuring"
    std::uint8_t asked;    ///< Asked
    bool (*applies)(const MemoryCapabilities& facts);
    void (*run)(Session& session, MemoryCapabilities& facts); ///< throws Error
    bool later = false; ///< behind those of the other kinds, whose answers are wanted more
};

/// Those for memory of a kind, in their order: later ones look at what earlier ones settled.
std::span<const Test> tests_of(MemoryKind kind) noexcept;

/// Is told what runs. A process that may end at any time is one that has said so before.
class Watch {
public:
    Watch() = default;
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    virtual ~Watch() = default;
    /// False: this one is left out.
    virtual bool begins(const MemoryCapabilities& facts, const Test& test) = 0;
    /// With what is known now; also of a test that failed to run.
    virtual void ends(const MemoryCapabilities& facts, const Test& test) = 0;
};

/// `facts`, by the number of the kind, after every test that fits them and that `watch` lets run, in that
/// order of the kinds. A test that fails to run leaves its facts alone; one that has no time left is excused
/// for that (is_cut_short()). Throws Error (device_lost).
void measure(Session& session, std::span<MemoryCapabilities> facts, std::span<const MemoryKind> order,
             Watch& watch);

/// After a test that ended its process: what it asked is unknown and has the careful value; `why` is in the
/// source.
void doubt(MemoryCapabilities& facts, const Test& test, const std::string& why);
/// The reason of tests that there was no time for.
inline constexpr const char* too_late = "the time for measuring was over";
/// The number of facts for which the time was too short.
std::size_t count_late(const MemoryCapabilities& facts);
/// Whether the time was too short for one of the tests.
bool is_cut_short(const MemoryCapabilities& facts);
/// Whether it was too short for that one, or for another that asks the same.
bool had_no_time(const MemoryCapabilities& facts, const Test& test);
/// What there was no time for is as it was declared again; all else stays as it was measured.
void reopen(MemoryCapabilities& facts, const MemoryCapabilities& declared);

/// After a test that was not run: nothing but the sources changes, which say why.
void excuse(MemoryCapabilities& facts, const Test& test, const std::string& why);

// Each looks at what the facts say so far, and settles some of them. They throw Error.

/// One address for both sides?
void test_address(Session& session, MemoryCapabilities& facts);
/// Whether each side sees what the other one wrote before and after a kernel, and whether the time for one
/// word grows with the buffer: then the driver moves it all behind the program's back.
void test_storage(Session& session, MemoryCapabilities& facts);
/// The same of memory that the program made, imported. What is wrong then cannot be used in place at all.
void test_imported(Session& session, MemoryCapabilities& facts);
/// The same where the host reaches memory by mappings only.
void test_mapped(Session& session, MemoryCapabilities& facts);
/// Whether both sides see each other's words in imported memory without the mappings that it has otherwise,
/// which is undefined: what they do not see, a driver copies when it maps.
void test_unmapped(Session& session, MemoryCapabilities& facts);
/// Words to and fro between the host and a kernel that runs.
void test_ordering(Session& session, MemoryCapabilities& facts);
/// Both sides count in one word.
void test_atomics(Session& session, MemoryCapabilities& facts);
/// How fast kernels read it, and how long a load takes, beside the device's own memory; of memory that may
/// migrate the first time and the second.
void test_reach(Session& session, MemoryCapabilities& facts);
/// How fast the host reads it, beside ordinary memory.
void test_host_cache(Session& session, MemoryCapabilities& facts);

} // namespace ferry::detail::litmus
