// SPDX-License-Identifier: Apache-2.0
#include "sample.hpp"
#include "scramble.cl.hpp"

#include <algorithm>

namespace {

constexpr std::uint32_t rounds = 64;

std::uint32_t scrambled(std::uint32_t x) {
    for (std::uint32_t r = 0; r < rounds; ++r) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 15;
    }
    return x;
}

// The device's part of the work: a copy up, a kernel, and a copy down. Every call returns before its command
// is done.
class DeviceWork {
public:
    DeviceWork(const ferry::Device& device, const std::vector<std::uint32_t>& data)
        : queue_(device),
          up_(device, data.size()),
          down_(device, data.size()),
          memory_(device, data.size()),
          kernel_(ferry::Program{device, kernels::scramble_cl}.kernel("scramble")),
          group_(std::min<std::size_t>(256, device.info().max_group_size)) {
        std::copy(data.begin(), data.end(), up_.span().begin());
    }

    ferry::Event start() {
        const auto count = static_cast<std::uint32_t>(memory_.size());
        queue_.copy(up_.span(), memory_);
        queue_.launch(kernel_, ferry::Grid::covering(count, group_), memory_, count, rounds);
        queue_.copy(memory_, down_.span());
        return queue_.record();
    }
    std::span<const std::uint32_t> result() const { return down_.span(); }

private:
    ferry::Queue queue_;
    sample::HostArray<std::uint32_t> up_;
    sample::HostArray<std::uint32_t> down_;
    ferry::Buffer<std::uint32_t> memory_;
    ferry::Kernel kernel_;
    std::size_t group_;
};

// The processor's part: the same rounds on its own values.
std::vector<std::uint32_t> host_work(const std::vector<std::uint32_t>& data, std::size_t count) {
    std::vector<std::uint32_t> result(count);
    for (std::size_t i = 0; i < count; ++i) {
        result[i] = scrambled(data[i % data.size()]);
    }
    return result;
}

void async(sample::Session& session) {
    const std::vector<std::uint32_t> data = session.random_values<std::uint32_t>(session.size);
    DeviceWork device{session.device, data};
    device.start().wait(); // the first launch may compile and allocate

    const sample::Stopwatch device_watch;
    device.start().wait();
    const double device_ms = device_watch.ms();

    // Gives the processor as much work as fits into the device's time.
    const sample::Stopwatch trial_watch;
    const std::size_t trial_count = data.size() / 4 + 1;
    host_work(data, trial_count);
    const double fits = static_cast<double>(trial_count) * device_ms / trial_watch.ms();
    const std::size_t host_count =
        std::clamp<std::size_t>(static_cast<std::size_t>(fits), 1, 4 * data.size());
    const sample::Stopwatch host_watch;
    host_work(data, host_count);
    const double host_ms = host_watch.ms();

    const sample::Stopwatch both_watch;
    const ferry::Event done = device.start();
    const double call_ms = both_watch.ms();
    const std::vector<std::uint32_t> host_result = host_work(data, host_count);
    done.wait();
    const double both_ms = both_watch.ms();

    const double hidden_ms = std::max(0.0, device_ms + host_ms - both_ms);
    const double overlap = std::min(1.0, hidden_ms / std::min(device_ms, host_ms));
    session.say("device alone     {:8.2f} ms\nprocessor alone  {:8.2f} ms", device_ms, host_ms);
    session.say("both at once     {:8.2f} ms, of it {:.2f} ms to enqueue the device's part", both_ms,
                call_ms);
    session.say("overlap          {:8.0f} % of the shorter one was hidden behind the other", 100 * overlap);
    session.measured("device_ms", device_ms);
    session.measured("processor_ms", host_ms);
    session.measured("both_ms", both_ms);
    session.measured("enqueue_ms", call_ms);
    session.measured("overlap", overlap);

    const std::vector<std::uint32_t> expected = host_work(data, data.size());
    sample::expect_equal(device.result(), expected, "the device's values");
    sample::expect_equal(host_result, host_work(data, host_count), "the processor's values");
}

} // namespace

int main(int argc, char** argv) {
    sample::App app{"02_async", "A device works while the processor computes", 1 << 20, "values"};
    return app.run(argc, argv, async);
}
