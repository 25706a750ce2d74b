// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wrong.hpp"

#include <vector>

namespace wrong {

/// With kernels that use unwritten bytes.
std::vector<Program> unwritten_programs();

/// Similar correct programs.
void padding_copied_by_kernels(const ferry::Device& device);
void largest_padding_copied(const ferry::Device& device);
void padded_vectors_computed(const ferry::Device& device);
void unwritten_bytes_left_alone(const ferry::Device& device);
void host_memory_written_by_the_host(const ferry::Device& device);

} // namespace wrong
