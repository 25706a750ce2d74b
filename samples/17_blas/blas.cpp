// SPDX-License-Identifier: Apache-2.0
#include "blas.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace {

class Plain final : public Blas {
public:
    std::string name() const override { return "a plain loop on the processor"; }
    void multiply(ferry::Queue& queue, const MatrixView& a, const MatrixView& b,
                  const MatrixView& c) override {
        std::vector<float> product(c.rows * c.columns);
        {
            const auto x = ferry::View<const float>(a.elements).map(queue, ferry::Map::read);
            const auto y = ferry::View<const float>(b.elements).map(queue, ferry::Map::read);
            for (std::size_t row = 0; row < c.rows; ++row) {
                float* const to = &product[row * c.columns];
                for (std::size_t k = 0; k < a.columns; ++k) {
                    const float factor = x[row * a.columns + k];
                    for (std::size_t column = 0; column < c.columns; ++column) {
                        to[column] += factor * y[k * b.columns + column];
                    }
                }
            }
        }
        queue.copy_and_wait(product, c.elements);
    }
};

} // namespace

std::unique_ptr<Blas> make_plain() {
    return std::make_unique<Plain>();
}

std::unique_ptr<Blas> find_blas(const ferry::Device& device, std::string_view name,
                                std::vector<std::string>& reasons) {
    std::string why;
    if (name.empty() || name == "clblast") {
        if (auto found = make_clblast(device, why)) {
            return found;
        }
        reasons.push_back("CLBlast: " + why);
    }
    if (name.empty() || name == "cublas") {
        if (auto found = make_cublas(device, why)) {
            return found;
        }
        reasons.push_back("cuBLAS: " + why);
    }
    if (name.empty() || name == "plain") {
        return make_plain();
    }
    if (reasons.empty()) {
        throw std::runtime_error(
            fmt::format("'{}' is no library of this sample; there are clblast, cublas and plain", name));
    }
    throw std::runtime_error(fmt::format("{}", fmt::join(reasons, "; ")));
}
