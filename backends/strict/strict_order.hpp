// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ferry::host {

/// The commands that precede a queue's next one: its own, and those before the events that it waits for. Used
/// by one thread at a time.
class Order {
public:
    Order();
    Order(const Order&) = delete;
    Order& operator=(const Order&) = delete;
    ~Order();

    /// For each queue, the number of its last preceding command.
    using Known = std::vector<std::uint64_t>;

    std::size_t queue() const noexcept { return queue_; }
    bool after(std::size_t queue, std::uint64_t number) const noexcept {
        return queue == queue_ || (queue < known_.size() && number <= known_[queue]);
    }
    /// The commands before an event that is recorded now.
    Known now() const;
    void wait(const Known& event);

private:
    const std::size_t queue_; // The number of an ended queue is reused; its commands' numbers continue.
    Known known_;
};

} // namespace ferry::host
