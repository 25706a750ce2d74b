// SPDX-License-Identifier: Apache-2.0
#include "field.hpp"

#include "heat.cl.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace mpi = ferry::interop::mpi;

namespace {

ferry::Grid grid_for(const ferry::Device& device, std::size_t columns, std::size_t rows) {
    const std::size_t width = std::min<std::size_t>(64, device.info().max_group_size);
    return {.groups = {(columns + width - 1) / width, rows}, .local = {width, 1}};
}

} // namespace

std::vector<float> warm_plate(std::size_t columns, std::size_t rows, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> plate(columns * rows, 1.0F);
    constexpr int discs = 6;
    for (int disc = 0; disc < discs; ++disc) {
        const auto x = static_cast<double>(random() % columns);
        const auto y = static_cast<double>(random() % rows);
        const double radius = static_cast<double>(std::min(columns, rows)) * (0.05 + 0.01 * disc);
        for (std::size_t i = 0; i < plate.size(); ++i) {
            const std::size_t row = i / columns;
            const double dx = static_cast<double>(i % columns) - x;
            const double dy = static_cast<double>(row) - y;
            if (dx * dx + dy * dy <= radius * radius) {
                plate[i] = 1.0F + static_cast<float>(disc + 2) / (discs + 1);
            }
        }
    }
    return plate;
}

Strip::Strip(mpi::Communicator& world, const std::vector<float>& plate, std::size_t columns,
             std::size_t first, std::size_t rows)
    : world_(&world),
      columns_(columns),
      rows_(rows),
      queue_(world.device()),
      kernel_(ferry::Program{world.device(), kernels::heat_cl}.kernel("heat_step")),
      grid_(grid_for(world.device(), columns, rows)) {
    const std::size_t pitch = columns + 2;
    std::vector<float> cells((rows + 2) * pitch, 1.0F);
    for (std::size_t y = 0; y < rows; ++y) {
        std::copy_n(&plate[(first + y) * columns], columns, &cells[(y + 1) * pitch + 1]);
    }
    for (int i = 0; i < 2; ++i) {
        buffers_.emplace_back(world.device(), cells.size());
        queue_.copy_and_wait(cells, buffers_.back());
    }
    exchange();
}

void Strip::exchange() {
    const bool first = world_->rank() == 0;
    const bool last = world_->rank() == world_->size() - 1;
    const std::array<mpi::Halo<float>, 2> neighbours{
        mpi::Halo<float>{.rank = first ? MPI_PROC_NULL : world_->rank() - 1,
                         .send = row(1),
                         .receive = row(0),
                         .send_tag = 1,
                         .receive_tag = 2},
        mpi::Halo<float>{.rank = last ? MPI_PROC_NULL : world_->rank() + 1,
                         .send = row(rows_),
                         .receive = row(rows_ + 1),
                         .send_tag = 2,
                         .receive_tag = 1}};
    world_->exchange<float>(queue_, neighbours);
}

void Strip::step() {
    const ferry::Buffer<float>& from = current();
    turn_ ^= 1;
    queue_.launch(kernel_, grid_, from, current(), static_cast<std::uint32_t>(columns_),
                  static_cast<std::uint32_t>(rows_), rate);
    exchange();
}

std::vector<float> Strip::read() {
    const std::vector<float> cells = queue_.read(current());
    std::vector<float> result(rows_ * columns_);
    for (std::size_t y = 0; y < rows_; ++y) {
        std::copy_n(&cells[(y + 1) * (columns_ + 2) + 1], columns_, &result[y * columns_]);
    }
    return result;
}
