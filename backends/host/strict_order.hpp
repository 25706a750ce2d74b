// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ferry::host {

/// Which commands a queue's next one comes after: its own, and those before the events that it waits for.
/// Used by one thread at a time.
class Order {
public:
    Order();
    Order(const Order&) = delete;
    Order& operator=(const Order&) = delete;
    ~Order();

    /// Up to which number the commands of each queue come first.
    using Known = std::vector<std::uint64_t>;

    std::size_t queue() const noexcept { return queue_; }
    bool after(std::size_t queue, std::uint64_t number) const noexcept {
        return queue == queue_ || (queue < known_.size() && number <= known_[queue]);
    }
    /// What comes before an event that is recorded now.
    Known now() const;
    void wait(const Known& event);

private:
    const std::size_t queue_; // a queue's that has ended is given again: the numbers go on
    Known known_;
};

} // namespace ferry::host
