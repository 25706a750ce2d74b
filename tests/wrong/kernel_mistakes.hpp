// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/device.hpp>

// Programs with wrong kernels.
namespace wrong {

void kernel_reads_beyond(const ferry::Device& device);
void kernel_writes_beyond(const ferry::Device& device);
void kernel_writes_just_before(const ferry::Device& device);
void kernel_writes_just_beyond(const ferry::Device& device);
void kernel_faults_in_another_order(const ferry::Device& device);
void kernel_writes_to_const(const ferry::Device& device);
void missing_barrier(const ferry::Device& device);
void missing_second_barrier(const ferry::Device& device);
void groups_conflict(const ferry::Device& device);
void local_memory_read_unwritten(const ferry::Device& device);
void local_memory_overrun(const ferry::Device& device);
void division_by_zero(const ferry::Device& device);
void division_that_overflows(const ferry::Device& device);
void division_of_each_form(const ferry::Device& device);
void division_in_a_host_function(const ferry::Device& device);

} // namespace wrong
