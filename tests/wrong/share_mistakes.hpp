// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/device.hpp>

// Programs that use shared memory wrongly.
namespace wrong {

void share_for_reading_written(const ferry::Device& device);
void const_view_written(const ferry::Device& device);
void shared_written_without_guard(const ferry::Device& device);
void shared_read_without_guard(const ferry::Device& device);
void shared_overwritten_without_guard(const ferry::Device& device);
void shared_edge_read_without_guard(const ferry::Device& device);
void shared_edge_overwritten_without_guard(const ferry::Device& device);
void shared_copy_written_without_guard(const ferry::Device& device);
void shared_written_past_the_share(const ferry::Device& device);
void shared_read_past_the_share(const ferry::Device& device);

} // namespace wrong
