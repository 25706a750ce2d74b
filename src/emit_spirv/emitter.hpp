// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emit.hpp"
#include "module.hpp"
#include "opencl_c/tree.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ferry::emit_spirv {

using opencl_c::Conversion;
using opencl_c::Expr;
using opencl_c::ExprId;
using opencl_c::ExprKind;
using opencl_c::Function;
using opencl_c::FunctionId;
using opencl_c::Record;
using opencl_c::Space;
using opencl_c::Stmt;
using opencl_c::StmtId;
using opencl_c::StmtKind;
using opencl_c::Swizzle;
using opencl_c::Tree;
using opencl_c::Type;
using opencl_c::TypeKind;
using opencl_c::Types;
using opencl_c::Variable;
using opencl_c::VarId;

/// Thrown at a construct that SPIR-V cannot express. The current function is refused.
struct Refusal {
    std::uint32_t token = 0;
    std::string message;
    bool image = false;
};

/// An object in memory, a value without an address, or components of a vector in one of these.
struct Place {
    Id pointer = 0; ///< To an object of `type`. 0: only `value` exists.
    Id value = 0;
    Type type; ///< The type of the whole object, even if components are selected.
    StorageClass storage = StorageClass::function;
    std::uint32_t align = 1; ///< In bytes.
    bool is_volatile = false;
    Swizzle components; ///< Count 0: the whole object.
    Id index = 0;       ///< A component selected at run time. 0: none.
};

/// A numeric type. A bool is an 8-bit unsigned integer, an enumeration its integer type, and an event a
/// 64-bit integer.
struct Shape {
    TypeKind kind = TypeKind::int_;
    unsigned lanes = 1;
};

/// Constant components: integers in the representation of their type, floating-point numbers as the bits of a
/// double.
using Lanes = std::vector<std::uint64_t>;

/// The conversion mode in names such as convert_T_sat_rte().
struct Rounding {
    bool saturates = false;
    std::string_view mode; ///< For example "_rte". Empty: the default of the type.
};

/// Walks the tree and writes the module for OpenCL drivers. An object emits one text, once. The virtual
/// functions differ for Vulkan.
class Emitter {
public:
    /// `refused`: functions that are omitted together with the kernels that call them. run() adds to them.
    Emitter(const Tree& tree, std::map<FunctionId, Refusal>& refused);
    virtual ~Emitter() = default;
    Emitter(const Emitter&) = delete;
    Emitter& operator=(const Emitter&) = delete;

    /// Emits the kernels that call no refused function. Returns false if a function was added to `refused`;
    /// then a new Emitter must be used.
    virtual bool run();
    Words words() const { return module_->finish(); }
    const std::vector<FunctionId>& kernels() const noexcept { return kernels_; }

protected:
    using Handler = Id (Emitter::*)(const Expr& e, const Words& arguments);

    Emitter(const Tree& tree, std::map<FunctionId, Refusal>& refused, std::shared_ptr<Module> module);

    /// The state of the function being emitted.
    struct Body {
        Words variables, code;
        Id block = 0; ///< The label of the current block. 0: no block is open.
        std::vector<Id> breaks, continues;
        std::map<std::string_view, Id> labels;
        std::unordered_map<StmtId, Id> cases;
        std::unordered_map<VarId, Place> places;
        std::set<Id> inputs;
    };
    struct Layout {
        Id type = 0;
        std::uint64_t align = 1; ///< In bytes, as a reader of the module computes it.
        std::vector<std::uint32_t> fields;
    };

    [[noreturn]] static void refuse(std::uint32_t token, std::string message);
    [[noreturn]] static void refuse_image(std::uint32_t token);
    const Expr& expr(ExprId id) const { return tree_.expr(id); }
    Type type_of(ExprId id) const { return tree_.expr(id).type; }

    // blocks.cpp: instructions and control flow
    virtual Id make(Opcode opcode, Id type, const Words& operands);
    void act(Opcode opcode, const Words& operands);
    Id open_block();
    void begin(Id label);
    void jump(Id label);
    void end_block(Opcode opcode, const Words& operands);
    void branch_on(Id condition, Id yes, Id no);
    Id selection(Id condition, Id yes, Id no); ///< Returns the label of the merge block.
    Id extended(Id type, std::uint32_t number, const Words& operands);
    Id choose(Id type, Id condition, const std::function<Id()>& yes, const std::function<Id()>& no);
    void count_up(Id begin, Id end, Id step, const std::function<void(Id)>& body);
    virtual Id new_variable(Id type, std::uint64_t align);

    // types.cpp
    Shape shape(Type t) const;
    virtual Id number_type(TypeKind kind, unsigned lanes = 1);
    virtual Id bool_type(unsigned lanes = 1);
    virtual Id type(Type t, std::uint32_t token = 0);
    virtual Id array_type(Id element, std::uint64_t count);
    Id pointer_type(StorageClass storage, Id pointee);
    Id pointer_to(Type pointee, std::uint32_t token = 0);
    Id byte_pointer(StorageClass storage);
    virtual const Layout& layout(Type t, std::uint32_t token);
    std::uint64_t natural_align(Type t, std::uint32_t token);
    static Shape union_unit(const Record& record); ///< A union is an array of these elements.
    static StorageClass storage_of(Space space);
    static bool is_floating(TypeKind kind);
    static bool is_signed(TypeKind kind);

    // constants.cpp, constant_objects.cpp, folding.cpp
    Id integer(TypeKind kind, std::uint64_t value, unsigned lanes = 1);
    Id real(TypeKind kind, double value, unsigned lanes = 1);
    Id number(TypeKind kind, std::uint64_t bits, unsigned lanes = 1);
    virtual Id composite(Shape shape, const Lanes& lanes);
    Id null(Id type);
    Id u32(std::uint32_t value) { return integer(TypeKind::uint, value); }
    std::optional<Lanes> folded(ExprId id) const;
    std::optional<Lanes> folded_binary(const Expr& x) const;
    std::optional<Lanes> folded_vector(const Expr& e) const;
    Lanes cast(const Lanes& from, Shape source, Shape target) const;
    Id constant(ExprId e, Type t);
    virtual Id constant_initialiser(const Expr& x, Type t);
    Id constant_string(std::string_view text, std::uint64_t count, std::uint32_t token);
    void constant_bytes(ExprId id, Type t, std::uint64_t at, std::vector<std::uint8_t>& bytes);
    Id constant_union(const Expr& x, Type t);
    virtual Id constant_pointer(ExprId id, Type t);
    Id constant_object(ExprId id, std::uint64_t& offset);
    Place global_place(VarId id);
    virtual Place new_global(VarId id);
    virtual Place string_place(const Expr& x);

    // functions.cpp
    void function(FunctionId id, bool entry);
    void parameters(const Function& f);
    void entry_point(FunctionId id);
    Id function_id(FunctionId id);
    bool is_allowed(FunctionId id) const;
    virtual Place declare(VarId id);
    const Place& place_of(VarId id, std::uint32_t token);

    // statements.cpp
    virtual void statement(StmtId id);
    void if_statement(const Stmt& s);
    virtual void breakable(StmtId body, Id end, Id again);
    void loop(const Stmt& s);
    bool ends_inside(const Stmt& loop) const;
    /// A condition that is false, for loops that end inside. 0: none is needed.
    virtual Id never() { return 0; }
    void switch_statement(const Stmt& s);
    virtual void range_case(Id& selector, TypeKind kind, Id within, StmtId id, Words& targets);
    void return_statement(const Stmt& s);
    void collect_cases(StmtId id, std::vector<StmtId>& cases) const;
    virtual bool has_label(StmtId id) const; ///< Whether a jump may lead into the statement.
    Id label_of(std::string_view name);

    // places.cpp: objects
    Place place(ExprId id);
    Place element(const Expr& e);
    Place member(const Expr& e);
    Place part(const Place& of, Id index, Type type, std::uint64_t offset);
    Place pointed_to(Id pointer, Type pointee, std::uint32_t token);
    virtual Id load(const Place& p);
    virtual void store(const Place& p, Id value);
    Id load_memory(Id pointer, Id type, std::uint32_t align, bool is_volatile);
    void store_memory(Id pointer, Id value, std::uint32_t align, bool is_volatile);
    Id component_pointer(const Place& p, Id index);
    virtual Id components(Id vector, Shape shape, const Swizzle& s);
    virtual Id lane(Id vector, Shape shape, std::uint32_t index);
    void initialise(const Place& p, ExprId id);
    virtual void copy(const Place& to, ExprId from);
    virtual void copy_constant(const Place& to, Id constant);
    Id constant_memory(Id constant, Id type, std::uint32_t align);
    Place in_memory(const Place& p);
    virtual Place temporary(Type t, std::uint32_t token);
    virtual Id own_pointer(Id pointer, Type pointee, std::uint32_t token);
    virtual Id address(const Place& p, Type pointer, std::uint32_t token);
    virtual Id moved(Id pointer, Type pointee, Id index, std::uint32_t token);
    virtual Id part_pointer(const Place& of, Id index, Type part_type, std::uint64_t offset);
    virtual Id overlay(const Place& whole, Type t, std::uint64_t offset, std::uint32_t token);

    // expressions.cpp
    Id value(ExprId id);
    Id value_of(const Expr& e, ExprId id);
    void effects(ExprId id);
    virtual Id call(const Expr& e);
    Id assign(const Expr& e);
    Id compound(const Expr& e);
    Id step(const Expr& e);
    virtual Id conditional(const Expr& e);
    Id vector(const Expr& e);
    Id statements(const Expr& e);
    virtual Id pointer_cast(Id pointer, Type from, Type to);

    /// Whether a name is in a list that is separated by blanks. A name in the list that ends with * is a
    /// prefix.
    static bool is_listed(std::string_view name, std::string_view list);

    // operators.cpp
    Id binary(opencl_c::Op op, Shape shape, Id a, Id b, std::uint32_t token);
    virtual Id quotient(Shape shape, Id a, Id b);
    /// The remainder of a division that rounds to zero.
    virtual Id signed_remainder(Shape s, Id a, Id b);
    Id shift(opencl_c::Op op, Shape shape, Id a, Id b, Shape count);
    Id binary_expression(const Expr& e);
    virtual Id offset_pointer(Id pointer, Type pointee, Id index, std::uint32_t token);
    Id unary(const Expr& e);
    Id logical(const Expr& e);
    Id condition(ExprId id);
    Id condition_of(const Expr& e);
    Id comparison(opencl_c::Op op, TypeKind kind, unsigned lanes, Id a, Id b);
    virtual Id user_comparison(const Expr& e, Shape s, Id a, Id b); ///< A comparison in the text, of numbers.
    Id is_true(Id value, Type t);
    Id mask(Id condition, Shape s);    ///< 1 or 0 for a scalar, -1 or 0 for a vector.
    virtual Id address_of(Id pointer); ///< As a 64-bit number.
    virtual Id pointer_from(Id address, Type pointer, std::uint32_t token);
    Id index_of(Id index, Type t); ///< Converts an integer to a signed 64-bit number.

    // conversions.cpp
    Id conversion(const Expr& e);
    virtual Id converted(Id value, Shape from, TypeKind to, Rounding rounding = {});
    Id clamped(Id value, Shape from, TypeKind to);
    virtual Id reinterpreted(Id value, Shape from, Shape to);
    Id splat(Id scalar, Shape to);
    Id call_conversion(const Expr& e, std::string_view name, Id value);

    // builtins.cpp and the files of the families
    virtual Id builtin(const Expr& e);
    std::optional<Id> extended_builtin(const Expr& e, std::string_view name, Words& arguments);
    Id relational(const Expr& e, const Words& arguments);
    Id any_or_all(const Expr& e, const Words& arguments);
    Id select_builtin(const Expr& e, const Words& arguments);
    Id dot(const Expr& e, const Words& arguments);
    Id integer_dot(const Expr& e, const Words& arguments);
    virtual Id limited_sum(bool is_signed, Id a, Id b);
    Id shuffle(const Expr& e, const Words& arguments);
    Id print(const Expr& e, const Words& arguments);
    Id work_item(const Expr& e, const Words& arguments);
    Id barrier(const Expr& e, const Words& arguments);
    Id atomic(const Expr& e, const Words& arguments);
    Id atomic_add_float(const Expr& e, const Words& arguments);
    Id access(const Expr& e, const Words& arguments);
    Id access_half(const Expr& e, const Words& arguments);
    Id group_copy(const Expr& e, const Words& arguments);
    Id wait_for_copies(const Expr& e, const Words& arguments);
    Id group_vote(const Expr& e, const Words& arguments);
    Id group_operation(const Expr& e, const Words& arguments);
    Id group_broadcast(const Expr& e, const Words& arguments);
    Id subgroup_shuffle(const Expr& e, const Words& arguments);
    Id subgroup_ballot(const Expr& e, const Words& arguments);
    Handler handler_of(std::string_view name) const;
    std::string_view name_of(const Expr& e) const { return tree_.names[e.index]; }
    Type argument_type(const Expr& e, std::size_t index) const;
    Shape argument_shape(const Expr& e, std::size_t index) const;
    virtual Id input(BuiltIn number, Id type);
    virtual Id local_number(BuiltIn number, std::uint32_t dimension);
    virtual Id atomic_pointer(Id pointer, TypeKind kind);
    virtual Id word_pointer(Id pointer, Type pointee);
    Id dimension(BuiltIn number, Id index, ExprId given, std::uint64_t beyond);
    std::uint32_t fenced_memory(ExprId flags, std::uint32_t global);
    void fence(ExprId given, std::uint32_t ordering, std::optional<std::uint32_t> execution);

    const Tree& tree_;
    const Types& types_;
    std::map<FunctionId, Refusal>& refused_;
    std::shared_ptr<Module> module_;
    Body body_;
    std::vector<FunctionId> kernels_;
    std::unordered_map<std::uint32_t, Layout> layouts_;
    std::unordered_map<VarId, Place> globals_;
    std::map<std::string, Id, std::less<>> strings_;
    std::map<Id, Id> constant_memory_;
    std::map<FunctionId, Id> function_ids_, entry_ids_;
    std::map<FunctionId, std::set<Id>> inputs_;
    std::map<BuiltIn, Id> input_variables_;
    bool half_arithmetic_ = false;
    bool halves_as_floats_ = false; ///< While a function on half is computed in float.
};

} // namespace ferry::emit_spirv
