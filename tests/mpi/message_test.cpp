// SPDX-License-Identifier: Apache-2.0
#include "mpi_test.hpp"

#include <array>
#include <string>

namespace {

// A chunk has 1024 words.
constexpr std::array<std::size_t, 9> sizes{1, 3, 1023, 1024, 1025, 2048, 5000, 40'001, 0};

} // namespace

TEST_CASE("mpi: messages of all sizes around the ring, from and to parts of buffers") {
    ferry::Queue queue{world().device()};
    for (const std::size_t count : sizes) {
        ferry::Buffer<Word> from{world().device(), count + 7};
        ferry::Buffer<Word> to{world().device(), count + 5};
        queue.fill(to, 0xabababab);
        queue.copy_and_wait(values(count, world().rank(), 1), from.subview(7, count));
        const mpi::Request arriving = world().irecv(queue, to.subview(2, count), previous(), 5);
        const mpi::Request leaving = world().isend(queue, from.subview(7, count), next(), 5);
        arriving.wait();
        std::vector<Word> wanted(count + 5, 0xabababab);
        const std::vector<Word> sent = values(count, previous(), 1);
        std::copy(sent.begin(), sent.end(), wanted.begin() + 2);
        CHECK_MESSAGE(queue.read(to) == wanted, count, " elements");
        leaving.wait();
    }
}

TEST_CASE("mpi: a message holds what the commands before it made, and later ones see it") {
    const ferry::Device device = world().device();
    ferry::Queue queue{device};
    ferry::Queue other{device};
    constexpr std::size_t count = 20'003;
    ferry::Buffer<Word> from{device, count};
    ferry::Buffer<Word> to{device, count};
    ferry::Buffer<Word> copy{device, count};
    for (Word round = 1; round <= 8; ++round) {
        const Word mine = round * 1000 + static_cast<Word>(world().rank());
        for (int i = 0; i < 20; ++i) {
            queue.fill(from, 77U);
        }
        queue.fill(from, mine);
        const mpi::Request arriving = world().irecv(queue, to, previous());
        const mpi::Request leaving = world().isend(queue, from, next());
        leaving.wait();
        queue.fill(from, 88U); // the message was already sent
        arriving.join(other);
        other.copy(to, copy);
        CHECK(other.read(copy) == std::vector<Word>(count, round * 1000 + static_cast<Word>(previous())));
        other.finish();
    }
}

TEST_CASE("mpi: messages of one rank and one tag keep their order, whatever queue and size they have") {
    const ferry::Device device = world().device();
    ferry::Queue slow{device};
    ferry::Queue fast{device};
    constexpr std::size_t many = 9000;
    constexpr std::size_t few = 10;
    ferry::Buffer<Word> a{device, many};
    ferry::Buffer<Word> b{device, few};
    ferry::Buffer<Word> x{device, many};
    ferry::Buffer<Word> y{device, few};
    ferry::Buffer<Word> ballast{device, std::size_t{1} << 20};
    for (Word i = 0; i < 10; ++i) {
        slow.fill(ballast, i); // makes the first message ready after the second one
    }
    slow.fill(a, 2U);
    fast.fill(b, 3U);
    const std::array<mpi::Request, 4> requests{
        world().isend(slow, a, next(), 9), world().isend(fast, b, next(), 9),
        world().irecv(fast, x, previous(), 9), world().irecv(fast, y, previous(), 9)};
    for (const mpi::Request& request : requests) {
        request.wait();
    }
    CHECK(fast.read(x) == std::vector<Word>(many, 2));
    CHECK(fast.read(y) == std::vector<Word>(few, 3));
}

TEST_CASE("mpi: every rank with every other one at once") {
    const ferry::Device device = world().device();
    ferry::Queue queue{device};
    constexpr std::size_t count = 3001;
    std::vector<ferry::Buffer<Word>> from;
    std::vector<ferry::Buffer<Word>> to;
    std::vector<mpi::Request> requests;
    for (int rank = 0; rank < world().size(); ++rank) {
        from.emplace_back(device, count);
        to.emplace_back(device, count);
        queue.copy_and_wait(values(count, world().rank(), rank), from.back());
        requests.push_back(world().isend(queue, from.back(), rank, 1));
        requests.push_back(world().irecv(queue, to.back(), rank, 1));
    }
    for (auto request = requests.rbegin(); request != requests.rend(); ++request) {
        request->wait();
    }
    for (int rank = 0; rank < world().size(); ++rank) {
        CHECK(queue.read(to[static_cast<std::size_t>(rank)]) == values(count, rank, world().rank()));
    }
}

TEST_CASE("mpi: a halo exchange, with nobody beyond the edges") {
    ferry::Queue queue{world().device()};
    constexpr std::size_t row = 1501;
    ferry::Buffer<Word> field{world().device(), 4 * row};
    queue.fill(field, 9U);
    queue.fill(field.subview(row, row), 100U + static_cast<Word>(world().rank()));
    queue.fill(field.subview(2 * row, row), 200U + static_cast<Word>(world().rank()));
    const bool first = world().rank() == 0;
    const bool last = world().rank() == world().size() - 1;
    const std::array<mpi::Halo<Word>, 2> halos{
        mpi::Halo<Word>{.rank = first ? MPI_PROC_NULL : world().rank() - 1,
                        .send = field.subview(row, row),
                        .receive = field.first(row),
                        .send_tag = 1,
                        .receive_tag = 2},
        mpi::Halo<Word>{.rank = last ? MPI_PROC_NULL : world().rank() + 1,
                        .send = field.subview(2 * row, row),
                        .receive = field.last(row),
                        .send_tag = 2,
                        .receive_tag = 1}};
    world().exchange<Word>(queue, halos);
    CHECK(queue.read(field.first(row)) ==
          std::vector<Word>(row, first ? 9 : 200 + static_cast<Word>(previous())));
    CHECK(queue.read(field.last(row)) == std::vector<Word>(row, last ? 9 : 100 + static_cast<Word>(next())));
}

TEST_CASE("mpi: memory of other kinds") {
    const ferry::Device device = world().device();
    ferry::Queue queue{device};
    constexpr std::size_t count = 5003;
    for (const ferry::MemoryKind kind : {ferry::MemoryKind::host, ferry::MemoryKind::shared}) {
        const int both = device.has(kind) ? 1 : 0;
        int all = 0;
        REQUIRE(MPI_Allreduce(&both, &all, 1, MPI_INT, MPI_MIN, world().native()) == MPI_SUCCESS);
        if (all == 0) {
            continue;
        }
        ferry::Buffer<Word> from{device, count, kind};
        ferry::Buffer<Word> to{device, count, kind};
        queue.copy_and_wait(values(count, world().rank(), 3), from);
        const mpi::Request arriving = world().irecv(queue, to, previous());
        world().send(queue, from, next());
        arriving.wait();
        CHECK(queue.read(to) == values(count, previous(), 3));
    }
}

TEST_CASE("mpi: ranks, tags and events that are not there") {
    ferry::Queue queue{world().device()};
    ferry::Buffer<Word> data{world().device(), 10};
    const auto code_of = [](auto call) {
        try {
            call();
        } catch (const ferry::Error& error) {
            return error.code();
        }
        return ferry::Code::internal;
    };
    CHECK(code_of([&] { world().isend(queue, data, world().size()); }) == ferry::Code::invalid_argument);
    CHECK(code_of([&] { world().irecv(queue, data, -1); }) == ferry::Code::invalid_argument);
    CHECK(code_of([&] { world().irecv(queue, data, 0, -1); }) == ferry::Code::invalid_argument);
    CHECK(code_of([&] { world().irecv(queue, data, 0, 32768); }) == ferry::Code::invalid_argument);
    const mpi::Request open = world().irecv(queue, data, world().rank(), 77);
    CHECK_FALSE(open.test());
    CHECK(code_of([&] { static_cast<void>(open.event()); }) == ferry::Code::invalid_state);
    ferry::Buffer<Word> more{world().device(), 10};
    queue.fill(more, 5U);
    world().send(queue, more, world().rank(), 77);
    open.wait();
    CHECK(queue.read(data) == std::vector<Word>(10, 5));
}
