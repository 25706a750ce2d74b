// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ferry::detail::race {

/// An actor: the host (all of its threads together), or one queue.
using Actor = std::size_t;
constexpr Actor host = 0;

/// A vector clock: for each actor, the number of its operations that come before.
class Clock {
public:
    std::uint64_t of(Actor actor) const noexcept { return actor < counts_.size() ? counts_[actor] : 0; }
    void join(const Clock& other) {
        if (counts_.size() < other.counts_.size()) {
            counts_.resize(other.counts_.size());
        }
        for (std::size_t i = 0; i < other.counts_.size(); ++i) {
            counts_[i] = counts_[i] < other.counts_[i] ? other.counts_[i] : counts_[i];
        }
        unseen_ = unseen_ || other.unseen_;
    }
    /// The next operation of the actor.
    std::uint64_t advance(Actor actor) {
        if (counts_.size() <= actor) {
            counts_.resize(actor + 1);
        }
        return ++counts_[actor];
    }

    /// Whether it comes after work that Ferry did not see, which may come after any operation.
    bool after_unseen() const noexcept { return unseen_; }
    void set_after_unseen(bool unseen) noexcept { unseen_ = unseen; }

private:
    bool unseen_ = false;
    std::vector<std::uint64_t> counts_;
};

} // namespace ferry::detail::race
