// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>
#include <ferry/interop/mpi.hpp>

#include <cstddef>
#include <vector>

/// The part of a temperature difference that flows between neighbouring cells in a step.
inline constexpr float rate = 0.2F;

/// The whole plate at the beginning, row by row: warm discs on a cooler ground, with temperatures from 1 to
/// 2. All ranks get the same plate for the same seed.
std::vector<float> warm_plate(std::size_t columns, std::size_t rows, unsigned seed);

/// One rank's rows of a plate on its device, with one row of each neighbour above and below. The edges of the
/// plate keep the temperature 1.
class Strip {
public:
    /// `first` and `rows` select the rows of the plate.
    Strip(ferry::interop::mpi::Communicator& world, const std::vector<float>& plate, std::size_t columns,
          std::size_t first, std::size_t rows);

    /// Enqueues the step. The neighbours' rows of the new state have arrived when it returns.
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
