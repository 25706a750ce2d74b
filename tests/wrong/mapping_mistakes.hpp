// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/device.hpp>

// Programs that use mappings wrongly.
namespace wrong {

void mapping_for_reading_written(const ferry::Device& device);
void discarding_mapping_not_written(const ferry::Device& device);
void discarding_mapping_short_of_two_elements(const ferry::Device& device);
void discarding_mapping_short_of_one_element(const ferry::Device& device);
void mapping_overrun(const ferry::Device& device);
void mapping_used_after_its_end(const ferry::Device& device);

} // namespace wrong
