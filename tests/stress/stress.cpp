// SPDX-License-Identifier: Apache-2.0
// Random operations from several threads on shared queues, compared with a model of every byte.
#include "stress_worker.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

namespace {

struct Options {
    double seconds = 5;
    std::uint64_t seed = std::random_device{}();
    std::size_t threads = 8;
    std::size_t queues = 3;
};

std::optional<Options> parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const bool has_value = i + 1 < argc;
        if (has_value && std::strcmp(argv[i], "--seconds") == 0) {
            options.seconds = std::atof(argv[++i]);
        } else if (has_value && std::strcmp(argv[i], "--seed") == 0) {
            options.seed = std::strtoull(argv[++i], nullptr, 0);
        } else if (has_value && std::strcmp(argv[i], "--threads") == 0) {
            options.threads = std::strtoull(argv[++i], nullptr, 0);
        } else if (has_value && std::strcmp(argv[i], "--queues") == 0) {
            options.queues = std::strtoull(argv[++i], nullptr, 0);
        } else {
            std::printf("usage: %s [--seconds N] [--seed N] [--threads N] [--queues N]\n", argv[0]);
            return std::nullopt;
        }
    }
    return options;
}

std::uint64_t run(const Options& options, stress::Shared& shared) {
    std::atomic<std::uint64_t> steps{0};
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.seconds);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < options.threads; ++t) {
        threads.emplace_back([&, t] {
            try {
                stress::Worker worker(shared, options.seed * 1000003 + t);
                while (std::chrono::steady_clock::now() < end && !shared.failed()) {
                    worker.step();
                }
                worker.finish();
                steps += worker.steps();
            } catch (const std::exception& error) {
                shared.fail(error.what());
                std::fflush(stdout);
                std::_Exit(1); // callbacks may still use the destroyed worker
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return steps;
}

} // namespace

int main(int argc, char** argv) {
    const std::optional<Options> options = parse(argc, argv);
    if (!options) {
        return 2;
    }
    std::printf("ferry_stress --seconds %g --seed %llu --threads %zu --queues %zu\n", options->seconds,
                static_cast<unsigned long long>(options->seed), options->threads, options->queues);
    std::fflush(stdout);
    try {
        const char* chosen = std::getenv("FERRY_DEVICE");
        const std::vector<ferry::Device> devices = chosen != nullptr && *chosen != '\0'
                                                       ? std::vector{ferry::default_device()}
                                                       : ferry::all_devices();
        std::uint64_t left = 0;
        std::uint64_t steps = 0;
        bool failed = false;
        {
            stress::Shared shared(devices, options->queues);
            steps = run(*options, shared);
            failed = shared.failed();
        }
        for (const ferry::Device& device : devices) {
            std::printf("device %s (%s)\n", device.id().c_str(), device.info().name.c_str());
            left += device.memory().used_here;
        }
        std::printf("%llu operations, %llu bytes left allocated: %s\n",
                    static_cast<unsigned long long>(steps), static_cast<unsigned long long>(left),
                    failed || left != 0 ? "FAILED" : "right");
        std::fflush(stdout); // the output is complete before the end of the process, which may fail
        return failed || left != 0 ? 1 : 0;
    } catch (const std::exception& error) {
        std::printf("FAILED: %s\n", error.what());
        return 1;
    }
}
