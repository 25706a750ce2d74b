// SPDX-License-Identifier: Apache-2.0
#include "count.cl.hpp"
#include "life.cl.hpp"
#include "life.hpp"

#include <iostream>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace {

// How many cells are alive in each generation, found in two ways.
class Census {
public:
    Census(const ferry::Device& device, const life::Options& options, const life::Cells& start)
        : options_(options),
          queue_(device),
          life_(ferry::Program{device, kernels::life_cl}.kernel("life")),
          count_(ferry::Program{device, kernels::count_cl}.kernel("count")),
          now_(device, options.cells()),
          next_(device, options.cells()),
          totals_(device, options.generations + 1) {
        queue_.copy(start, now_);
        queue_.fill(totals_, 0u);
        queue_.finish();
    }

    // The program waits for each number before it enqueues the next generation.
    std::vector<std::uint32_t> one_by_one() {
        const ferry::Range range("one by one");
        std::vector<std::uint32_t> totals;
        for (std::uint32_t i = 0; i < options_.generations; ++i) {
            generation(i);
            totals.push_back(queue_.read(totals_.subview(i, 1))[0]);
        }
        return totals;
    }

    // The numbers stay on the device until all of them are there.
    std::vector<std::uint32_t> at_the_end() {
        const ferry::Range range("at the end");
        for (std::uint32_t i = 0; i < options_.generations; ++i) {
            generation(i);
        }
        return queue_.read(totals_.first(options_.generations));
    }

    life::Cells cells() { return queue_.read(now_); }

private:
    void generation(std::uint32_t i) {
        const std::uint32_t width = options_.width;
        const std::uint32_t height = options_.height;
        queue_.launch(life_, ferry::Grid::covering({width, height}), now_, next_, width, height);
        queue_.launch(count_, ferry::Grid::covering(height), next_, width, height,
                      totals_.subview(i, 1));
        std::swap(now_, next_);
    }

    life::Options options_;
    ferry::Queue queue_;
    ferry::Kernel life_;
    ferry::Kernel count_;
    ferry::Buffer<life::Cell> now_;
    ferry::Buffer<life::Cell> next_;
    ferry::Buffer<std::uint32_t> totals_;
};

life::Cells traced(const life::Options& options, const life::Cells& start) {
    const ferry::Device device = ferry::default_device();
    Census first{device, options, start};
    const life::Stopwatch slow;
    const std::vector<std::uint32_t> expected = first.one_by_one();
    slow.report(device.id() + ", one by one", options);

    Census second{device, options, start};
    const life::Stopwatch fast;
    const std::vector<std::uint32_t> totals = second.at_the_end();
    fast.report(device.id() + ", at the end", options);

    life::Cells result = second.cells();
    life::expect_equal(first.cells(), result, options);
    const auto alive = std::accumulate(result.begin(), result.end(), std::uint32_t{0});
    if (totals != expected || (!totals.empty() && totals.back() != alive)) {
        throw std::runtime_error("the numbers of living cells differ");
    }
    std::cout << alive << " cells are alive\n";
    life::write_picture(result, options);
    return result;
}

} // namespace

int main(int argc, char** argv) {
    return life::play(argc, argv, traced);
}
