// SPDX-License-Identifier: Apache-2.0
#include "emit_spirv/vulkan/jump_spans.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace vulkan_jump_spans_test {

using namespace ferry::emit_spirv::vulkan;

std::string shown(const JumpSpans& all) {
    std::string text;
    for (const JumpSpan& span : all.spans) {
        text +=
            (span.loop ? "loop " : "to ") + std::to_string(span.begin) + "-" + std::to_string(span.end) + " ";
    }
    for (const auto& [at, labels] : all.entered) {
        for (const std::string_view label : labels) {
            text += std::string(label) + " by " + std::to_string(at) + " ";
        }
    }
    return text;
}

TEST_CASE("vulkan jump spans: a jump forward, a jump back, and both to one label") {
    CHECK(shown(jump_spans({{{}, {"a"}}, {}, {{"a"}, {}}})) == "to 0-2 ");
    CHECK(shown(jump_spans({{}, {{"a"}, {}}, {{}, {"a"}}, {}})) == "loop 1-3 ");
    CHECK(shown(jump_spans({{{}, {"a"}}, {{"a"}, {"a"}}, {}})) == "to 0-1 loop 1-2 ");
}

TEST_CASE("vulkan jump spans: those that cross are extended, and a loop entered in its middle") {
    CHECK(shown(jump_spans({{}, {{}, {"a"}}, {{}, {"b"}}, {{"a"}, {}}, {{"b"}, {}}})) == "to 1-4 to 1-3 ");
    CHECK(shown(jump_spans({{{"a"}, {}}, {{"b"}, {}}, {{}, {"a"}}, {{}, {"b"}}})) == "loop 0-4 loop 1-4 ");
    CHECK(shown(jump_spans({{{"a"}, {}}, {{}, {"b"}}, {{}, {"a"}}, {{"b"}, {}}})) == "to 0-3 loop 0-3 ");
    CHECK(shown(jump_spans({{{}, {"b"}}, {{"a"}, {}}, {{"b"}, {}}, {{}, {"a"}}})) ==
          "to 0-1 loop 1-4 to 1-2 b by 1 ");
}

TEST_CASE("vulkan jump spans: any two are nested or disjoint, and each jump has its own") {
    std::mt19937 random(20261129);
    const auto below = [&](std::size_t limit) { return random() % limit; };
    for (int round = 0; round < 2000; ++round) {
        const std::size_t count = 1 + below(12);
        std::vector<std::string> names(count);
        std::vector<JumpItem> items(count);
        for (std::size_t i = 0; i < count; ++i) {
            names[i] = "l" + std::to_string(i);
            items[i].labels = {names[i]};
        }
        struct Jump {
            std::size_t from, to;
        };
        std::vector<Jump> jumps(below(7));
        for (Jump& jump : jumps) {
            jump = {below(count), below(count)};
            items[jump.from].targets.insert(names[jump.to]);
        }
        const JumpSpans all = jump_spans(items);
        INFO(shown(all));
        for (std::size_t i = 0; i < all.spans.size(); ++i) {
            for (std::size_t k = i + 1; k < all.spans.size(); ++k) {
                const JumpSpan& a = all.spans[i];
                const JumpSpan& b = all.spans[k];
                CHECK((b.begin >= a.end || (b.begin >= a.begin && b.end <= a.end)));
            }
        }
        for (const Jump& jump : jumps) {
            const bool back = jump.to <= jump.from;
            std::size_t begin = jump.from;
            for (const JumpSpan& span : all.spans) { // Outer loops are before inner ones.
                if (!back && span.loop && begin < span.begin && span.begin < jump.to && jump.to < span.end) {
                    CHECK(all.entered.at(span.begin).contains(names[jump.to]));
                    begin = span.begin;
                }
            }
            CHECK(std::any_of(all.spans.begin(), all.spans.end(), [&](const JumpSpan& span) {
                return span.loop == back && span.begin <= begin &&
                       (back ? span.begin == jump.to && jump.from < span.end : span.end == jump.to);
            }));
        }
    }
}

} // namespace vulkan_jump_spans_test
