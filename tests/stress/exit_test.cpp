// SPDX-License-Identifier: Apache-2.0
// Processes that end at random moments, with work in flight, from any thread, with live static objects. Each
// must end in time, with the intended status.
#include "../conformance/kernels.hpp"
#include "../support/child.hpp"

#include <ferry/ferry.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Word = std::uint32_t;
constexpr int time_limit = 300; ///< in seconds; on a busy machine some children have work for ten seconds

/// Objects that live until the very end.
struct Statics {
    std::optional<ferry::Queue> queue;
    std::optional<ferry::Buffer<Word>> data;
    std::optional<ferry::Buffer<Word>> pinned;
    std::optional<ferry::Mapping<Word>> mapping;
    std::vector<ferry::Event> events;
} statics;

void make_statics(const ferry::Device& device, std::mt19937_64& random) {
    statics.queue.emplace(device);
    statics.data.emplace(device, 64 * 500);
    if (device.has(ferry::MemoryKind::host)) {
        statics.pinned.emplace(device, 5000, ferry::MemoryKind::host);
        statics.queue->fill(*statics.pinned, 3U);
    }
    const auto rounds = static_cast<Word>(random() % 1000);
    for (int i = 0; i < 5; ++i) {
        statics.queue->launch(conformance::kernel(device, "spin"), {500, 64}, *statics.data, rounds);
        statics.events.push_back(statics.queue->record());
    }
    if (random() % 4 == 0) {
        statics.mapping = statics.data->first(100).map(*statics.queue, ferry::Map::write);
    }
}

/// Makes each launch of busy() and make_statics() once, and waits. OpenCL drivers for the processor compile
/// in the first launch. A compilation registers exit handlers, and Ferry's handlers cannot run before these
/// (docs/design/queues.md, "The end of the process").
void compile_all(const ferry::Device& device) {
    ferry::Queue queue{device};
    ferry::Buffer<Word> data{device, 64 * 500};
    queue.fill(data, 1U);
    queue.launch(conformance::kernel(device, "spin"), {500, 64}, data, 1U);
    queue.launch(conformance::kernel(device, "stir"), {100, 64}, data, 6400U, 5U);
    queue.finish();
}

/// Launches a kernel that no cache of the driver has. OpenCL drivers for the processor compile it in this
/// first launch, on their own threads. The process ends around that time.
void launch_new_kernel(const ferry::Device& device, std::uint64_t seed) {
    const std::string text = "__kernel void fresh(__global uint* data, uint n) {\n"
                             "    uint i = get_global_id(0);\n"
                             "    float x = 0;\n"
                             "    for (uint k = 0; k < n; ++k) {\n"
                             "        x += sin((float)(k ^ " +
                             std::to_string(seed % 1'000'000'007) +
                             "u)) * exp(-(float)k) + pow(x, 1.5f);\n"
                             "    }\n"
                             "    data[i] += (uint)x;\n"
                             "}\n";
    const ferry::Program program(device, ferry::Source::opencl_c(text));
    ferry::Buffer<Word> data{device, 6400};
    statics.queue->launch(program.kernel("fresh"), {100, 64}, data, 5U);
    statics.queue->flush();
}

[[noreturn]] void sleep_for_ever() {
    while (true) {
        std::this_thread::sleep_for(std::chrono::hours(1));
    }
}

/// Enqueues without end. It owns all objects that it uses, because the process may end at any time. No call
/// may throw then, because an error would end the process by abort().
[[noreturn]] void busy(const ferry::Device& device, const ferry::Device& other, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Word> host(6400);
    ferry::Queue queue{device};
    ferry::Buffer<Word> data{device, 6400};
    ferry::Buffer<Word> there{other, 6400};
    const ferry::Kernel stir = conformance::kernel(device, "stir");
    while (true) {
        switch (random() % 8) {
        case 0:
            queue.fill(data, 7U);
            break;
        case 1:
            queue.copy(host, data);
            break;
        case 2:
            queue.launch(stir, {100, 64}, data, 6400U, 5U);
            break;
        case 3:
            queue.copy(data, there);
            break;
        case 4:
            queue.on_complete([](const ferry::Status&) {});
            break;
        case 5:
            queue.record().wait();
            break;
        case 6:
            queue.copy_and_wait(data, host);
            break;
        default:
            queue.finish();
            break;
        }
    }
}

enum class End : std::uint8_t {
    return_from_main,
    exit_on_main,
    exit_on_a_thread,
    exit_in_a_callback,
    quick_exit
};

/// With `compiling`, the process ends around the compilation of a kernel, where a known gap remains.
int child(std::uint64_t seed, bool compiling) {
    std::mt19937_64 random(seed);
    const int status = static_cast<int>(1 + random() % 100);
    const std::vector<ferry::Device> devices = ferry::all_devices();
    const ferry::Device device = devices[random() % devices.size()];
    const ferry::Device other = devices[random() % devices.size()];
    const auto end = static_cast<End>(random() % 5);
    if (!compiling && (end == End::exit_on_a_thread || end == End::exit_in_a_callback)) {
        compile_all(device);
    }
    make_statics(device, random);
    if (compiling) {
        launch_new_kernel(device, random());
    }
    const std::size_t threads = random() % 4;
    for (std::size_t t = 0; t < threads; ++t) {
        std::thread(busy, device, other, random()).detach();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
    switch (end) {
    case End::return_from_main:
        return status;
    case End::exit_on_main:
        std::exit(status); // NOLINT(concurrency-mt-unsafe)
    case End::exit_on_a_thread: {
        std::thread([status] { std::exit(status); }).detach(); // NOLINT(concurrency-mt-unsafe)
        sleep_for_ever();
    }
    case End::exit_in_a_callback: {
        ferry::Queue queue{device};
        queue.on_complete(
            [status](const ferry::Status&) { std::exit(status); }); // NOLINT(concurrency-mt-unsafe)
        sleep_for_ever();
    }
    case End::quick_exit:
        break;
    }
    std::quick_exit(status);
}

int parent(std::size_t count, std::uint64_t first_seed, const std::string& how) {
    std::size_t failures = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t seed = first_seed + i;
        support::Child run;
        run.arguments = {how, std::to_string(seed)};
        run.limit_seconds = time_limit;
        const support::ChildResult result = support::run(run);
        std::mt19937_64 random(seed);
        const int status = static_cast<int>(1 + random() % 100);
        if (!result.exited(status)) {
            ++failures;
            std::printf("Process %zu (%s %llu) was to exit with %d: %s\n", i, how.c_str(),
                        static_cast<unsigned long long>(seed), status, result.describe().c_str());
            std::fflush(stdout);
        }
    }
    std::printf("%zu processes, %zu did not end as they should\n", count, failures);
    return failures == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    const std::string usual = "--child";
    const std::string compiling = "--compiling-child";
    if (argc == 3 && (argv[1] == usual || argv[1] == compiling)) {
        try {
            return child(std::strtoull(argv[2], nullptr, 0), argv[1] == compiling);
        } catch (const std::exception& error) {
            std::printf("%s\n", error.what());
            return 120;
        }
    }
    std::size_t count = 50;
    std::uint64_t seed = std::random_device{}();
    std::string how = usual;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--count") == 0) {
            count = std::strtoull(argv[i + 1], nullptr, 0);
        } else if (std::strcmp(argv[i], "--seed") == 0) {
            seed = std::strtoull(argv[i + 1], nullptr, 0);
        } else if (std::strcmp(argv[i], "--amid") == 0 && std::strcmp(argv[i + 1], "compilation") == 0) {
            how = compiling;
        } else {
            std::printf("usage: %s [--count N] [--seed N] [--amid compilation]\n", argv[0]);
            return 2;
        }
    }
    std::printf("ferry_exit_test --count %zu --seed %llu\n", count, static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    return parent(count, seed, how);
}
