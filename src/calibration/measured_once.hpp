// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache/cache_key.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace ferry::detail {

/// What is measured once, as text: by this process, or by another one and kept in the cache of compiled
/// kernels. Several things of one sort, each under its key. Thread-safe. Never throws for what the cache has.
class MeasuredOnce {
public:
    /// Whether a text is one that was stored: another, a damaged one say, counts as nothing.
    using IsWhole = std::function<bool(const std::string& text)>;
    /// No value if the machine is too busy for an answer; an empty text if there will never be one.
    using Measure = std::function<std::optional<std::string>()>;

    MeasuredOnce() = default;
    MeasuredOnce(const MeasuredOnce&) = delete;
    MeasuredOnce& operator=(const MeasuredOnce&) = delete;

    /// Empty if nothing is known, or FERRY_CALIBRATION forbids to look. Looks on disk once for a key.
    std::string known(const cache::Key& key, const IsWhole& is_whole);
    /// Measures what is not known, or `afresh`, once in a process; other threads that come to learn wait.
    /// What does not settle is left as it was, for another process to try, three times at most. True if more
    /// is known now.
    bool learn(const cache::Key& key, bool afresh, const IsWhole& is_whole, const Measure& measure);
    /// For tests: as a new process begins; not while another thread measures.
    void forget();

private:
    struct Entry {
        bool looked = false; ///< on disk
        bool tried = false;  ///< to measure
        std::string text;
    };
    Entry& look(const cache::Key& key, const IsWhole& is_whole); ///< with mutex_ held

    std::mutex measuring_; // before mutex_
    std::mutex mutex_;     // all that follows
    std::map<std::string, Entry> entries_;
};

} // namespace ferry::detail
