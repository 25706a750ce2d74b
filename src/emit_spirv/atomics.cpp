// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

#include <algorithm>

// Atomic functions of OpenCL C 1.2: relaxed, in global and local memory.
namespace ferry::emit_spirv {
namespace {

struct AtomicRow {
    std::string_view name; ///< Without "atomic_" or "atom_".
    Opcode of_signed, of_unsigned;
};
constexpr AtomicRow atomic_rows[] = {
    {"add", Opcode::atomic_i_add, Opcode::atomic_i_add},
    {"sub", Opcode::atomic_i_sub, Opcode::atomic_i_sub},
    {"xchg", Opcode::atomic_exchange, Opcode::atomic_exchange},
    {"min", Opcode::atomic_s_min, Opcode::atomic_u_min},
    {"max", Opcode::atomic_s_max, Opcode::atomic_u_max},
    {"and", Opcode::atomic_and, Opcode::atomic_and},
    {"or", Opcode::atomic_or, Opcode::atomic_or},
    {"xor", Opcode::atomic_xor, Opcode::atomic_xor},
    {"inc", Opcode::atomic_i_increment, Opcode::atomic_i_increment},
    {"dec", Opcode::atomic_i_decrement, Opcode::atomic_i_decrement},
};

} // namespace

/// A pointer to an integer as an operand of an atomic instruction.
Id Emitter::atomic_pointer(Id pointer, TypeKind) {
    return pointer;
}

/// A pointer to a float as an operand of an atomic instruction on its bits.
Id Emitter::word_pointer(Id pointer, Type pointee) {
    return make(Opcode::bitcast, pointer_type(storage_of(pointee.space()), number_type(TypeKind::uint)),
                {pointer});
}

Id Emitter::atomic(const Expr& e, const Words& arguments) {
    std::string_view name = name_of(e);
    name.remove_prefix(name.find('_') + 1);
    const Shape s = shape(e.type);
    if (opencl_c::size_of(s.kind) == 8) {
        module_->require(Capability::int64_atomics);
    }
    const Id t = number_type(s.kind);
    const Id pointer = atomic_pointer(arguments[0], s.kind);
    const Id scope = u32(scope_device);
    const Id relaxed = u32(0);
    if (name == "cmpxchg") { // The SPIR-V instruction takes the new value first.
        return make(Opcode::atomic_compare_exchange, t,
                    {pointer, scope, relaxed, relaxed, arguments[2], arguments[1]});
    }
    const auto* const row = std::find_if(std::begin(atomic_rows), std::end(atomic_rows),
                                         [&](const AtomicRow& r) { return r.name == name; });
    if (row == std::end(atomic_rows)) {
        refuse(e.token, "the built-in function '" + std::string(name_of(e)) + "' is not emitted as SPIR-V");
    }
    Words operands{pointer, scope, relaxed};
    operands.insert(operands.end(), arguments.begin() + 1, arguments.end());
    return make(is_signed(s.kind) ? row->of_signed : row->of_unsigned, t, operands);
}

/// Repeats a compare-exchange of the sum until no other work-item has intervened.
Id Emitter::atomic_add_float(const Expr& e, const Words& arguments) {
    const Id word = number_type(TypeKind::uint);
    const Id real_type = number_type(TypeKind::float_);
    const Id pointer = word_pointer(arguments[0], types_.element(argument_type(e, 0)));
    const Id scope = u32(scope_device);
    const Id relaxed = u32(0);
    const Id first = make(Opcode::atomic_load, word, {pointer, scope, relaxed});
    const Id before = body_.block;
    const Id head = module_->fresh();
    const Id next = module_->fresh();
    const Id done = module_->fresh();
    const Id seen = module_->fresh();
    begin(head);
    const Id expected = make(Opcode::phi, word, {first, before, seen, next});
    const Id old = make(Opcode::bitcast, real_type, {expected});
    const Id sum = make(Opcode::f_add, real_type, {old, arguments[1]});
    const Id bits = make(Opcode::bitcast, word, {sum});
    act(Opcode::atomic_compare_exchange, {word, seen, pointer, scope, relaxed, relaxed, bits, expected});
    const Id same = make(Opcode::i_equal, bool_type(), {seen, expected});
    act(Opcode::loop_merge, {done, next, 0});
    branch_on(same, done, next);
    begin(next);
    jump(head);
    begin(done);
    return old;
}

} // namespace ferry::emit_spirv
