// SPDX-License-Identifier: Apache-2.0
#include "power.cl.hpp"
#include "power.cu.hpp"
#include "sample.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <latch>

namespace {

constexpr std::uint32_t exponent = 100;

std::uint32_t powered(std::uint32_t base) {
    std::uint32_t x = 1;
    for (std::uint32_t k = 0; k < exponent; ++k) {
        x *= base;
    }
    return x;
}

// The portable kernel in all its forms, and one text for CUDA and HIP. With NVRTC or hipRTC, a device prefers
// its own language to translated text.
std::vector<ferry::Source> variants() {
    std::vector<ferry::Source> all = kernels::power_cl.sources();
    for (ferry::Source& native : ferry::Source::cuda_and_hip(kernels::power_cu, "power.cu")) {
        all.push_back(std::move(native));
    }
    return all;
}

// Work in blocks. The next idle queue takes the next block.
struct Job {
    std::span<std::uint32_t> data;
    std::size_t block;
    std::atomic<std::size_t> next = 0;

    std::span<std::uint32_t> take() {
        const std::size_t first = block * next.fetch_add(1);
        return first < data.size() ? data.subspan(first, std::min(block, data.size() - first))
                                   : std::span<std::uint32_t>{};
    }
};

// One queue that takes block after block. When a block is done, the queue's callback enqueues the next one.
// The thread that started the work only waits for the end.
class Lane {
public:
    Lane(const ferry::Device& device, const ferry::Kernel& kernel, Job& job, std::latch& finished)
        : kernel_(kernel), job_(job), finished_(finished), memory_(device, job.block), queue_(device) {}

    void next() {
        const std::span<std::uint32_t> block = job_.take();
        if (block.empty()) {
            finished_.count_down();
            return;
        }
        const auto count = static_cast<std::uint32_t>(block.size());
        queue_.copy(block, memory_.first(count));
        queue_.launch(kernel_, ferry::Grid::covering(count, 64), memory_, count, exponent);
        queue_.copy(memory_.first(count), block);
        queue_.on_complete([this](const ferry::EventStatus& status) {
            try {
                status.check();
                ++blocks_;
                next();
            } catch (...) {
                finished_.count_down();
                throw; // finish() throws it
            }
        });
    }
    /// Throws the first error of this queue.
    void finish() { queue_.finish(); }
    std::size_t blocks() const { return blocks_; }

private:
    ferry::Kernel kernel_;
    Job& job_;
    std::latch& finished_;
    std::size_t blocks_ = 0;
    ferry::Buffer<std::uint32_t> memory_;
    ferry::Queue queue_; // last member: destroyed first, waits for its callbacks
};

void queues(sample::Session& session, std::size_t lane_count) {
    if (lane_count == 0) {
        throw std::invalid_argument("--queues is 0; at least one queue is needed");
    }
    const ferry::Device& device = session.device;
    const std::vector<std::uint32_t> data = session.random_values<std::uint32_t>(session.size);
    std::vector<std::uint32_t> result(data);
    const ferry::Program program{device, variants()};
    const ferry::Kernel kernel = program.kernel("power");
    session.say("{}", program.explain());

    Job job{.data = result, .block = std::max<std::size_t>(1, data.size() / 64)};
    std::latch finished{static_cast<std::ptrdiff_t>(lane_count)};
    std::deque<Lane> lanes;
    for (std::size_t i = 0; i < lane_count; ++i) {
        lanes.emplace_back(device, kernel, job, finished);
    }
    const sample::Stopwatch watch;
    for (Lane& lane : lanes) {
        lane.next();
    }
    const double started_ms = watch.ms();
    finished.wait();
    for (Lane& lane : lanes) {
        lane.finish();
    }
    const double all_ms = watch.ms();

    for (std::size_t i = 0; i < lanes.size(); ++i) {
        session.say("queue {} did {} blocks", i, lanes[i].blocks());
    }
    session.say("{} queues started after {:.2f} ms, all done after {:.2f} ms", lanes.size(), started_ms,
                all_ms);
    session.measured("started_ms", started_ms);
    session.measured("all_ms", all_ms);

    std::vector<std::uint32_t> expected(data.size());
    std::transform(data.begin(), data.end(), expected.begin(), powered);
    sample::expect_equal(result, expected, "powers");
}

} // namespace

int main(int argc, char** argv) {
    std::size_t lanes = 4;
    sample::App app{"04_queues", "Several queues at once, kept busy by their completion callbacks", 1 << 18,
                    "values"};
    app.option("--queues", lanes, "How many queues");
    return app.run(argc, argv, [&](sample::Session& session) { queues(session, lanes); });
}
