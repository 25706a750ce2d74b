// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"
#include "sample.hpp"
#include "stream.cl.hpp"

#include <algorithm>
#include <optional>

namespace {

using Word = std::uint32_t;

constexpr Word rounds = 16;
constexpr std::size_t parts = 16; ///< a chunk is this part of the data; the device may hold 3
constexpr std::size_t least_limited = std::size_t{4} << 20; ///< bytes; a pool reserves memory in pieces

Word scramble(Word x) {
    for (Word r = 0; r < rounds; ++r) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x;
}

/// Limits the device's memory to half of the data during its lifetime.
class LittleRoom {
public:
    LittleRoom(const ferry::Device& device, std::size_t bytes) : pool_(device.pool()), limit_(pool_.limit()) {
        pool_.trim();
        pool_.set_limit(pool_.use().reserved + bytes / 2);
    }
    LittleRoom(const LittleRoom&) = delete;
    LittleRoom& operator=(const LittleRoom&) = delete;
    ~LittleRoom() { pool_.set_limit(limit_); }

private:
    ferry::Pool pool_;
    std::uint64_t limit_;
};

/// Checks that the whole data does not fit at once.
void expect_no_room(const ferry::Device& device, std::size_t words) {
    try {
        const ferry::Buffer<Word> all{device, words};
    } catch (const ferry::Error& error) {
        if (error.code() != ferry::Code::out_of_memory) {
            throw;
        }
        return;
    }
    throw sample::Failure(fmt::format("{} words fit into half the room for them", words));
}

void larger_than_memory(sample::Session& session) {
    const ferry::Device& device = session.device;
    const ferry::Program program{device, kernels::stream_cl};
    const ferry::Kernel kernel = program.kernel("scramble");
    const std::size_t group = std::min<std::size_t>(128, device.info().max_group_size);

    std::vector<Word> data = session.random_values<Word>(session.size);
    std::vector<Word> wanted(data.size());
    for (std::size_t i = 0; i < data.size(); ++i) {
        wanted[i] = scramble(data[i] + static_cast<Word>(i));
    }

    std::optional<LittleRoom> room; // without a pool there is no limit
    if (const std::size_t bytes = data.size() * sizeof(Word);
        bytes >= least_limited && device.pool().enabled()) {
        room.emplace(device, bytes);
        expect_no_room(device, data.size());
    }
    const std::size_t before = device.memory().used_here;
    std::size_t most = 0;
    sample::Stopwatch watch;
    {
        sample::Progress progress{"chunks", parts, session.quiet};
        const ferry::StreamOptions options{.chunk_bytes =
                                               std::max(data.size() * sizeof(Word) / parts, sizeof(Word)),
                                           .slots = 3,
                                           .progress = [&](std::size_t, std::size_t) { progress.step(); }};
        ferry::for_each_chunk(device, data, ferry::Access::device_updates, options,
                              [&](ferry::Queue& queue, ferry::View<Word> chunk, std::size_t first) {
                                  queue.launch(kernel, ferry::Grid::covering(chunk.size(), group), chunk,
                                               static_cast<Word>(chunk.size()), static_cast<Word>(first),
                                               rounds);
                                  most = std::max(most, device.memory().used_here - before);
                              });
    }
    const double seconds = watch.seconds();
    sample::expect_equal(data, wanted, "scrambled data");
    const std::size_t bytes = data.size() * sizeof(Word);
    session.say("{} bytes of data through {} bytes of device memory: {:.2f} ms, {:.2f} GB/s each way", bytes,
                most, seconds * 1e3, static_cast<double>(bytes) / seconds / 1e9);
    session.measured("gb_s", static_cast<double>(bytes) / seconds / 1e9);
    if (data.size() >= parts * 64 && most > bytes / 2) {
        throw sample::Failure(
            fmt::format("{} bytes of device memory were used for {} bytes of data", most, bytes));
    }
}

} // namespace

int main(int argc, char** argv) {
    sample::App app{"16_larger_than_memory", "Streams more data than the device may hold",
                    std::size_t{4} << 20, "elements"};
    return app.run(argc, argv, larger_than_memory);
}
