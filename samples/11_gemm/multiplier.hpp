// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// A matrix, stored column by column.
struct Matrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<float> values = std::vector<float>(rows * columns);

    float at(std::size_t row, std::size_t column) const { return values[column * rows + row]; }
    /// A copy with zeros added below and to the right, so that its sizes are multiples of these.
    Matrix padded(std::size_t row_multiple, std::size_t column_multiple) const;
    /// A copy of the upper left part.
    Matrix cut(std::size_t row_count, std::size_t column_count) const;
};

/// The shape of the kernel; gemm.cl explains each field.
struct Tuning {
    std::size_t mwg = 32;
    std::size_t nwg = 32;
    std::size_t kwg = 32;
    std::size_t mdimc = 4;
    std::size_t ndimc = 4;
    std::size_t vw = 8;

    /// Reasonable defaults: many small work-items for a GPU, few large ones for a processor.
    static Tuning of(const ferry::Device& device);
    /// Throws std::invalid_argument if the kernel cannot have this shape.
    void check() const;
    /// The macros of the shape, for example "MWG=32".
    std::vector<std::string> defines() const;
    friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// Computes C = alpha * A * transposed(B) + beta * C of any sizes on one device.
class Multiplier {
public:
    Multiplier(const ferry::Device& device, const Tuning& tuning, const Matrix& a, const Matrix& b);

    /// Blocks. Stores the duration of the multiplication itself in `seconds`.
    Matrix multiply(float alpha, float beta, const Matrix& c, double& seconds);

    const ferry::Program& program() const { return program_; }

private:
    Tuning tuning_;
    std::uint32_t m_ = 0;
    std::uint32_t n_ = 0;
    std::uint32_t k_ = 0;
    ferry::Queue queue_;
    ferry::Program program_;
    ferry::Kernel gemm_;
    ferry::Buffer<float> a_;
    ferry::Buffer<float> b_;
    ferry::Buffer<float> c_;
};
