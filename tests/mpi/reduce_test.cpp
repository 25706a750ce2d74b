// SPDX-License-Identifier: Apache-2.0
#include "mpi_test.hpp"

#include <limits>

namespace {

template <class T>
void reduces(mpi::Reduce how, std::size_t count) {
    ferry::Queue queue{world().device()};
    ferry::Buffer<T> data{world().device(), count + 3};
    const auto element = [](int rank, std::size_t i) {
        return static_cast<T>((static_cast<std::size_t>(rank) + i) % 3 + 1);
    };
    std::vector<T> mine(count + 3, T{99});
    std::vector<T> wanted = mine;
    for (std::size_t i = 0; i < count; ++i) {
        mine[i + 3] = element(world().rank(), i);
        T result = element(0, i);
        for (int rank = 1; rank < world().size(); ++rank) {
            const T more = element(rank, i);
            result = static_cast<T>(how == mpi::Reduce::sum       ? result + more
                                    : how == mpi::Reduce::product ? result * more
                                    : how == mpi::Reduce::min     ? std::min(result, more)
                                                                  : std::max(result, more));
        }
        wanted[i + 3] = result;
    }
    queue.copy(mine, data);
    world().allreduce(queue, data.subview(3), how);
    CHECK_MESSAGE(queue.read(data) == wanted, count, " elements of ", sizeof(T), " bytes");
}

} // namespace

TEST_CASE("mpi: allreduce of every operation, type and size") {
    for (const std::size_t count :
         {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{1025}, std::size_t{10'007}}) {
        for (const mpi::Reduce how :
             {mpi::Reduce::sum, mpi::Reduce::product, mpi::Reduce::min, mpi::Reduce::max}) {
            reduces<float>(how, count);
            reduces<std::uint8_t>(how, count);
        }
        reduces<double>(mpi::Reduce::sum, count);
        reduces<std::int8_t>(mpi::Reduce::max, count);
        reduces<std::int16_t>(mpi::Reduce::min, count);
        reduces<std::uint16_t>(mpi::Reduce::sum, count);
        reduces<std::int32_t>(mpi::Reduce::sum, count);
        reduces<std::uint32_t>(mpi::Reduce::sum, count);
        reduces<std::int64_t>(mpi::Reduce::product, count);
        reduces<std::uint64_t>(mpi::Reduce::sum, count);
    }
}

TEST_CASE("mpi: allreduce gives no device's address to MPI, which takes them in messages alone") {
    const ferry::Device device = world().device();
    ferry::Queue queue{device};
    mpi::Communicator fresh{MPI_COMM_WORLD, device};
    ferry::Buffer<Word> data{device, 100};
    queue.fill(data, 1U);
    fresh.allreduce(queue, data, mpi::Reduce::sum);
    CHECK(queue.read(data) == std::vector<Word>(100, static_cast<Word>(world().size())));
    const mpi::Explanation told = fresh.explain();
    CHECK(told.bytes_device == 0);
    CHECK(told.bytes_host + told.bytes_staged == 400);
}
