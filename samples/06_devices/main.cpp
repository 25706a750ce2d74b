// SPDX-License-Identifier: Apache-2.0
#include "collatz.cl.hpp"
#include "sample.hpp"

#include <algorithm>
#include <deque>
#include <numeric>

namespace {

std::uint32_t steps_from(std::uint64_t n) {
    std::uint32_t steps = 0;
    while (n > 1) {
        n = (n & 1) != 0 ? 3 * n + 1 : n / 2;
        ++steps;
    }
    return steps;
}

// A device and its part of the numbers.
class Worker {
public:
    explicit Worker(const ferry::Device& device)
        : device_(device),
          kernel_(ferry::Program{device, kernels::collatz_cl}.kernel("collatz")),
          queue_(device) {}

    // Does not wait; finish() does.
    void start(std::uint64_t first, std::size_t count) {
        if (steps_.size() < count) {
            steps_ = ferry::Buffer<std::uint32_t>{device_, count};
        }
        count_ = count;
        if (count > 0) {
            const auto n = static_cast<std::uint32_t>(count);
            queue_.launch(kernel_, ferry::Grid::covering(n, 64), steps_, first, n);
        }
        done_ = queue_.record();
        ms_ = 0;
        queue_.on_complete(
            [this, watch = sample::Stopwatch{}](const ferry::EventStatus&) { ms_ = watch.ms(); });
    }
    void finish() { queue_.finish(); }

    const ferry::Device& device() const { return device_; }
    const ferry::Event& done() const { return done_; }
    std::size_t count() const { return count_; }
    ferry::View<const std::uint32_t> steps() { return steps_.first(count_); }
    double ms() const { return ms_; } ///< from start() until the work was done; valid after finish()

private:
    ferry::Device device_;
    ferry::Kernel kernel_;
    ferry::Buffer<std::uint32_t> steps_;
    std::size_t count_ = 0;
    ferry::Event done_;
    double ms_ = 0;
    ferry::Queue queue_;
};

// One worker for each piece of hardware. The collecting device is always among them, even if another backend
// sees the same hardware too.
std::deque<Worker> all_workers(const ferry::Device& collector) {
    std::deque<Worker> workers;
    for (const ferry::Device& device : ferry::devices()) {
        const std::vector<ferry::Device> alternates = device.alternates();
        const bool same = std::find(alternates.begin(), alternates.end(), collector) != alternates.end();
        workers.emplace_back(same ? collector : device);
    }
    return workers;
}

// Numbers per millisecond of each worker while all of them are busy, because devices may share a processor. A
// very short trial is imprecise, so the fast workers get more numbers in the next round.
std::vector<double> measure_speeds(std::deque<Worker>& workers, std::uint64_t first, std::size_t total) {
    std::vector<double> speeds(workers.size());
    std::vector<std::size_t> trials(workers.size(), 64);
    for (int round = 0; round < 7; ++round) {
        for (std::size_t i = 0; i < workers.size(); ++i) {
            workers[i].start(first, trials[i]);
        }
        for (std::size_t i = 0; i < workers.size(); ++i) {
            workers[i].finish();
            speeds[i] = static_cast<double>(trials[i]) / std::max(workers[i].ms(), 1e-3);
            if (workers[i].ms() < 3) {
                trials[i] = std::min(4 * trials[i], total);
            }
        }
    }
    return speeds;
}

// Each worker gets a share of the numbers in proportion to its speed.
void start_all(std::deque<Worker>& workers, std::uint64_t first, std::size_t total) {
    const std::vector<double> speeds = measure_speeds(workers, first, total);
    const double all_speeds = std::accumulate(speeds.begin(), speeds.end(), 0.0);
    double speed = 0;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < workers.size(); ++i) {
        speed += speeds[i];
        const bool last = i + 1 == workers.size();
        const std::size_t end =
            last ? total : static_cast<std::size_t>(static_cast<double>(total) * speed / all_speeds);
        workers[i].start(first + taken, end - taken);
        taken = end;
    }
}

// Collects all parts on one device. The copies wait for the parts on that device; the host does not wait.
std::vector<std::uint32_t> collect(const ferry::Device& device, std::deque<Worker>& workers,
                                   std::size_t total) {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> steps{device, total};
    std::size_t offset = 0;
    for (Worker& worker : workers) {
        queue.wait(worker.done());
        queue.copy(worker.steps(), steps.subview(offset, worker.count()));
        offset += worker.count();
    }
    return queue.read(steps);
}

void devices(sample::Session& session) {
    const std::size_t total = session.size;
    const std::uint64_t first = 1 + session.random() % (1u << 30);
    std::deque<Worker> workers = all_workers(session.device);

    start_all(workers, first, total);
    const std::vector<std::uint32_t> result = collect(session.device, workers, total);

    for (Worker& worker : workers) {
        worker.finish();
        const double share = static_cast<double>(worker.count()) / static_cast<double>(total);
        const std::string id = worker.device().id();
        session.say("{:9} {:5.1f} % of the numbers in {:8.2f} ms  ({})", id, 100 * share, worker.ms(),
                    worker.device().info().name);
        session.measured(id + "_share", share);
        session.measured(id + "_ms", worker.ms());
    }
    const auto longest = std::max_element(result.begin(), result.end());
    session.say("collected on {}: the longest way to 1 from {} numbers has {} steps, from {}",
                session.device.id(), total, *longest,
                first + static_cast<std::uint64_t>(longest - result.begin()));

    std::vector<std::uint32_t> expected(total);
    for (std::size_t i = 0; i < total; ++i) {
        expected[i] = steps_from(first + i);
    }
    sample::expect_equal(result, expected, "steps");
}

} // namespace

int main(int argc, char** argv) {
    sample::App app{"06_devices", "All devices of the machine share one job; --device collects the results",
                    1 << 17, "numbers"};
    return app.run(argc, argv, devices);
}
