// SPDX-License-Identifier: Apache-2.0
#include "multiplier.hpp"

#include "gemm.cl.hpp"
#include "sample.hpp"

#include <algorithm>

namespace {

std::size_t rounded_up(std::size_t value, std::size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

// The default shape in the source needs no -D. If the build compiled that code, it needs no compiler either.
ferry::BuildOptions options_for(const Tuning& tuning) {
    ferry::BuildOptions options;
    if (tuning != Tuning{}) {
        options.defines = tuning.defines();
    }
    return options;
}

} // namespace

Matrix Matrix::padded(std::size_t row_multiple, std::size_t column_multiple) const {
    Matrix all{.rows = rounded_up(rows, row_multiple), .columns = rounded_up(columns, column_multiple)};
    for (std::size_t column = 0; column < columns; ++column) {
        std::copy_n(&values[column * rows], rows, &all.values[column * all.rows]);
    }
    return all;
}

Matrix Matrix::cut(std::size_t row_count, std::size_t column_count) const {
    Matrix part{.rows = row_count, .columns = column_count};
    for (std::size_t column = 0; column < column_count; ++column) {
        std::copy_n(&values[column * rows], row_count, &part.values[column * row_count]);
    }
    return part;
}

Tuning Tuning::of(const ferry::Device& device) {
    if (device.info().kind == ferry::DeviceKind::gpu) {
        return {.mwg = 128, .nwg = 128, .kwg = 16, .mdimc = 16, .ndimc = 16, .vw = 4};
    }
    return {};
}

void Tuning::check() const {
    const auto fits = [&](std::size_t group, std::size_t items) {
        return items > 0 && group > 0 && group % (items * vw) == 0;
    };
    if ((vw != 1 && vw != 2 && vw != 4 && vw != 8) || kwg == 0 || !fits(mwg, mdimc) || !fits(nwg, ndimc)) {
        throw std::invalid_argument(fmt::format(
            "The kernel cannot have the shape {}: VW is 1, 2, 4 or 8, KWG at least 1, MWG a multiple "
            "of MDIMC * VW and NWG one of NDIMC * VW",
            fmt::join(defines(), " ")));
    }
}

std::vector<std::string> Tuning::defines() const {
    return {fmt::format("MWG={}", mwg),     fmt::format("NWG={}", nwg),     fmt::format("KWG={}", kwg),
            fmt::format("MDIMC={}", mdimc), fmt::format("NDIMC={}", ndimc), fmt::format("VW={}", vw)};
}

Multiplier::Multiplier(const ferry::Device& device, const Tuning& tuning, const Matrix& a, const Matrix& b)
    : tuning_(tuning),
      queue_(device),
      program_(device, kernels::gemm_cl, options_for(tuning)),
      gemm_(program_.kernel("gemm")) {
    const Matrix all_a = a.padded(tuning.mwg, tuning.kwg);
    const Matrix all_b = b.padded(tuning.nwg, tuning.kwg);
    m_ = static_cast<std::uint32_t>(all_a.rows);
    n_ = static_cast<std::uint32_t>(all_b.rows);
    k_ = static_cast<std::uint32_t>(all_a.columns);
    a_ = {device, all_a.values.size()};
    b_ = {device, all_b.values.size()};
    c_ = {device, std::size_t{m_} * n_};
    queue_.copy(all_a.values, a_);
    queue_.copy(all_b.values, b_);
    queue_.finish();
}

Matrix Multiplier::multiply(float alpha, float beta, const Matrix& c, double& seconds) {
    Matrix all = c.padded(tuning_.mwg, tuning_.nwg);
    queue_.copy_and_wait(all.values, c_);
    const sample::Stopwatch watch;
    queue_.launch(gemm_,
                  {.groups = {m_ / tuning_.mwg, n_ / tuning_.nwg}, .local = {tuning_.mdimc, tuning_.ndimc}},
                  m_, n_, k_, alpha, beta, a_, b_, c_);
    queue_.finish();
    seconds = watch.seconds();
    queue_.copy_and_wait(c_, all.values);
    return all.cut(c.rows, c.columns);
}
