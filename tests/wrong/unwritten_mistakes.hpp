// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/device.hpp>

// Programs with kernels that use unwritten bytes, and similar correct programs.
namespace wrong {

void unwritten_buffer_used(const ferry::Device& device);
void unwritten_buffer_copied(const ferry::Device& device);
void unwritten_element_used(const ferry::Device& device);
void unwritten_copy_used(const ferry::Device& device);
void unwritten_counters_used(const ferry::Device& device);
void unwritten_index_used(const ferry::Device& device);

void padding_copied_by_kernels(const ferry::Device& device);
void padded_vectors_computed(const ferry::Device& device);
void unwritten_bytes_left_alone(const ferry::Device& device);

} // namespace wrong
