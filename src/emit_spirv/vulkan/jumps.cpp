// SPDX-License-Identifier: Apache-2.0
#include "vulkan_emitter.hpp"

#include <algorithm>
#include <utility>

// Goto. A block with labels is a region: a loop around a switch over a variable that names the label to go
// to. A jump out of loops and inner regions sets the variable, leaves the innermost one, and is continued
// after its end.
namespace ferry::emit_spirv::vulkan {
namespace {

// Values of the variable next to the numbers of labels. 0: no jump is under way.
constexpr std::uint32_t break_code = 0xfffffffe;
constexpr std::uint32_t continue_code = 0xffffffff;

} // namespace

/// Finds the labels that goto statements name.
void VulkanEmitter::find_targets(StmtId id) {
    if (id == 0) {
        return;
    }
    const Stmt& s = tree_.stmt(id);
    if (s.kind == StmtKind::goto_) {
        jumps_.numbers.emplace(s.label, static_cast<std::uint32_t>(jumps_.numbers.size() + 1));
    }
    if (s.kind == StmtKind::block) {
        for (const StmtId inner : tree_.items(s.list)) {
            find_targets(inner);
        }
    }
    find_targets(s.body);
    find_targets(s.otherwise);
}

/// The labels in front of a statement that are targets.
std::vector<std::string_view> VulkanEmitter::targets_at(StmtId id) const {
    std::vector<std::string_view> all;
    for (; id != 0 && tree_.stmt(id).kind == StmtKind::label; id = tree_.stmt(id).body) {
        if (jumps_.numbers.contains(tree_.stmt(id).label)) {
            all.push_back(tree_.stmt(id).label);
        }
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
    const auto items = tree_.items(tree_.stmt(id).list);
    Level level;
    for (const StmtId item : items) {
        const auto own = targets_at(item);
        level.labels.insert(level.labels.end(), own.begin(), own.end());
    }
    if (level.labels.empty()) {
        return false;
    }
    for (const StmtId item : items) {
        std::vector<StmtId> cases;
        collect_cases(item, cases);
        if (!cases.empty()) {
            refuse(tree_.stmt(cases[0]).token,
                   "a switch with labels of goto next to its cases has no form in Vulkan's SPIR-V");
        }
    }
    level.region = true;
    level.again = module_->fresh();
    level.end = module_->fresh();
    level.breaks = body_.breaks.size();
    level.continues = body_.continues.size();
    const Id head = module_->fresh();
    const Id first = module_->fresh();
    const Id join = module_->fresh();
    begin(head);
    act(Opcode::loop_merge, {level.end, level.again, 0});
    begin(module_->fresh());
    const Id target = load_chain(jump_variable(), number_type(TypeKind::uint), false);
    const Id outside = module_->fresh(); // The label is that of an outer region.
    Words operands{target, outside, 0, first};
    std::map<std::string_view, Id> blocks;
    for (const std::string_view label : level.labels) {
        operands.push_back(jumps_.numbers.at(label));
        operands.push_back(blocks[label] = module_->fresh());
    }
    act(Opcode::selection_merge, {join, 0});
    end_block(Opcode::switch_, operands);
    begin(outside);
    jump(join);
    jumps_.levels.push_back(level);
    begin(first);
    for (StmtId item : items) {
        for (const std::string_view label : targets_at(item)) {
            begin(blocks.at(label));
            store_chain(jump_variable(), u32(0), false);
        }
        while (tree_.stmt(item).kind == StmtKind::label) {
            item = tree_.stmt(item).body;
        }
        statement(item);
    }
    begin(join);
    jump(level.end);
    begin(level.again);
    jump(head);
    begin(level.end);
    end_level();
    return true;
}

/// Continues the jumps that left the innermost loop or region.
void VulkanEmitter::end_level() {
    const Level level = std::move(jumps_.levels.back());
    jumps_.levels.pop_back();
    if (!level.leaves && !level.breaks_out && !level.continues_out) {
        return;
    }
    const Id code = load_chain(jump_variable(), number_type(TypeKind::uint), false);
    const auto when = [&](Opcode test, std::uint32_t value, const std::function<void()>& leave) {
        const Id yes = module_->fresh();
        const Id join = selection(make(test, bool_type(), {code, u32(value)}), yes, 0);
        begin(yes);
        leave();
        begin(join);
    };
    if (level.breaks_out) {
        when(Opcode::i_equal, break_code, [&] {
            store_chain(jump_variable(), u32(0), false);
            break_or_continue(true);
        });
    }
    if (level.continues_out) {
        when(Opcode::i_equal, continue_code, [&] {
            store_chain(jump_variable(), u32(0), false);
            break_or_continue(false);
        });
    }
    if (level.leaves) {
        when(Opcode::i_not_equal, 0, [&] {
            const Level& outer = jumps_.levels.back();
            jump(outer.region ? outer.again : body_.ends.back());
        });
    }
}

void VulkanEmitter::go_to(const Stmt& s) {
    const auto has = [&](const Level& level) {
        return std::find(level.labels.begin(), level.labels.end(), s.label) != level.labels.end();
    };
    const auto found = std::find_if(jumps_.levels.rbegin(), jumps_.levels.rend(), has);
    if (found == jumps_.levels.rend()) {
        refuse(s.token, "a goto into a block has no form in Vulkan's SPIR-V");
    }
    store_chain(jump_variable(), u32(jumps_.numbers.at(s.label)), false);
    for (auto crossed = jumps_.levels.rbegin(); crossed != found; ++crossed) {
        crossed->leaves = true;
    }
    const Level& top = jumps_.levels.back();
    jump(has(top) ? top.again : top.region ? top.end : body_.ends.back());
}

/// Emits break or continue, out of a region if necessary.
void VulkanEmitter::break_or_continue(bool breaks) {
    Level* const top = jumps_.levels.empty() ? nullptr : &jumps_.levels.back();
    const bool outside =
        top != nullptr && top->region &&
        (breaks ? top->breaks == body_.breaks.size() : top->continues == body_.continues.size());
    if (!outside) {
        return jump(breaks ? body_.breaks.back() : body_.continues.back());
    }
    (breaks ? top->breaks_out : top->continues_out) = true;
    store_chain(jump_variable(), u32(breaks ? break_code : continue_code), false);
    jump(top->end);
}

void VulkanEmitter::loop(const Stmt& s) {
    jumps_.levels.emplace_back();
    Emitter::loop(s);
    end_level();
}

} // namespace ferry::emit_spirv::vulkan
