// SPDX-License-Identifier: Apache-2.0
// Messages that fail, and the state after them.
#include "mpi_test.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace {

template <class F>
ferry::Error error_of(F&& call) {
    try {
        call();
    } catch (const ferry::Error& error) {
        return error;
    }
    return ferry::Error(ferry::Code::internal, "no error");
}

void expect_words(const ferry::Error& error, ferry::Code code, const std::vector<std::string>& words) {
    const std::string text = error.what();
    CHECK_MESSAGE(error.code() == code, text);
    for (const std::string& word : words) {
        CHECK_MESSAGE(text.find(word) != std::string::npos, text, " has no ", word);
    }
}

/// Waits until the message is complete, without a timeout that a busy machine could exceed.
void finish(const mpi::Request& request) {
    while (!request.test()) {
        std::this_thread::yield();
    }
    request.wait();
}

} // namespace

TEST_CASE("mpi: sizes that differ are told, by whole chunks too, and what comes behind is not disturbed") {
    ferry::Queue queue{world().device()};
    struct Sizes {
        std::size_t sent, expected;
    };
    int round = 0;
    for (const Sizes& sizes :
         {Sizes{1024, 2048}, Sizes{2048, 1024}, Sizes{1, 5000}, Sizes{5000, 1}, Sizes{40'001, 1024},
          Sizes{9216, 40'001}, Sizes{60, 50}, Sizes{99, 100}, Sizes{4, 2}, Sizes{2, 4}}) {
        ferry::Buffer<Word> from{world().device(), sizes.sent};
        ferry::Buffer<Word> to{world().device(), sizes.expected};
        ferry::Buffer<Word> next_one{world().device(), sizes.sent};
        queue.copy_and_wait(values(sizes.sent, world().rank(), ++round), from);
        queue.fill(next_one, 0xababababU);
        const mpi::Request wrong = world().irecv(queue, to, previous(), 4);
        const mpi::Request right = world().irecv(queue, next_one, previous(), 4);
        const mpi::Request first = world().isend(queue, from, next(), 4);
        const mpi::Request second = world().isend(queue, from, next(), 4);
        expect_words(error_of([&] { wrong.wait(); }), ferry::Code::invalid_argument,
                     {"Rank " + std::to_string(previous()), "tag 4",
                      std::to_string(4 * sizes.sent) + " bytes",
                      "than the " + std::to_string(4 * sizes.expected),
                      sizes.sent < sizes.expected ? "fewer than" : "more than"});
        CHECK_THROWS_AS(static_cast<void>(wrong.event()), ferry::Error);
        right.wait();
        first.wait();
        second.wait();
        CHECK(queue.read(next_one) == values(sizes.sent, previous(), round));
    }
}

TEST_CASE("mpi: a message that ran out of time takes nothing of the next try") {
    mpi::Communicator hasty{
        MPI_COMM_WORLD, world().device(), {.chunk_bytes = 4096, .timeout = std::chrono::milliseconds(100)}};
    ferry::Queue queue{world().device()};
    constexpr std::size_t count = 20'003;
    ferry::Buffer<Word> from{world().device(), count};
    ferry::Buffer<Word> to{world().device(), count};
    queue.copy_and_wait(values(count, world().rank(), 9), from);
    const mpi::Request late = hasty.irecv(queue, to, previous(), 3);
    expect_words(error_of([&] { late.wait(); }), ferry::Code::command_failed,
                 {"100 ms", "rank " + std::to_string(previous()), "tag 3", "80012 bytes"});
    // gives the failed message a chance to continue
    CHECK_FALSE(hasty.irecv(queue, to, previous(), 5).test());
    REQUIRE(MPI_Barrier(world().native()) == MPI_SUCCESS);
    queue.fill(to, 0xababababU);
    const mpi::Request again = hasty.irecv(queue, to, previous(), 3);
    const mpi::Request sent = hasty.isend(queue, from, next(), 3);
    finish(again);
    finish(sent);
    CHECK(queue.read(to) == values(count, previous(), 9));
    CHECK_THROWS_AS(late.wait(), ferry::Error);
}

TEST_CASE("mpi: what was sent stays until MPI has read it, though the message ran out of time") {
    mpi::Communicator hasty{MPI_COMM_WORLD, world().device(), {.timeout = std::chrono::milliseconds(100)}};
    ferry::Queue queue{world().device()};
    constexpr std::size_t count = 200'003; // one chunk, larger than the messages that MPI sends eagerly
    {
        ferry::Buffer<Word> from{world().device(), count};
        queue.copy_and_wait(values(count, world().rank(), 10), from);
        const mpi::Request sent = hasty.isend(queue, from, next(), 3);
        const ferry::Error error = error_of([&] { sent.wait(); });
        expect_words(error, ferry::Code::command_failed, {"100 ms", "to rank " + std::to_string(next())});
    }
    ferry::Buffer<Word> others{world().device(), count}; // possibly at the same address
    queue.fill(others, 0xababababU);
    queue.finish();
    REQUIRE(MPI_Barrier(world().native()) == MPI_SUCCESS);
    ferry::Buffer<Word> to{world().device(), count};
    finish(hasty.irecv(queue, to, previous(), 3));
    CHECK(queue.read(to) == values(count, previous(), 10));
    REQUIRE(MPI_Barrier(world().native()) == MPI_SUCCESS); // until here, another rank reads from this one
}

TEST_CASE("mpi: a message that failed half way closes its tag, and no other") {
    if (world().size() == 1) {
        return; // a rank that sends to itself has posted all of it
    }
    mpi::Communicator hasty{MPI_COMM_WORLD,
                            world().device(),
                            {.chunk_bytes = 1 << 16, .timeout = std::chrono::milliseconds(100)}};
    ferry::Queue queue{world().device()};
    constexpr std::size_t count = 200'000; // more chunks than can be in flight
    ferry::Buffer<Word> from{world().device(), count};
    const mpi::Request sent = hasty.isend(queue, from, next(), 3);
    CHECK(error_of([&] { sent.wait(); }).code() == ferry::Code::command_failed);
    expect_words(error_of([&] { hasty.isend(queue, from, next(), 3); }), ferry::Code::invalid_state,
                 {"rank " + std::to_string(next()), "tag 3", "half way"});
    REQUIRE(MPI_Barrier(world().native()) == MPI_SUCCESS);
    ferry::Buffer<Word> to{world().device(), count};
    queue.copy_and_wait(values(count, world().rank(), 11), from);
    const mpi::Request arriving = hasty.irecv(queue, to, previous(), 4);
    const mpi::Request leaving = hasty.isend(queue, from, next(), 4);
    finish(arriving);
    finish(leaving);
    CHECK(queue.read(to) == values(count, previous(), 11));
    // The receiving end: its first chunks arrive, and its last ones never do.
    const mpi::Request half = hasty.irecv(queue, to, previous(), 3);
    CHECK(error_of([&] { half.wait(); }).code() == ferry::Code::command_failed);
    expect_words(error_of([&] { hasty.irecv(queue, to, previous(), 3); }), ferry::Code::invalid_state,
                 {"rank " + std::to_string(previous()), "tag 3"});
    REQUIRE(MPI_Barrier(world().native()) == MPI_SUCCESS);
}

TEST_CASE("mpi: an exchange with an argument that cannot be begins nothing") {
    ferry::Queue queue{world().device()};
    ferry::Buffer<Word> data{world().device(), 40};
    const std::array<mpi::Halo<Word>, 2> halos{
        mpi::Halo<Word>{.rank = next(), .send = data.first(10), .receive = data.last(10)},
        mpi::Halo<Word>{
            .rank = previous(), .send = data.first(10), .receive = data.last(10), .send_tag = -1}};
    const std::uint64_t before = world().explain().messages;
    CHECK(error_of([&] { world().exchange<Word>(queue, halos); }).code() == ferry::Code::invalid_argument);
    CHECK(world().explain().messages == before);
}

TEST_CASE("mpi: an exchange of which one message fails ends the others first") {
    ferry::Queue queue{world().device()};
    constexpr std::size_t count = 5000;
    ferry::Buffer<Word> from{world().device(), count};
    ferry::Buffer<Word> to{world().device(), 2 * count};
    queue.copy_and_wait(values(count, world().rank(), 12), from);
    const std::array<mpi::Halo<Word>, 2> halos{
        mpi::Halo<Word>{
            .rank = next(), .send = from, .receive = to.first(count - 1), .send_tag = 1, .receive_tag = 2},
        mpi::Halo<Word>{
            .rank = previous(), .send = from, .receive = to.last(count), .send_tag = 2, .receive_tag = 1}};
    CHECK(error_of([&] { world().exchange<Word>(queue, halos); }).code() == ferry::Code::invalid_argument);
    CHECK(queue.read(to.last(count)) == values(count, previous(), 12));
}

TEST_CASE("mpi: the error of a dropped request is told by the next call, once") {
    ferry::Queue queue{world().device()};
    ferry::Buffer<Word> data{world().device(), 100};
    queue.fill(data, 6U);
    const mpi::Request other = world().irecv(queue, data.last(50), previous(), 9);
    const mpi::Request sent = world().isend(queue, data.last(50), next(), 9);
    world().irecv(queue, data.first(50), previous(), 8);
    REQUIRE(MPI_Barrier(world().native()) == MPI_SUCCESS);
    world().isend(queue, data, next(), 8).wait();
    other.wait(); // reports only its own errors
    sent.wait();
    ferry::Error told(ferry::Code::internal, "");
    while (told.code() == ferry::Code::internal) { // until the error has arrived
        // This tag has no receiver. With tag 8, the message would be taken for the one below. An MPI that
        // sends from device memory may complete a message only when it is received.
        told = error_of([&] { world().isend(queue, data.first(0), next(), 978); });
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    expect_words(told, ferry::Code::invalid_argument, {"tag 8", "400 bytes", "200"});
    const mpi::Request arriving = world().irecv(queue, data, previous(), 8);
    world().send(queue, data, next(), 8);
    arriving.wait();
    CHECK(queue.read(data) == std::vector<Word>(100, 6));
}

TEST_CASE("mpi: an allreduce lets messages move on") {
    ferry::Queue queue{world().device()};
    constexpr std::size_t count = 150'001;
    ferry::Buffer<Word> from{world().device(), count};
    ferry::Buffer<Word> to{world().device(), count};
    ferry::Buffer<Word> sum{world().device(), 3000};
    queue.copy_and_wait(values(count, world().rank(), 13), from);
    queue.fill(sum, 1U);
    const bool sends = world().rank() % 2 == 0 && world().rank() + 1 < world().size();
    const bool receives = world().rank() % 2 == 1;
    mpi::Request sent;
    if (sends) {
        sent = world().isend(queue, from, world().rank() + 1, 2);
    }
    if (receives) {
        world().recv(queue, to, world().rank() - 1, 2); // the sender is in its allreduce()
        CHECK(queue.read(to) == values(count, world().rank() - 1, 13));
    }
    world().allreduce(queue, sum, mpi::Reduce::sum);
    sent.wait();
    CHECK(queue.read(sum) == std::vector<Word>(3000, static_cast<Word>(world().size())));
}

TEST_CASE("mpi: an allreduce to which not all ranks come runs out of time") {
    if (world().size() == 1) {
        return;
    }
    mpi::Communicator hasty{MPI_COMM_WORLD, world().device(), {.timeout = std::chrono::milliseconds(100)}};
    ferry::Queue queue{world().device()};
    ferry::Buffer<Word> data{world().device(), 10};
    queue.fill(data, 1U);
    if (world().rank() != 0) {
        expect_words(error_of([&] { hasty.allreduce(queue, data, mpi::Reduce::sum); }),
                     ferry::Code::command_failed, {"100 ms", "allreduce"});
        CHECK(error_of([&] { hasty.allreduce(queue, data, mpi::Reduce::sum); }).code() ==
              ferry::Code::invalid_state);
    }
    REQUIRE(MPI_Barrier(world().native()) == MPI_SUCCESS);
}

TEST_CASE("mpi: the time in which this rank's own queue works does not count") {
    const ferry::Device device = world().device();
    const ferry::MemoryCapabilities host =
        device.capabilities(ferry::MemoryKind::host, ferry::Probe::declared);
    if (!host.available || host.coherence.value != ferry::Coherence::concurrent) {
        return; // the host cannot release a running kernel
    }
    constexpr std::chrono::milliseconds timeout{1500};
    mpi::Communicator alone{MPI_COMM_SELF, device, {.timeout = timeout}};
    ferry::Queue queue{device};
    const ferry::Program program{device, R"(
        kernel void gate(global volatile uint* open, global uint* data) {
            while (open[0] == 0) {}
            data[0] = 7;
        })"};
    ferry::Buffer<Word> gate{device, 1, ferry::MemoryKind::host};
    ferry::Buffer<Word> from{device, 1};
    ferry::Buffer<Word> to{device, 1};
    std::atomic_ref<Word> open{gate.span()[0]};
    open = 0;
    const ferry::Kernel kernel = program.kernel("gate");
    std::thread opener{[&] {
        std::this_thread::sleep_for(2 * timeout);
        open = 1;
    }};
    // Some drivers return from a launch only after the kernel is done.
    queue.launch(kernel, {.groups = {1}, .local = {1}}, gate, from);
    queue.flush();
    ferry::Queue other{device};
    const mpi::Request arriving = alone.irecv(other, to, 0, 1);
    const ferry::Error error = error_of([&] { alone.send(queue, from, 0, 1); });
    opener.join();
    CHECK_MESSAGE(error.code() == ferry::Code::internal, error.what()); // there was no error
    arriving.wait();
    CHECK(other.read(to) == std::vector<Word>{7});
}
