// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builtin.hpp"

#include <span>
#include <string>
#include <vector>

namespace kernels {

/// The number of elements of each argument: a multiple of every width, and more than the pairs of edge
/// values.
inline constexpr std::size_t elements = std::size_t{48} * 60;
/// The number of work-items of a launch. Each computes elements / items scalars, for every width.
inline constexpr std::size_t items = elements / 48;

/// Rows with the same argument letters on one type form one kernel.
struct Group {
    std::string kernel;
    Type type{};
    std::string arguments;
    std::vector<const Builtin*> rows;
    std::vector<std::vector<unsigned>> widths; ///< for each row, the widths that are run
};

/// With FERRY_KERNEL_TESTS set to "full", every width of every row; otherwise one random width. Some drivers
/// need minutes to build the kernels.
bool every_width();
std::vector<Group> grouped(const std::vector<Builtin>& rows, bool with_double, std::size_t rows_per_kernel);

/// The offset in bytes of result number `which` of a row and width in the output buffer.
constexpr std::size_t output_offset(std::size_t row, std::size_t width_index, std::size_t which) {
    return ((row * std::size(all_widths) + width_index) * 2 + which) * elements * 8;
}
constexpr std::size_t output_size(std::size_t rows) {
    return output_offset(rows, 0, 0);
}

/// OpenCL C for a program of these kernels. Each takes three arguments and an output, all `__global uchar*`.
std::string program_text(std::span<const Group> groups);
/// The statement for one row and width, as a failure shows it.
std::string statement(const Builtin& row, Type type, unsigned width);

} // namespace kernels
