// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include "mpi_test.hpp"

#include <cstdio>

namespace {

std::unique_ptr<mpi::Communicator> shared;

} // namespace

mpi::Communicator& world() {
    return *shared;
}

int main(int argc, char** argv) {
    mpi::Environment environment{argc, argv};
    const ferry::Device device = mpi::local_device(MPI_COMM_WORLD);
    // Small chunks, so that the messages of the tests have many. The timeout is for a failed rank.
    shared = std::make_unique<mpi::Communicator>(
        MPI_COMM_WORLD, device,
        mpi::CommunicatorOptions{.chunk_bytes = 4096, .timeout = std::chrono::seconds(60)});
    std::printf("rank %d of %d on %s\n", world().rank(), world().size(), device.id().c_str());
    doctest::Context context{argc, argv};
    const int failed = context.run();
    std::printf("rank %d: %s\n", world().rank(), to_string(world().explain()).c_str());
    shared.reset();
    return failed;
}
