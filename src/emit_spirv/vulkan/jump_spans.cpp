// SPDX-License-Identifier: Apache-2.0
#include "jump_spans.hpp"

#include <algorithm>

namespace ferry::emit_spirv::vulkan {
namespace {

/// Begins or ends of spans, by the other end.
using Ends = std::map<std::size_t, std::size_t>;

/// Loops by their begin. A loop that ends in another one is extended to the end of that one, because its
/// statements can jump back to both.
Ends loops_of(const std::vector<JumpItem>& items, const std::map<std::string_view, std::size_t>& places) {
    Ends loops;
    for (std::size_t i = 0; i < items.size(); ++i) {
        for (const std::string_view target : items[i].targets) {
            const auto label = places.find(target);
            if (label != places.end() && label->second <= i) {
                loops[label->second] = i + 1;
            }
        }
    }
    for (auto inner = loops.rbegin(); inner != loops.rend(); ++inner) {
        for (auto& [begin, end] : loops) {
            if (begin < inner->first && inner->first < end) {
                end = std::max(end, inner->second);
            }
        }
    }
    return loops;
}

/// Extends a span that ends at a label to the begin of each span and loop that it would cross.
bool extend(std::size_t& begin, std::size_t end, const Ends& loops, const Ends& forward) {
    const std::size_t before = begin;
    for (const auto& [loop_begin, loop_end] : loops) {
        if (loop_begin < begin && begin < loop_end && loop_end <= end) {
            begin = loop_begin;
        }
    }
    for (const auto& [other_end, other_begin] : forward) {
        if (other_begin < begin && begin < other_end && other_end < end) {
            begin = other_begin;
        }
    }
    return begin != before;
}

} // namespace

JumpSpans jump_spans(const std::vector<JumpItem>& items) {
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < items.size(); ++i) {
        for (const std::string_view label : items[i].labels) {
            places[label] = i;
        }
    }
    JumpSpans result;
    const Ends loops = loops_of(items, places);
    Ends forward; // By their end.
    for (std::size_t i = 0; i < items.size(); ++i) {
        for (const std::string_view target : items[i].targets) {
            const auto label = places.find(target);
            if (label == places.end() || label->second <= i) {
                continue;
            }
            std::size_t from = i;
            for (const auto& [begin, end] : loops) { // Outer loops are before inner ones.
                if (from < begin && begin < label->second && label->second < end) {
                    const auto at = forward.emplace(begin, from).first;
                    at->second = std::min(at->second, from);
                    result.entered[begin].insert(target);
                    from = begin;
                }
            }
            const auto at = forward.emplace(label->second, from).first;
            at->second = std::min(at->second, from);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (auto& [end, begin] : forward) {
            changed = extend(begin, end, loops, forward) || changed;
        }
    }
    for (const auto& [end, begin] : forward) {
        result.spans.push_back({false, begin, end});
    }
    for (const auto& [begin, end] : loops) {
        result.spans.push_back({true, begin, end});
    }
    std::sort(result.spans.begin(), result.spans.end(), [](const JumpSpan& a, const JumpSpan& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end != b.end ? a.end > b.end : a.loop < b.loop;
    });
    return result;
}

} // namespace ferry::emit_spirv::vulkan
