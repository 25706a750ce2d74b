// SPDX-License-Identifier: Apache-2.0
#include "vulkan_emitter.hpp"

#include <algorithm>
#include <string>
#include <utility>

// Goto, break and continue. A block with labels has a loop for each label that is reached from behind, and
// for each one that is reached from before a switch with one case, whose merge block is the label. SPIR-V
// allows a branch out of the innermost loop, and to the end of the innermost construct. A jump further out
// sets a variable, leaves the innermost one, and is continued after its end. Loops of goto end at their head:
// Mesa's lavapipe (22.3) gives work-items that leave a loop elsewhere the values of later turns.
namespace ferry::emit_spirv::vulkan {

/// Finds the labels that goto statements name.
void VulkanEmitter::find_targets(StmtId id, std::set<std::string_view>& targets) const {
    if (id == 0) {
        return;
    }
    const Stmt& s = tree_.stmt(id);
    if (s.kind == StmtKind::goto_) {
        targets.insert(s.label);
    }
    if (s.kind == StmtKind::block) {
        for (const StmtId inner : tree_.items(s.list)) {
            find_targets(inner, targets);
        }
    }
    find_targets(s.body, targets);
    find_targets(s.otherwise, targets);
}

void VulkanEmitter::number_labels(StmtId body) {
    std::set<std::string_view> targets;
    find_targets(body, targets);
    constexpr std::size_t most = 200; // Each one may be nested in all others.
    if (targets.size() > most) {
        refuse(tree_.stmt(body).token, "a function with more than " + std::to_string(most) +
                                           " labels of goto has no form in Vulkan's SPIR-V");
    }
    for (const std::string_view target : targets) {
        jumps_.numbers.emplace(target, static_cast<std::uint32_t>(jumps_.numbers.size() + 1));
    }
}

/// The labels and jumps in a block. Empty if it has no labels.
std::vector<JumpItem> VulkanEmitter::jump_items(std::span<const StmtId> items) const {
    std::vector<JumpItem> all(items.size());
    bool any = false;
    for (std::size_t i = 0; i < items.size(); ++i) {
        for (StmtId id = items[i]; tree_.stmt(id).kind == StmtKind::label; id = tree_.stmt(id).body) {
            if (jumps_.numbers.contains(tree_.stmt(id).label)) {
                all[i].labels.push_back(tree_.stmt(id).label);
                any = true;
            }
        }
    }
    if (!any) {
        return {};
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        find_targets(items[i], all[i].targets);
    }
    return all;
}

Id VulkanEmitter::jump_variable() {
    if (jumps_.variable == 0) {
        const Id word = number_type(TypeKind::uint);
        jumps_.variable = module_->fresh();
        append(body_.variables, Opcode::variable,
               {pointer_type(StorageClass::function, word), jumps_.variable,
                static_cast<std::uint32_t>(StorageClass::function), u32(0)});
    }
    return jumps_.variable;
}

/// Emits a block with labels. Returns false if it has none.
bool VulkanEmitter::region(StmtId id) {
    const auto statements = tree_.items(tree_.stmt(id).list);
    const std::vector<JumpItem> items = jump_items(statements);
    if (items.empty()) {
        return false;
    }
    for (const StmtId item : statements) {
        std::vector<StmtId> cases;
        collect_cases(item, cases);
        if (!cases.empty()) {
            refuse(tree_.stmt(cases[0]).token,
                   "a switch with labels of goto next to its cases has no form in Vulkan's SPIR-V");
        }
    }
    const JumpSpans all = jump_spans(items);
    auto next = all.spans.begin();
    std::vector<std::size_t> ends; // Of the open spans.
    for (std::size_t i = 0;; ++i) {
        for (; !ends.empty() && ends.back() == i; ends.pop_back()) {
            close_level();
        }
        if (i == items.size()) {
            return true;
        }
        for (; next != all.spans.end() && next->begin == i; ++next) {
            if (body_.block != 0) {
                open_level(*next, items, all);
                ends.push_back(next->end);
            }
        }
        if (const auto entered = all.entered.find(i); entered != all.entered.end() && body_.block != 0) {
            for (const std::string_view label : entered->second) {
                when_jumping(jumps_.numbers.at(label));
            }
        }
        StmtId item = statements[i];
        while (tree_.stmt(item).kind == StmtKind::label) {
            item = tree_.stmt(item).body;
        }
        if (body_.block != 0 || tree_.stmt(item).kind != StmtKind::goto_) {
            statement(item);
        }
    }
}

void VulkanEmitter::open_level(const JumpSpan& span, const std::vector<JumpItem>& items,
                               const JumpSpans& all) {
    Level level;
    level.loop = span.loop;
    level.end = module_->fresh();
    if (span.loop) {
        level.labels = items[span.begin].labels;
        level.head = module_->fresh();
        level.again = module_->fresh();
        level.turns = new_variable(number_type(TypeKind::uint), 4);
        store_chain(level.turns, u32(1), false);
        begin(level.head);
        const Id turns = load_chain(level.turns, number_type(TypeKind::uint), false);
        const Id goes_on = make(Opcode::i_not_equal, bool_type(), {turns, u32(0)});
        const Id inside = module_->fresh();
        act(Opcode::loop_merge, {level.end, level.again, 0});
        branch_on(goes_on, inside, level.end);
        begin(inside);
        store_chain(level.turns, u32(0), false);
    } else {
        if (span.end < items.size()) {
            level.labels = items[span.end].labels;
        }
        const auto loop = std::find_if(all.spans.begin(), all.spans.end(), [&](const JumpSpan& other) {
            return other.loop && other.begin == span.end;
        });
        for (std::size_t i = span.end + 1; loop != all.spans.end() && i < loop->end; ++i) {
            level.beyond.insert(level.beyond.end(), items[i].labels.begin(), items[i].labels.end());
        }
        const Id inside = module_->fresh();
        act(Opcode::selection_merge, {level.end, 0});
        end_block(Opcode::switch_, {u32(0), inside});
        begin(inside);
    }
    jumps_.levels.push_back(std::move(level));
}

void VulkanEmitter::close_level() {
    const Level level = std::move(jumps_.levels.back());
    jumps_.levels.pop_back();
    if (level.loop) {
        begin(level.again);
        jump(level.head);
    }
    begin(level.end);
    continue_jumps(level);
}

/// Continues the jumps that left a construct.
void VulkanEmitter::continue_jumps(const Level& left) {
    for (const std::uint32_t code : left.leaving) {
        when_jumping(code);
    }
}

/// Continues a jump if it is under way.
void VulkanEmitter::when_jumping(std::uint32_t code) {
    const Id under_way = load_chain(jump_variable(), number_type(TypeKind::uint), false);
    const Id yes = module_->fresh();
    const Id join = selection(make(Opcode::i_equal, bool_type(), {under_way, u32(code)}), yes, 0);
    begin(yes);
    leave(code, true);
    begin(join);
}

void VulkanEmitter::go_to(const Stmt& s) {
    const auto number = jumps_.numbers.find(s.label);
    if (number == jumps_.numbers.end()) {
        refuse(s.token, "a goto in a statement expression has no form in Vulkan's SPIR-V");
    }
    leave(number->second, false);
}

/// The position of the construct where a jump ends. Past the end if there is none.
std::size_t VulkanEmitter::level_of(std::uint32_t code) const {
    const auto is_end = [&](const Level& level) {
        if (code == Jumps::break_code || code == Jumps::continue_code) {
            return level.of_text && (level.loop || code == Jumps::break_code);
        }
        const auto is_it = [&](std::string_view label) { return jumps_.numbers.at(label) == code; };
        return std::any_of(level.labels.begin(), level.labels.end(), is_it) ||
               std::any_of(level.beyond.begin(), level.beyond.end(), is_it);
    };
    const auto found = std::find_if(jumps_.levels.rbegin(), jumps_.levels.rend(), is_end);
    return found == jumps_.levels.rend() ? jumps_.levels.size()
                                         : static_cast<std::size_t>(jumps_.levels.rend() - found - 1);
}

/// Emits a jump, or the next part of one that is under way.
void VulkanEmitter::leave(std::uint32_t code, bool under_way) {
    const std::size_t at = level_of(code);
    if (at == jumps_.levels.size()) {
        refuse(token_, "a goto into a block has no form in Vulkan's SPIR-V");
    }
    const Level& target = jumps_.levels[at];
    std::size_t loop = jumps_.levels.size(); // The innermost one in the target.
    while (loop > at + 1 && !jumps_.levels[loop - 1].loop) {
        --loop;
    }
    const bool crosses_loop = loop > at + 1;
    const bool direct = target.loop ? !crosses_loop : at + 1 == jumps_.levels.size();
    Level& left = direct ? jumps_.levels[at] : crosses_loop ? jumps_.levels[loop - 1] : jumps_.levels.back();
    if (left.end == 0) {
        refuse(token_, "a jump out of the condition of a loop or switch has no form in Vulkan's SPIR-V");
    }
    const bool passes = std::any_of(target.beyond.begin(), target.beyond.end(),
                                    [&](std::string_view label) { return jumps_.numbers.at(label) == code; });
    if (const bool stays = !direct || passes; stays != under_way) {
        store_chain(jump_variable(), u32(stays ? code : 0), false);
    }
    if (!direct) {
        left.leaving.insert(code);
    }
    const bool again = direct && (left.of_text ? code == Jumps::continue_code : left.loop);
    if (left.turns != 0) {
        if (again) {
            store_chain(left.turns, u32(1), false);
        }
        return jump(left.again);
    }
    jump(again ? left.again : left.end);
}

void VulkanEmitter::breakable(StmtId body, Id end, Id again) {
    const std::size_t at = jumps_.levels.size() - 1; // Of loop_or_switch().
    jumps_.levels[at].end = end;
    jumps_.levels[at].again = again;
    statement(body);
    jumps_.levels[at].end = 0;
}

void VulkanEmitter::loop_or_switch(StmtId id) {
    Level level;
    level.of_text = true;
    level.loop = tree_.stmt(id).kind != StmtKind::switch_;
    jumps_.levels.push_back(std::move(level));
    Emitter::statement(id);
    const Level left = std::move(jumps_.levels.back());
    jumps_.levels.pop_back();
    continue_jumps(left);
}

} // namespace ferry::emit_spirv::vulkan
