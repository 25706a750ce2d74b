// SPDX-License-Identifier: Apache-2.0
// Measures copies of ordinary memory through Ferry and by the vendor's own blocking call, in turn.
#include "commands.hpp"
#include "device/device_state.hpp"
#include "raw_file.hpp"
#include "staging/policy.hpp"
#include "staging/slots.hpp"
#include "staging_raw.hpp"
#include "timing.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// Fresh memory from the system, without any pages yet.
class Fresh {
public:
    explicit Fresh(std::size_t bytes)
        : bytes_(bytes),
          data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
        if (data_ == MAP_FAILED) {
            throw std::runtime_error("No memory");
        }
    }
    Fresh(const Fresh&) = delete;
    Fresh& operator=(const Fresh&) = delete;
    ~Fresh() { munmap(data_, bytes_); }
    std::span<std::byte> span() const { return {static_cast<std::byte*>(data_), bytes_}; }

private:
    std::size_t bytes_;
    void* data_;
};

/// Prints one line. Both sides take turns, and the order changes from pair to pair.
template <class Raw, class Own>
void row(const char* name, std::size_t bytes, int rounds, Raw raw, Own own) {
    std::vector<double> raw_times;
    std::vector<double> own_times;
    std::vector<double> ratios;
    raw();
    own();
    for (int i = 0; i < rounds; ++i) {
        double a = 0;
        double b = 0;
        if (i % 2 == 0) {
            a = raw();
            b = own();
        } else {
            b = own();
            a = raw();
        }
        raw_times.push_back(a);
        own_times.push_back(b);
        ratios.push_back(a / b);
    }
    const double size = static_cast<double>(bytes);
    std::printf("%-11s %11zu  %9.3f us %7.2f GB/s  %9.3f us %7.2f GB/s  %6.2fx  (%.2f to %.2f)\n", name,
                bytes, median(raw_times) * 1e6, size / median(raw_times) / 1e9, median(own_times) * 1e6,
                size / median(own_times) / 1e9, median(ratios),
                *std::min_element(ratios.begin(), ratios.end()),
                *std::max_element(ratios.begin(), ratios.end()));
    std::fflush(stdout);
}

void expect_same(std::span<const std::byte> seen, std::span<const std::byte> wanted) {
    if (std::memcmp(seen.data(), wanted.data(), wanted.size()) != 0) {
        throw std::runtime_error("A copy brought wrong bytes");
    }
}

/// Measures copies of device memory to a file and back, compared with the disk's own speed for the program's
/// memory.
void files(ferry::Queue& queue, ferry::Buffer<std::byte>& buffer, std::span<const std::byte> data,
           const std::string& path, int rounds, const ferry::StagingInfo& info) {
    bench::RawFile raw(path + ".raw", info.most_threads, info.slot_bytes);
    const Fresh pages(data.size());
    const auto whole = pages.span();
    std::copy(data.begin(), data.end(), whole.begin());
    queue.copy_and_wait(data, buffer);
    std::printf("files in %s, %u threads, pieces of %zu bytes, raw %s; a write ends when the disk has it\n",
                path.c_str(), info.most_threads, info.slot_bytes,
                raw.direct() ? "past the page cache"
                             : "through the page cache: the file system has no other way");
    row(
        "file write", data.size(), rounds, [&] { return seconds_of([&] { raw.write(whole); }); },
        [&] {
            return seconds_of([&] {
                ferry::write_file(queue, buffer, path);
                queue.finish();
            });
        });
    std::vector<std::byte> back(data.size());
    row(
        "file read", data.size(), rounds,
        [&] {
            std::fill(whole.begin(), whole.end(), std::byte{0xa5});
            const double seconds = seconds_of([&] { raw.read(whole); });
            expect_same(whole, data);
            return seconds;
        },
        [&] {
            queue.fill(buffer, std::byte{0xa5});
            queue.finish();
            const double seconds = seconds_of([&] {
                ferry::read_file(queue, path, buffer);
                queue.finish();
            });
            queue.copy_and_wait(buffer, back);
            expect_same(back, data);
            return seconds;
        });
}

void measure(const ferry::Device& device, const bench::StagingOptions& options) {
    ferry::Queue queue{device};
    ferry::Queue other{device};
    ferry::Buffer<std::byte> buffer{device, options.most};
    const bench::RawCopies raw = bench::raw_copies(queue, buffer);
    std::vector<std::byte> data(options.most);
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i + 8 <= data.size(); i += 8) {
        const std::uint64_t word = random();
        std::memcpy(data.data() + i, &word, 8);
    }
    std::vector<std::byte> back(options.most);
    // Slots are made during copies, each in the time of a copy of about 16 MiB. The rows must not include
    // this.
    const double making = seconds_of([&] { device.state().slots().prepare(); });
    std::printf("%s %s; slots made in %.1f ms; raw: %s; medians of %d\n", device.id().c_str(),
                device.info().name.c_str(), making * 1e3, raw.name.c_str(), options.rounds);
    std::printf("%-11s %11s  %22s  %22s  %7s\n", "", "bytes", "raw", "ferry", "speedup");
    for (std::size_t bytes = 4096; bytes <= options.most; bytes *= 4) {
        const auto from = std::span(data).first(bytes);
        const auto to = std::span(back).first(bytes);
        const int inner =
            // many repetitions for small copies, because of the clock's resolution
            bytes <= (std::size_t{1} << 20) ? 64 : 1;
        const auto repeated = [&](const auto& work) {
            return seconds_of([&] {
                       for (int i = 0; i < inner; ++i) {
                           work();
                       }
                   }) /
                   inner;
        };
        row(
            "up", bytes, options.rounds, [&] { return repeated([&] { raw.up(from.data(), bytes); }); },
            [&] { return repeated([&] { queue.copy_and_wait(from, buffer.first(bytes)); }); });
        if (raw.up_in_order && inner > 1) {
            row(
                "up in order", bytes, options.rounds,
                [&] { return repeated([&] { raw.up_in_order(from.data(), bytes); }); },
                [&] { return repeated([&] { queue.copy_and_wait(from, buffer.first(bytes)); }); });
        }
        row(
            "down", bytes, options.rounds, [&] { return repeated([&] { raw.down(to.data(), bytes); }); },
            [&] { return repeated([&] { queue.copy_and_wait(buffer.first(bytes), to); }); });
        expect_same(to, from);
        row(
            "down, fresh", bytes, options.rounds,
            [&] {
                const Fresh fresh(bytes);
                return seconds_of([&] { raw.down(fresh.span().data(), bytes); });
            },
            [&] {
                const Fresh fresh(bytes);
                return seconds_of([&] { queue.copy_and_wait(buffer.first(bytes), fresh.span()); });
            });
    }
    const auto half = options.most / 2;
    row(
        "both ways", 2 * half, options.rounds,
        [&] {
            return seconds_of([&] {
                raw.up(data.data(), half);
                raw.down(back.data(), half);
            });
        },
        [&] {
            return seconds_of([&] {
                queue.copy(std::span(data).first(half), buffer.first(half));
                other.copy(buffer.last(half), std::span(back).first(half));
                queue.finish();
                other.finish();
            });
        });
    const ferry::StagingInfo info = ferry::staging_info(device);
    std::printf("staged %llu copies, %llu bytes; %zu slots of %zu bytes, %u threads of %u. %s\n",
                static_cast<unsigned long long>(info.copies), static_cast<unsigned long long>(info.bytes),
                info.slots, info.slot_bytes, info.threads, info.most_threads, info.note.c_str());
    if (!options.file.empty()) {
        const std::string path = options.file + "/ferry-staging-bench";
        files(queue, buffer, data, path, options.rounds, info);
        std::remove(path.c_str());
        std::remove((path + ".raw").c_str());
    }
}

} // namespace

int bench::staging(const StagingOptions& options) {
    StagingOptions with = options;
    with.most = with.most == 0 ? std::size_t{1} << 30 : with.most;
    with.rounds = with.rounds == 0 ? 9 : with.rounds;
    auto& tuning = ferry::detail::staging::tuning();
    if (with.threads != 0) {
        tuning.threads = with.threads;
    }
    if (with.slot_bytes != 0) {
        tuning.slot_bytes = with.slot_bytes;
    }
    if (with.slots_for_thread != 0) {
        tuning.slots_for_thread = with.slots_for_thread;
    }
    if (with.plain_stores) {
        tuning.streaming_stores = false;
    }
    measure(with.device.empty() ? ferry::default_device() : ferry::find_device(with.device), with);
    return 0;
}
