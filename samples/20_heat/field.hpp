// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>
#include <ferry/interop/mpi.hpp>

#include <cstddef>
#include <vector>

/// The part of a difference that flows between neighbouring cells in a step.
inline constexpr float rate = 0.2F;

/// The whole plate at the beginning, row after row: warm discs on a cooler ground, 1 to 2. The same on all
/// ranks for the same seed.
std::vector<float> warm_plate(std::size_t columns, std::size_t rows, unsigned seed);

/// The rows of a plate that one rank has, on its device, with a row of each neighbour's above and below. The
/// plate's edges keep the temperature 1.
class Strip {
public:
    /// `first` and `rows`: which of the plate's.
    Strip(ferry::interop::mpi::Communicator& world, const std::vector<float>& plate, std::size_t columns,
          std::size_t first, std::size_t rows);

    /// Enqueues the step; the neighbours' rows of the new state are here when it returns.
    void step();
    void finish() { queue_.finish(); }
    /// The rows without the halo.
    std::vector<float> read();

    std::size_t rows() const noexcept { return rows_; }

private:
    void exchange();
    ferry::View<float> row(std::size_t index) {
        return current().subview(index * (columns_ + 2), columns_ + 2);
    }
    ferry::Buffer<float>& current() noexcept { return buffers_[turn_]; }

    ferry::interop::mpi::Communicator* world_;
    std::size_t columns_;
    std::size_t rows_;
    ferry::Queue queue_;
    ferry::Kernel kernel_;
    ferry::Grid grid_;
    std::vector<ferry::Buffer<float>> buffers_;
    std::size_t turn_ = 0;
};
