// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/session.hpp"

#include <ferry/capabilities.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Tests of declared facts about memory.
namespace ferry::detail::memory_tests {

/// The facts that a test may determine.
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
    std::string_view name; ///< One word, the same in each version, because it names parts of a measurement.
    std::string_view what; ///< "the atomics that both sides do", after "measuring".
    std::uint8_t asked;    ///< A combination of Asked.
    bool (*applies)(const MemoryCapabilities& facts);
    void (*run)(Session& session, MemoryCapabilities& facts); ///< Throws Error.
    bool later = false; ///< Runs after the tests of the other kinds, which are more important.
};

/// The tests for memory of a kind, in order. Later ones use the results of earlier ones.
std::span<const Test> tests_of(MemoryKind kind) noexcept;

/// Observer of running tests. It is called before each so that a crash can be attributed.
class Watch {
public:
    Watch() = default;
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    virtual ~Watch() = default;
    /// Returns false to skip this test.
    virtual bool begins(const MemoryCapabilities& facts, const Test& test) = 0;
    /// Called with the present facts, also after a test that failed to run.
    virtual void ends(const MemoryCapabilities& facts, const Test& test) = 0;
};

/// Updates `facts`, indexed by kind, with every applicable test that `watch` allows, in the given order of
/// the kinds. A test that fails to run leaves its facts unchanged; one without remaining time is excused
/// (is_cut_short()). Throws Error (device_lost).
void measure(Session& session, std::span<MemoryCapabilities> facts, std::span<const MemoryKind> order,
             Watch& watch);

/// After a test that ended its process, or was killed with it: its facts become unknown with the conservative
/// value; `why` is in the source.
void doubt(MemoryCapabilities& facts, const Test& test, Interruption how, const std::string& why);
/// The reason, as text, for tests without enough time.
inline constexpr const char* too_late = "the time for measuring was over";
/// The number of facts for which the time was too short.
std::size_t count_late(const MemoryCapabilities& facts);
/// Whether the time was too short for one of the tests.
bool is_cut_short(const MemoryCapabilities& facts);
/// Whether it was too short for this test, or for another one with the same facts.
bool had_no_time(const MemoryCapabilities& facts, const Test& test);
/// Restores the declared values of facts without enough time. All other facts keep their measured values.
void reopen(MemoryCapabilities& facts, const MemoryCapabilities& declared);

/// After a test that was not run: changes only the sources, which give the reason.
void excuse(MemoryCapabilities& facts, const Test& test, const std::string& why);
/// The same for a test without enough time, which the next measurement runs.
void excuse_late(MemoryCapabilities& facts, const Test& test);

// Each of them reads the facts so far and determines some of them. They throw Error.

/// Whether both sides have the same address.
void test_address(Session& session, MemoryCapabilities& facts);
/// Whether each side sees the other's writes before and after a kernel. Also whether the time for one word
/// grows with the buffer: then the driver moves all of it implicitly.
void test_storage(Session& session, MemoryCapabilities& facts);
/// The same for the program's own memory, imported. If it fails, the memory cannot be used in place at all.
void test_imported(Session& session, MemoryCapabilities& facts);
/// The same if the host accesses the memory only through mappings.
void test_mapped(Session& session, MemoryCapabilities& facts);
/// Whether both sides see each other's words in imported memory without the usual mappings, which is
/// undefined. If not, the driver copies when it maps.
void test_unmapped(Session& session, MemoryCapabilities& facts);
/// Words exchanged between the host and a running kernel.
void test_ordering(Session& session, MemoryCapabilities& facts);
/// Both sides count in one word.
void test_atomics(Session& session, MemoryCapabilities& facts);
/// The speed of kernels and the latency of a load, compared with the device's own memory. For memory that may
/// migrate, the first and the second time.
void test_reach(Session& session, MemoryCapabilities& facts);
/// The speed of reads by the host, compared with ordinary memory.
void test_host_cache(Session& session, MemoryCapabilities& facts);

} // namespace ferry::detail::memory_tests
