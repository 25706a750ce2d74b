// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <vector>

// Decides the structured form of the goto statements to the labels of one block. A jump forward leaves a
// construct that ends at the label, so work-items that jump meet the others there. A jump back continues a
// loop that begins at the label.
namespace ferry::emit_spirv::vulkan {

/// The items `begin` up to, not including, `end` of a block.
struct JumpSpan {
    bool loop = false;
    std::size_t begin = 0, end = 0;
};

/// An item of a block.
struct JumpItem {
    std::vector<std::string_view> labels; ///< Those in front of it that a goto names.
    std::set<std::string_view> targets;   ///< The labels of the goto statements in it, at any depth.
};

struct JumpSpans {
    /// Any two are nested or disjoint. Outer spans are before inner ones.
    std::vector<JumpSpan> spans;
    /// Labels inside a loop that are reached from before the loop, by the first item of the loop.
    std::map<std::size_t, std::set<std::string_view>> entered;
};

JumpSpans jump_spans(const std::vector<JumpItem>& items);

} // namespace ferry::emit_spirv::vulkan
