// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache/cache_key.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace ferry::detail {

/// Measurements that are made once, as text: by this process, or by another one from the cache of compiled
/// kernels. Holds several results of one kind, each under its key. Thread-safe. Never throws for the contents
/// of the cache.
class MeasuredOnce {
public:
    /// Whether a text is a stored one. Another text, for example a damaged one, counts as none.
    using IsWhole = std::function<bool(const std::string& text)>;
    /// Returns no value if the machine is too busy for a result, and an empty text if there will never be
    /// one.
    using Measure = std::function<std::optional<std::string>()>;

    MeasuredOnce() = default;
    MeasuredOnce(const MeasuredOnce&) = delete;
    MeasuredOnce& operator=(const MeasuredOnce&) = delete;

    /// Empty if nothing is known, or FERRY_CALIBRATION forbids its use. Reads the disk once for a key.
    std::string known(const cache::Key& key, const IsWhole& is_whole);
    /// Measures unknown results, or all if `afresh`, once in a process; other threads that call it wait.
    /// After an inconclusive result another process tries again, three times at most. Returns true if more is
    /// known now.
    bool learn(const cache::Key& key, bool afresh, const IsWhole& is_whole, const Measure& measure);
    /// For tests: the state of a new process. Must not be called while another thread measures.
    void forget();

private:
    struct Entry {
        bool looked = false; ///< On disk.
        bool tried = false;  ///< A measurement.
        std::string text;
    };
    Entry& look(const cache::Key& key, const IsWhole& is_whole); ///< mutex_ must be held.

    std::mutex measuring_; // Taken before mutex_.
    std::mutex mutex_;     // Protects all members below.
    std::map<std::string, Entry> entries_;
};

} // namespace ferry::detail
