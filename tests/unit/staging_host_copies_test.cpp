// SPDX-License-Identifier: Apache-2.0
#include "base/copy_threads.hpp"
#include "base/host_copies.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <random>
#include <thread>
#include <vector>

namespace staging_host_copies_test {

using namespace ferry::detail::staging;

namespace {

/// Pieces of a source that are copied to other places in reverse order.
struct Pieces {
    explicit Pieces(std::size_t bytes) : from(bytes), to(bytes, 'x') {
        std::mt19937 random{std::random_device{}()};
        std::generate(from.begin(), from.end(), [&] { return static_cast<char>(random()); });
        for (std::size_t at = 0; at < bytes;) {
            const std::size_t size = std::min<std::size_t>(1 + random() % 9000, bytes - at);
            copies.push_back({to.data() + (bytes - at - size), from.data() + at, size});
            at += size;
        }
    }
    bool is_there(std::size_t count) const {
        return std::all_of(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(count),
                           [](const HostCopy& copy) {
                               const auto* const source = static_cast<const char*>(copy.from);
                               return std::equal(source, source + copy.bytes, static_cast<char*>(copy.to));
                           });
    }
    std::vector<char> from, to;
    std::vector<HostCopy> copies;
};

constexpr std::size_t mebi = std::size_t{1} << 20;

} // namespace

TEST_CASE("staging host copies: all arrive, the first before the last are waited for") {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{70'001}, mebi + 1, 5 * mebi + 77}) {
        Pieces pieces(bytes);
        HostCopies copies(pieces.copies);
        std::mt19937 random{std::random_device{}()};
        for (std::size_t count = 0; count < pieces.copies.size();) {
            count = std::min<std::size_t>(count + random() % 200, pieces.copies.size());
            copies.wait_for(count);
            CHECK(pieces.is_there(count));
        }
    }
    HostCopies none({});
    none.wait_for(0);
}

TEST_CASE("staging host copies: the waiting thread makes them while the copy threads are busy") {
    Workers& workers = Workers::get();
    const unsigned threads = workers.most();
    std::atomic<bool> go_on{false};
    std::atomic<unsigned> ended{0};
    for (unsigned i = 0; i < threads; ++i) {
        workers.push([&] {
            while (!go_on) {
                std::this_thread::yield();
            }
            ++ended;
        });
    }
    {
        Pieces pieces(3 * mebi);
        HostCopies copies(pieces.copies);
        copies.wait_for(pieces.copies.size());
        CHECK(pieces.is_there(pieces.copies.size()));
    }
    go_on = true; // the threads run late, when the copies are done and their memory is gone
    workers.push([&] { ++ended; });
    while (ended != threads + 1) {
        std::this_thread::yield();
    }
}

TEST_CASE("staging host copies: after an early stop no thread works on them") {
    for (int i = 0; i < 20; ++i) {
        Pieces pieces(4 * mebi);
        {
            HostCopies copies(pieces.copies);
            copies.wait_for(static_cast<std::size_t>(i));
        }
        const std::vector<char> seen = pieces.to;
        std::fill(pieces.from.begin(), pieces.from.end(), '!');
        std::this_thread::yield();
        CHECK((seen == pieces.to));
    }
}

} // namespace staging_host_copies_test
