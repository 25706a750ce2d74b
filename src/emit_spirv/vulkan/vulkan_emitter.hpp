// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emit_spirv/emitter.hpp"
#include "emit_spirv/print_texts.hpp"
#include "emit_spirv/vulkan_interface.hpp"
#include "jump_spans.hpp"
#include "translate/printf_format.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

// Emits compute shaders for Vulkan. A pointer to global memory is a 64-bit number, which becomes a pointer of
// SPIR-V at each access. A pointer to a variable is known while compiling: it is a Reference. It has an Id of
// its own, which occurs in no instruction. If a pointer may refer to several variables, it is a number, too:
// its high half names the variable, and each access tests it.
namespace ferry::emit_spirv::vulkan {

/// What an attempt to emit a text found out. The next attempt needs it.
struct Findings {
    std::map<VarId, TypeKind>
        flat;                 ///< Variables that are arrays of this integer type, as other types access them.
    std::set<VarId> shared;   ///< Private variables that other functions access.
    std::set<VarId> numbered; ///< Variables whose addresses become numbers.
    std::set<VarId> kept;   ///< Pointer variables that hold numbers, as they may refer to several variables.
    std::set<ExprId> mixed; ///< Conditional expressions with numbers of variables.
    std::uint64_t repeated = 0;        ///< Expressions and statements of the attempts that were ended.
    std::unique_ptr<Findings> library; ///< Those of library/.
};

/// Thrown after a change of the findings.
struct Restart {};

/// One step of an access chain.
struct Link {
    Id id = 0;
    bool is_index = false;   ///< Into an array. Otherwise it selects a member.
    std::uint64_t bytes = 0; ///< The size of an element, or the offset of the member.
};

/// A place in a variable.
struct Reference {
    Id root = 0;
    StorageClass storage = StorageClass::function;
    VarId variable = 0; ///< 0: it has no name.
    std::vector<Link> chain;
    Type leaf; ///< The type of the object at the end of the chain, or of the elements of the array there.
    bool array = false;
    std::uint64_t count = 1; ///< The elements of that array.
    Id index = 0;            ///< An element of that array.
    Id bytes = 0;       ///< If not 0, it replaces `index`: the offset of the place in the array or vector.
    VarId nullable = 0; ///< The pointer variable from which it comes, if that may be null.
};

/// A variable that holds a pointer to a variable. It is determined by the first assignment.
struct PointerVariable {
    Reference base;
    bool bound = false;
    bool maybe_null = false;
    bool read_as_null = false; ///< Before the first assignment of another pointer.
    VarId id = 0;
    Id address = 0;        ///< The variable of an address. 0: it holds references.
    std::vector<Id> slots; ///< Variables of the indices of the chain, and of `index` or `bytes`.
};

/// A construct that a jump may leave: a loop or switch of the text, or one of a block with labels.
struct Level {
    bool loop = false;
    bool of_text = false;
    Id end = 0; ///< The merge block. 0: no jump may leave it, because its condition is being emitted.
    Id head = 0, again = 0;               ///< The first block and the continue target of a loop.
    Id turns = 0;                         ///< Of a loop of goto: the variable that is 1 for another turn.
    std::vector<std::string_view> labels; ///< At the begin of a loop, or at the end of another construct.
    std::vector<std::string_view> beyond; ///< Labels inside the loop that begins at the end.
    std::set<std::uint32_t> leaving;      ///< The codes of jumps that are continued after the end.
};

/// The state of the goto statements of a function.
struct Jumps {
    /// Codes of the jumps that are no goto. The others have the number of their label.
    static constexpr std::uint32_t break_code = 0xfffffffe, continue_code = 0xffffffff;
    std::map<std::string_view, std::uint32_t> numbers; ///< Of the labels that are targets.
    Id variable = 0;                                   ///< The code of the jump under way, or 0.
    std::vector<Level> levels;
};

/// A function emitted for certain arguments.
struct Instance {
    Id id = 0;
    std::set<Id> inputs;
    bool launched = false; ///< Whether it depends on the kernel: it reads its launch, or tests its variables.
};

/// The number that the library gives the rounding mode at the end of a name: 0 without one.
std::uint32_t rounding_number(std::string_view name);

class VulkanEmitter final : public Emitter {
public:
    VulkanEmitter(const Tree& tree, std::map<FunctionId, Refusal>& refused, Findings& findings,
                  const VulkanTarget& target);
    bool run() override;

private:
    VulkanEmitter(const Tree& tree, std::map<FunctionId, Refusal>& refused, Findings& findings,
                  std::shared_ptr<Module> module);

    struct LongVector {
        Id part = 0; ///< The type of four components.
        unsigned parts = 0;
    };
    /// A value of an array, struct or union is copied in at most as many numbers and vectors.
    static constexpr std::uint64_t most_parts = 4096;

    using VulkanHandler = Id (VulkanEmitter::*)(const Expr& e, const Words& arguments);

    // lanes.cpp: vectors of 8 and 16 are arrays of vectors of 4
    Id make(Opcode opcode, Id type, const Words& operands) override;
    Id number_type(TypeKind kind, unsigned lanes = 1) override;
    Id bool_type(unsigned lanes = 1) override;
    Id long_type(Id part, unsigned parts);
    Id composite(Shape shape, const Lanes& lanes) override;
    Id lane(Id vector, Shape shape, std::uint32_t index) override;
    Id components(Id vector, Shape shape, const Swizzle& s) override;
    Id reinterpreted(Id value, Shape from, Shape to) override;
    void decorate_exact(Opcode opcode, Id made);
    Id of_parts(Id type, const Words& parts);
    Id part_of(Id vector, std::uint32_t i);
    Id bits_of(Id number, TypeKind kind);
    Id number_of(Id bits, TypeKind kind);
    Id assembled(Shape s, const Words& lanes);
    Id each_lane(Shape result, const std::vector<std::pair<Id, Shape>>& arguments,
                 const std::function<Id(const Words&)>& one);
    Words split(Id number, TypeKind kind, TypeKind piece);
    Id joined(const Words& pieces, TypeKind piece, TypeKind kind);

    // types.cpp
    Id array_type(Id element, std::uint64_t count) override;
    Id type(Type t, std::uint32_t token = 0) override;
    const Layout& layout(Type t, std::uint32_t token) override;
    Id constant_initialiser(const Expr& x, Type t) override;
    Id constant_pointer(ExprId id, Type t) override;
    Type innermost(Type t) const;
    std::uint64_t leaves(Type t) const; ///< Of an array: elements of all dimensions. 1 for other types.
    bool has_union(Type t) const;
    TypeKind smallest(Type t) const; ///< An unsigned integer of the size of the smallest number in a type.
    static TypeKind unsigned_of(std::uint64_t bytes);
    void constant_leaves(ExprId e, Type t, Words& all);
    Id block_type(Type t, std::uint32_t token);
    TypeKind block_unit(Type record) const;

    // references.cpp
    Id keep(Reference r);
    const Reference* reference(Id pointer) const;
    Id plus(Id a, Id b);
    Id times(Id a, std::uint64_t b);
    Id narrow(Id index);
    Reference raw(const Reference& r, TypeKind access, std::uint32_t token);
    [[noreturn]] void flatten(const Reference& r, TypeKind unit, std::uint32_t token);
    Reference whole(Id root, StorageClass storage, VarId variable, Type t);
    void enter(Reference& r, Type t);
    static bool alike(const Reference& a, const Reference& b);
    static std::vector<Id*> indices(Reference& r);
    bool is_null(Id pointer) const;
    ExprId id_of(const Expr& e) const { return static_cast<ExprId>(&e - tree_.exprs.data()); }

    // numbers.cpp
    Id number_of_place(const Reference& r);
    Id numbered(Id pointer, std::uint32_t token);
    Id at_object(Id pointer, StorageClass storage, Id result, const std::function<Id(Id)>& action);
    Id numbered_root(VarId id, Id type);
    bool is_candidate(VarId id, StorageClass storage) const;
    Id candidate(VarId id);
    [[noreturn]] void keep_number(VarId pointer);
    Id advanced(Id address, Id index, std::uint64_t size);
    Id own_pointer(Id pointer, Type pointee, std::uint32_t token) override;
    Id address(const Place& p, Type pointer, std::uint32_t token) override;
    Id moved(Id pointer, Type pointee, Id index, std::uint32_t token) override;
    Id part_pointer(const Place& of, Id index, Type part_type, std::uint64_t offset) override;
    Id overlay(const Place& whole, Type t, std::uint64_t offset, std::uint32_t token) override;
    Id pointer_cast(Id pointer, Type from, Type to) override;
    Id offset_pointer(Id pointer, Type pointee, Id index, std::uint32_t token) override;
    Id address_of(Id pointer) override;
    Id pointer_from(Id address, Type pointer, std::uint32_t token) override;
    Id conditional(const Expr& e) override;

    // memory.cpp
    Id load(const Place& p) override;
    void store(const Place& p, Id value) override;
    void copy(const Place& to, ExprId from) override;
    void copy_constant(const Place& to, Id constant) override;
    Id read(Id pointer, Type t, std::uint32_t align, bool is_volatile);
    void write(Id pointer, Type t, Id value, std::uint32_t align, bool is_volatile);
    Id read_number(Id pointer, Shape s, std::uint32_t align, bool is_volatile);
    void write_number(Id pointer, Shape s, Id value, std::uint32_t align, bool is_volatile);
    Id read_variable(const Reference& r, Type t, bool is_volatile);
    void write_variable(const Reference& r, Type t, Id value, bool is_volatile);
    Id read_shape(const Reference& r, Shape s, bool is_volatile);
    void write_shape(const Reference& r, Shape s, Id value, bool is_volatile);
    Id load_chain(Id pointer, Id type, bool is_volatile);
    void store_chain(Id pointer, Id value, bool is_volatile);
    Id chained(const Reference& r, Id type, const Words& more = {}, bool whole_array = false);
    Id unit_pointer(const Reference& r, std::uint64_t offset);
    Id physical(Id address, TypeKind kind, unsigned lanes);
    Id component_at(Id pointer, Type vector, Id index);
    void store_at(Id pointer, const Place& p, Id value);
    Words lane_steps(unsigned lanes, Id at);
    std::uint64_t parts_of(Type t);
    void check_parts(Type t);
    void note_restart();
    Id gather_parts(Type t, std::uint64_t at, const std::function<Id(Shape, std::uint64_t)>& read);
    void scatter_parts(Type t, Id value, std::uint64_t at,
                       const std::function<void(Shape, std::uint64_t, Id)>& write);
    Id gather(Type t, std::uint64_t at, const std::function<Id(Shape, std::uint64_t)>& read);
    void scatter(Type t, Id value, std::uint64_t at,
                 const std::function<void(Shape, std::uint64_t, Id)>& write);
    bool fits(const Reference& r, Type t);

    // variables.cpp
    Place declare(VarId id) override;
    Place temporary(Type t, std::uint32_t token) override;
    Place new_global(VarId id) override;
    Place string_place(const Expr& x) override;
    Id new_variable(Id type, std::uint64_t align) override;
    Id flat_type(Type t, TypeKind unit);
    Id flat_constant(const Variable& v, TypeKind unit);
    Id load_pointer(PointerVariable& p);
    void store_pointer(PointerVariable& p, Id value);

    // functions.cpp
    Id call(const Expr& e) override;
    bool has_label(StmtId id) const override;
    void statement(StmtId id) override;
    void range_case(Id& selector, TypeKind kind, Id within, StmtId id, Words& targets) override;
    const Instance& obtain(FunctionId id, const Words& arguments, std::uint32_t token);
    Instance new_instance(FunctionId id, const Words& arguments);
    Words key_of(FunctionId id, const Words& arguments) const;
    void finish_body(const Function& f, Words& whole);
    void kernel(FunctionId id);
    void refuse_inner_cases(StmtId id) const;

    // jumps.cpp
    void find_targets(StmtId id, std::set<std::string_view>& targets) const;
    void number_labels(StmtId body);
    Id jump_variable();
    std::vector<JumpItem> jump_items(std::span<const StmtId> items) const;
    bool region(StmtId id);
    void open_level(const JumpSpan& span, const std::vector<JumpItem>& items, const JumpSpans& all);
    void close_level();
    void when_jumping(std::uint32_t code);
    void continue_jumps(const Level& left);
    void go_to(const Stmt& s);
    void leave(std::uint32_t code, bool under_way);
    std::size_t level_of(std::uint32_t code) const;
    void breakable(StmtId body, Id end, Id again) override;
    void loop_or_switch(StmtId id);

    // launch.cpp
    struct Block;
    Block block_of(const Function& f);
    void kernel_parameters(const Function& f);
    Id local_parameter(std::uint32_t position, VarId id);
    void declare_group_size();
    bool prints() const;
    Id launch_type(bool prints);
    Id launch_member(std::uint32_t member);
    Id read_member(std::uint32_t member, Type t);
    Id block_pointer(Id type, const Words& chain);
    Id input_word(BuiltIn number, std::uint32_t dimension);
    Id never() override;
    Id by_dimension(const Expr& e, const Words& arguments, std::uint64_t beyond,
                    const std::function<Id(std::uint32_t)>& one);

    // builtins.cpp, memory_builtins.cpp and subgroups.cpp
    Id builtin(const Expr& e) override;
    Id function_of_numbers(const Expr& e, const Words& arguments);
    Id function_of_halves(const Expr& e, Words arguments);
    VulkanHandler vulkan_handler_of(std::string_view name) const;
    Id refused_builtin(const Expr& e, const Words& arguments);
    Id glsl(Id type, std::uint32_t number, const Words& operands);
    Id smaller(Shape s, Id a, Id b); ///< Of integers.
    std::optional<Id> instruction_of(const Expr& e, std::string_view name, const Words& arguments);
    Id any_or_all_lanes(const Expr& e, const Words& arguments);
    Id classify(const Expr& e, const Words& arguments);
    Id access_vector(const Expr& e, const Words& arguments);
    Id access_half_bits(const Expr& e, const Words& arguments);
    Id atomic_pointer(Id pointer, TypeKind kind) override;
    Id word_pointer(Id pointer, Type pointee) override;
    Id atomic_in_vulkan(const Expr& e, const Words& arguments);
    Id atomic_at(const Expr& e, const Words& arguments);
    Id synchronize(const Expr& e, const Words& arguments);
    Id local_number(BuiltIn number, std::uint32_t dimension) override;
    Id input(BuiltIn number, Id type) override;
    Id shuffled(const Expr& e, const Words& arguments);
    Id place_in_subgroup(std::string_view name);
    Id subgroup(const Expr& e, const Words& arguments);
    Id work_item_of_launch(const Expr& e, const Words& arguments);

    // printing.cpp
    struct Message;
    Id print(const Expr& e);
    std::uint32_t print_text(const PrintText& text, std::uint32_t token);
    Id printed_string(ExprId id);
    void add_printed(Message& message, ExprId id, const translate::PrintPiece& conversion);
    Id write_record(const Words& record);

    // library_calls.cpp
    VulkanEmitter& library_emitter();
    FunctionId library_function_for(std::string_view name, TypeKind kind) const;
    Id call_library(FunctionId id, const Words& arguments);
    std::optional<Id> library_call(const Expr& e, std::string_view name, const Words& arguments);
    static bool prefers_instruction(std::string_view name, TypeKind kind);
    Id narrow_instruction(Shape s, std::uint32_t number, const Words& arguments);
    Id quotient(Shape s, Id a, Id b) override;
    Id quotient_of_floats(Shape s, Id a, Id b);
    Id signed_remainder(Shape s, Id a, Id b) override;
    Id root(TypeKind kind, Id x);
    Id without_infinities(Shape s, Id v, Id sizes, Id most);
    std::optional<Id> geometric(const Expr& e, std::string_view name, const Words& x);

    // composed.cpp
    struct Calculator;
    void widen_arguments(const Expr& e, Words& arguments);
    std::optional<Id> composed(const Expr& e, std::string_view name, const Words& x);
    std::optional<Id> composed_of_integers(const Expr& e, Shape s, std::string_view name, const Words& x);
    std::optional<Id> composed_of_floats(const Expr& e, Shape s, std::string_view name, const Words& x);
    Id high_product(const Calculator& c, Id a, Id b);
    Id added_and_limited(const Calculator& c, Id a, Id b);
    Id subtracted_and_limited(const Calculator& c, Id a, Id b);
    Id limited_sum(bool is_signed, Id a, Id b) override;
    Id product_and_limited(const Calculator& c, Id a, Id b, Id added);
    Id at_top(const Calculator& c, Id a);
    Id leading_zeros(const Calculator& c, Id a);
    Id set_bits(const Calculator& c, Id a);
    Id rotated(const Calculator& c, Id a, Id by);

    // comparisons.cpp
    static bool divides(const Tree& tree);
    bool may_limit(const Expr& e, Shape s) const;
    Id user_comparison(const Expr& e, Shape s, Id a, Id b) override;

    // conversions.cpp
    Id converted(Id value, Shape from, TypeKind to, Rounding rounding = {}) override;
    Id limited(Id value, Shape from, TypeKind to);
    Id to_integer(Id value, Shape from, TypeKind to, Rounding rounding);
    Id from_integer(Id value, Shape from, TypeKind to, std::string_view mode);
    Id narrowed(Id value, Shape from, TypeKind to, std::uint32_t mode);

    Findings& findings_;
    VulkanTarget target_;
    std::unordered_map<Id, LongVector> long_; ///< By type.
    std::unordered_map<Id, Id> long_values_;  ///< The types of long vectors.
    std::unordered_map<Id, Words> parts_;     ///< Of long vectors.
    std::unordered_map<Id, Reference> references_;
    std::unordered_map<Id, PointerVariable> pointers_;
    std::map<Words, Instance> instances_;
    std::set<FunctionId> instantiated_; ///< For the present kernel.
    std::uint64_t repeated_words_ = 0;  ///< Of its instances after the first one of each function.
    std::uint64_t function_words_ = 0;  ///< Of the function emitted last.
    Jumps jumps_;
    std::set<FunctionId> active_;
    std::unordered_map<std::uint32_t, std::uint64_t> copy_parts_; ///< Answers of parts_of() for structs.
    std::set<FunctionId> reached_;                                ///< By the current kernel.
    std::map<VarId, Id> numbered_; ///< The variables or, for parameters, references.
    std::array<Id, 3> group_size_{};
    std::array<Id, 2> launch_types_{};                 ///< Of kernels that print nothing, and of others.
    std::map<std::string, std::uint32_t> print_texts_; ///< The numbers, by the text without its number.
    Id launch_root_ = 0;                               ///< The push constants of the current kernel.
    std::uint32_t launch_index_ = 0;
    bool launched_ = false;
    std::uint32_t token_ = 0; ///< Of the current statement, for messages.
    std::unique_ptr<VulkanEmitter> library_;
    std::map<FunctionId, Refusal> library_refused_; ///< Empty.
    bool in_library_ = false;
    bool hides_limits_ = false; ///< `hides_limits` of the target, and the text divides.
};

} // namespace ferry::emit_spirv::vulkan
