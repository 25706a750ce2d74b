// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

#include <utility>

// Instructions, blocks and the merge blocks of branches. Each branch names its merge block, so the control
// flow of a text without goto is structured.
namespace ferry::emit_spirv {

void Emitter::refuse(std::uint32_t token, std::string message) {
    throw Refusal{token, std::move(message)};
}

void Emitter::refuse_image(std::uint32_t token) {
    throw Refusal{token, "images and samplers are not emitted as SPIR-V", true};
}

Id Emitter::make(Opcode opcode, Id type, const Words& operands) {
    const Id id = module_->fresh();
    Words all{type, id};
    all.insert(all.end(), operands.begin(), operands.end());
    act(opcode, all);
    return id;
}

void Emitter::act(Opcode opcode, const Words& operands) {
    static_cast<void>(open_block());
    append(body_.code, opcode, operands);
}

/// The block that receives instructions. After a jump it is a new, unreachable one.
Id Emitter::open_block() {
    if (body_.block == 0) {
        begin(module_->fresh());
    }
    return body_.block;
}

void Emitter::begin(Id label) {
    jump(label);
    append(body_.code, Opcode::label, {label});
    body_.block = label;
}

void Emitter::jump(Id label) {
    if (body_.block != 0) {
        end_block(Opcode::branch, {label});
    }
}

void Emitter::end_block(Opcode opcode, const Words& operands) {
    act(opcode, operands);
    body_.block = 0;
}

void Emitter::branch_on(Id condition, Id yes, Id no) {
    end_block(Opcode::branch_conditional, {condition, yes, no});
}

Id Emitter::selection(Id condition, Id yes, Id no) {
    const Id join = module_->fresh();
    act(Opcode::selection_merge, {join, 0});
    branch_on(condition, yes, no == 0 ? join : no);
    return join;
}

Id Emitter::extended(Id type, std::uint32_t number, const Words& operands) {
    Words all{module_->import("OpenCL.std"), number};
    all.insert(all.end(), operands.begin(), operands.end());
    return make(Opcode::ext_inst, type, all);
}

/// Returns one of two values and computes only the chosen one. `type` 0: there is no value.
Id Emitter::choose(Id type, Id condition, const std::function<Id()>& yes, const std::function<Id()>& no) {
    const Id first = module_->fresh();
    const Id second = module_->fresh();
    const Id join = selection(condition, first, second);
    begin(first);
    const Id a = yes();
    const Id a_block = open_block();
    jump(join);
    begin(second);
    const Id b = no();
    const Id b_block = open_block();
    begin(join);
    return type == 0 ? 0 : make(Opcode::phi, type, {a, a_block, b, b_block});
}

/// Emits for (i = begin; i < end; i += step) with 64-bit numbers.
void Emitter::count_up(Id begin_value, Id end, Id step, const std::function<void(Id)>& body) {
    const Id word = number_type(TypeKind::ulong);
    const Id counter = new_variable(word, 8);
    store_memory(counter, begin_value, 8, false);
    const Id head = module_->fresh();
    const Id test = module_->fresh();
    const Id inside = module_->fresh();
    const Id next = module_->fresh();
    const Id done = module_->fresh();
    begin(head);
    act(Opcode::loop_merge, {done, next, 0});
    begin(test);
    const Id i = load_memory(counter, word, 8, false);
    branch_on(make(Opcode::u_less_than, bool_type(), {i, end}), inside, done);
    begin(inside);
    body(i);
    begin(next);
    store_memory(counter, make(Opcode::i_add, word, {i, step}), 8, false);
    jump(head);
    begin(done);
}

Id Emitter::new_variable(Id type, std::uint64_t align) {
    const Id id = module_->fresh();
    append(
        body_.variables, Opcode::variable,
        {pointer_type(StorageClass::function, type), id, static_cast<std::uint32_t>(StorageClass::function)});
    module_->decorate(id, Decoration::alignment, {static_cast<std::uint32_t>(align)});
    return id;
}

} // namespace ferry::emit_spirv
