// SPDX-License-Identifier: Apache-2.0
#include "mapping_mistakes.hpp"

#include "scene.hpp"

#include <algorithm>

namespace wrong {

void mapping_for_reading_written(const ferry::Device& device) {
    Scene s(device);
    {
        auto mapping = s.a.map(s.first, ferry::Map::read);
        mapping[3] = 5;
    }
    s.first.finish();
}

void discarding_mapping_not_written(const ferry::Device& device) {
    Scene s(device);
    {
        auto mapping = s.a.map(s.first, ferry::Map::discard);
        std::fill(mapping.begin(), mapping.begin() + 500, Word{5});
        std::fill(mapping.begin() + 520, mapping.end(), Word{6});
    }
    s.first.finish();
}

void discarding_mapping_short_of_two_elements(const ferry::Device& device) {
    Scene s(device);
    {
        auto mapping = s.a.map(s.first, ferry::Map::discard);
        std::fill(mapping.begin(), mapping.begin() + 500, Word{5});
        std::fill(mapping.begin() + 502, mapping.end(), Word{0xffffffff});
    }
    s.first.finish();
}

void discarding_mapping_short_of_one_element(const ferry::Device& device) {
    struct Padded {
        alignas(16) Word value; // 12 bytes of padding follow
    };
    Scene s(device);
    ferry::Buffer<Padded> padded{device, count};
    {
        auto mapping = padded.map(s.first, ferry::Map::discard);
        for (Word i = 0; i < count; ++i) {
            if (i != 20) {
                mapping[i].value = i;
            }
        }
    }
    s.first.finish();
}

void mapping_overrun(const ferry::Device& device) {
    Scene s(device);
    {
        auto mapping = s.a.first(10).map(s.first, ferry::Map::write);
        mapping.data()[10] = 5;
    }
    s.first.finish();
}

void mapping_used_after_its_end(const ferry::Device& device) {
    Scene s(device);
    auto mapping = s.a.map(s.first, ferry::Map::write);
    Word* const words = mapping.data();
    mapping.unmap();
    words[3] = 5;
}

} // namespace wrong
