// SPDX-License-Identifier: Apache-2.0
// The last rank ends in one of several ways while other ranks wait for its message, or MPI itself ends.
#include <ferry/ferry.hpp>
#include <ferry/interop/mpi.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace mpi = ferry::interop::mpi;

namespace {

void go_away(const char* how) {
    std::printf("the last rank goes away\n");
    std::fflush(stdout);
    if (std::strcmp(how, "exits") == 0) {
        _exit(3);
    } else if (std::strcmp(how, "killed") == 0) {
        std::raise(SIGKILL);
    } else if (std::strcmp(how, "throws") == 0) {
        throw std::runtime_error("the last rank gives up");
    }
    std::this_thread::sleep_for(std::chrono::seconds(5)); // silent: it lives but does nothing
}

void run(const char* how) {
    const bool silent = std::strcmp(how, "silent") == 0;
    mpi::Communicator world{
        MPI_COMM_WORLD, mpi::local_device(MPI_COMM_WORLD), {.timeout = std::chrono::seconds(silent ? 1 : 0)}};
    ferry::Queue queue{world.device()};
    ferry::Buffer<int> data{world.device(), 1000};
    if (world.rank() == world.size() - 1) {
        go_away(how);
        return;
    }
    try {
        world.recv(queue, data, world.size() - 1, 6);
        std::printf("went on as if nothing had happened\n");
    } catch (const ferry::Error& error) {
        const std::string text = error.what();
        if (text.find("rank " + std::to_string(world.size() - 1)) == std::string::npos ||
            text.find("tag 6") == std::string::npos) {
            std::printf("went on as if nothing had happened: %s\n", text.c_str());
        }
    }
}

/// An MPI that mistakes device memory for the processor's memory. The fault is reported and still ends the
/// process.
int run_unreachable() {
    constexpr std::size_t bytes = 4096;
    const void* const memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const auto* const at = static_cast<const volatile unsigned char*>(memory);
    const mpi::detail::FaultTold told(memory, bytes, "ferry: the last rank goes away, and why is told\n");
    return at[bytes - 1];
}

/// MPI is already finalised at the exception, so there is nothing to abort.
int run_finalized(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    std::printf("the last rank goes away from MPI with the others\n");
    try {
        const mpi::Environment environment{argc, argv};
        MPI_Finalize();
        throw std::runtime_error("after MPI");
    } catch (const std::runtime_error& error) {
        if (std::strcmp(error.what(), "after MPI") != 0) {
            return 1;
        }
    }
    try {
        const mpi::Environment environment{argc, argv};
    } catch (const ferry::Error& error) {
        return error.code() == ferry::Code::invalid_state ? 0 : 1;
    }
    return 1;
}

} // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "finalized") == 0) {
        return run_finalized(argc, argv);
    }
    try {
        mpi::Environment environment{argc, argv};
        if (argc > 1 && std::strcmp(argv[1], "unreachable") == 0) {
            return run_unreachable();
        }
        run(argc > 1 ? argv[1] : "");
        return 0;
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
}
