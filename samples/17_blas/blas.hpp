// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Stored row by row, without gaps; `elements` is a part of a larger buffer.
struct MatrixView {
    ferry::View<float> elements;
    std::size_t rows = 0;
    std::size_t columns = 0;
};

/// A library that multiplies matrices and does not know Ferry. It gets the vendor's handles of Ferry's queue
/// and memory.
class Blas {
public:
    Blas() = default;
    Blas(const Blas&) = delete;
    Blas& operator=(const Blas&) = delete;
    virtual ~Blas() = default;

    virtual std::string name() const = 0;
    /// Enqueues c = a b on the queue; does not wait. Throws std::runtime_error with the library's code.
    virtual void multiply(ferry::Queue& queue, const MatrixView& a, const MatrixView& b,
                          const MatrixView& c) = 0;
};

/// Null if the library is missing or does not support this device; `why` then has the reason.
std::unique_ptr<Blas> make_clblast(const ferry::Device& device, std::string& why);
std::unique_ptr<Blas> make_cublas(const ferry::Device& device, std::string& why);
/// A plain loop on the processor over mappings of the buffers. Always available.
std::unique_ptr<Blas> make_plain();

/// The library of that name ("clblast", "cublas", "plain"). If the name is empty: the first one that works.
/// Throws std::runtime_error with the reasons if none works.
std::unique_ptr<Blas> find_blas(const ferry::Device& device, std::string_view name,
                                std::vector<std::string>& reasons);
