// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emit_cpp/emitter.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::emit_cpp::host {

struct Guard;

/// Whether a built-in function waits for the work-group.
inline bool waits(std::string_view name) {
    return name == "barrier" || name == "work_group_barrier" || name == "wait_group_events";
}

/// A step of a work-group. All work-items finish it before the next one begins.
struct Part {
    enum class Kind : std::uint8_t {
        region, ///< A loop over the work-items that does `units`.
        once,   ///< `units`, which all work-items do alike, are done for the group.
        barrier,
        branch, ///< `body` or `otherwise`. `condition` has the same value for all work-items.
        loop,   ///< `statement` is a loop that contains a barrier.
        switch_to,
        block,
        jumped,     ///< `statement` is a label to which gotos in `body` lead.
        call,       ///< `first` sets the parameters of a function with barriers, `body` is its body.
        case_label, ///< `statement` is a case or default of the switch around it.
        leave,      ///< The whole group leaves the switch around it.
    };
    /// A statement, a label, the declaration of a variable, an expression, or a value that is kept.
    struct Unit {
        StmtId statement = 0;
        StmtId label = 0;
        VarId variable = 0;
        ExprId effects = 0;
        ExprId value = 0;      ///< Of the parameter `variable`, or of `result`.
        ExprId result = 0;     ///< An expression that contains barriers. Its value is kept.
        bool is_truth = false; ///< The result is 1 or 0 for `value`. Without one it is `constant`.
        int constant = 0;
    };

    Kind kind = Kind::region;
    std::uint32_t token = 0;
    std::vector<Unit> units;
    StmtId statement = 0;
    ExprId condition = 0;                           ///< Or the selector of a switch.
    std::vector<Part> first, body, otherwise, step; ///< `first`: before a for.
    std::vector<Part> test;                         ///< Before the condition of a loop.
    std::uint32_t number = 0;                       ///< Of a region, or of the region of a condition.
    FunctionId function = 0;                        ///< Of a call.
    ExprId call = 0;
    bool repeats = false; ///< The label is the beginning of `body`. It follows otherwise.
    bool exits = false;   ///< A loop, switch, call or such a `body` that some work-items may leave early.
    bool is_last = false; ///< Nothing follows it in its function.
    bool leaves = false;  ///< A region with jumps that lead out of it.
};

/// The variables of a kernel that contains barriers.
struct GroupVariables {
    std::set<VarId> own;     ///< Declared where the parts are; all others live within one unit.
    std::set<VarId> uniform; ///< One variable for the group.
    std::set<VarId> cheap;   ///< Computed again in each region.
    std::set<VarId> kept;    ///< An array with an element for each work-item.
    std::set<VarId> escaped; ///< A pointer may refer to them later.
};

/// Emits C++ for the host: a function for each kernel that runs a work-group on one thread, and a table of
/// the kernels. A kernel without barriers is a function for one work-item in a loop.
/// docs/design/translator.md describes regions, and the interface to the host's backend.
class HostEmitter final : public Emitter {
public:
    HostEmitter(const Tree& tree, bool offsets) : Emitter(tree, Dialect::host, offsets) {}
    void run() override;

private:
    // kernels.cpp
    void kernel(FunctionId id) override;
    std::string_view own_parameter(FunctionId id) const override;
    bool is_function(FunctionId id) const override;
    std::string_view function_words() const override { return "[[maybe_unused]] static inline "; }
    std::string_view constant_words() const override { return "static "; }
    void group_kernel(FunctionId id);
    void run_head(const std::string& name, bool merged);
    void take_parameters(FunctionId id);
    void run_one_by_one(const std::string& name);
    void table(FunctionId id, const KernelInfo& info);
    void module();

    // items.cpp
    void item_kernel(FunctionId id);
    bool knows_group(FunctionId id) const;
    bool asks_for_group_in(FunctionId id) const;
    bool groups_may_merge(FunctionId id) const;
    bool may_vectorise(FunctionId id) const;
    void item_function(FunctionId id, std::string_view head);
    void parameters(FunctionId id);
    void give_parameters(FunctionId id);
    void call_item(std::string_view function, FunctionId id);
    void guarded_functions(FunctionId id, const Guard& guard);
    void some_function(FunctionId id, const std::string& head, std::string_view of_item);
    void row_function(FunctionId id, const std::string& head);
    void call_row(FunctionId id, std::string_view function, std::string_view low, std::string_view high);
    void guarded_items(FunctionId id, bool interval);

    // operators.cpp
    void quotient(const Expr& e) override;
    void compound_quotient(const Expr& e) override;
    void work_item(const Expr& e) override;
    std::string_view own_argument(std::string_view builtin) const override;
    void divisor(const Expr& at, ExprId id);
    std::string place_text(std::uint32_t token) const;

    // barriers.cpp
    bool is_barrier(const Expr& e) const;
    bool is_group_call(const Expr& e) const { return e.kind == ExprKind::call && !is_function(e.index); }
    std::optional<std::int64_t> folded(ExprId id) const;
    StmtId live(const Stmt& s, StmtId branch) const;
    bool has_barrier(StmtId id) const;
    bool waits_in(ExprId id) const;
    bool returns(StmtId id) const { return contains(id, {StmtKind::return_}); }
    bool has_case(StmtId id) const;
    bool leaves_unevenly(StmtId id) const;

    // jumps.cpp
    struct Stretch;
    std::size_t count_gotos(StmtId id, std::string_view label) const;
    void check_gotos(StmtId id, StmtId around, FunctionId function) const;
    void find_far_labels(FunctionId id);
    void nest(std::vector<Stretch>& all) const;
    void add_list(std::span<const std::uint32_t> items, std::vector<Part>& parts);
    std::size_t target_of(std::string_view label) const;
    void emit_jumped(const Part& part);

    // lowering.cpp
    void lower(ExprId id, std::vector<Part>& parts);
    void lower_choice(ExprId id, std::vector<Part>& parts);
    void lower_call(ExprId id, std::vector<Part>& parts);
    void add_effects(ExprId id, std::vector<Part>& parts);
    void keep_value(ExprId id, ExprId value, bool is_truth, std::uint32_t token, std::vector<Part>& parts);
    const std::string& result_name(ExprId id);
    bool is_spent(ExprId id) const;
    void value(ExprId id) override;
    void condition(ExprId id) override;
    Level level(ExprId id) const override;

    // parts.cpp
    void add_parts(StmtId id, std::vector<Part>& parts);
    void add_loop(StmtId id, std::vector<Part>& parts);
    void add_switch(StmtId id, std::vector<Part>& parts);
    void add_unit(Part::Unit unit, bool once, std::uint32_t token, std::vector<Part>& parts);
    bool leaves(const Part::Unit& unit) const;
    void find_exits(std::vector<Part>& parts, std::vector<Part*>& around, bool is_end);
    void note_jumps(StmtId id, Part& region, const std::vector<Part*>& around);
    std::uint32_t first_token(ExprId id) const;
    void end_region(std::vector<Part>& parts, std::uint32_t token);

    // variables.cpp
    void find_variables(FunctionId id);
    void find_own(StmtId id);
    void find_calls(FunctionId id);
    void find_escapes(FunctionId id);
    void note_write(ExprId id);
    bool is_uniform(ExprId id) const;
    bool is_cheap(ExprId id) const;
    std::vector<VarId> group_variables(FunctionId id) const;
    void choose_kept(FunctionId id);
    bool overlaps(Type t) const;
    bool is_over_aligned(VarId id) const;
    void number_regions(std::vector<Part>& parts);
    void note_uses(const Part& region);

    // regions.cpp
    void emit_region(const Part& part);
    void begin_items(std::uint32_t region, bool in_any_order);
    void end_items();
    void after_region();
    bool is_in_any_order(const Part& part) const;
    bool may_skip() const;
    void emit_unit(const Part::Unit& unit);
    bool is_written_here(VarId id) const;
    void declare(VarId id) override;
    void statement(StmtId id) override;
    void return_statement(const Stmt& s) override;
    void jump(const Stmt& s) override;
    void leave_region(std::size_t scope, unsigned long bit);
    void loop(const Stmt& s) override;
    void switch_statement(const Stmt& s) override;
    void label(const Stmt& s, std::string_view word, std::string_view end);

    // group.cpp
    void begin_group(FunctionId id);
    void emit_parts(const std::vector<Part>& parts);
    void emit_block(const std::vector<Part>& parts);
    std::string emit_condition(ExprId condition, const Part& part);
    void emit_branch(const Part& part);
    void emit_loop(const Part& part);
    void emit_switch(const Part& part);
    std::string emit_selector(const Part& part);
    void emit_call(const Part& part);
    void enter(const Part& part);
    void end_scope();

    /// A loop, switch or call around the current part.
    struct Scope {
        const Part* part = nullptr;
        unsigned number = 0;    ///< Of its labels and variables.
        unsigned long left = 0; ///< The bit of work-items that have left it.
        unsigned long next = 0; ///< The bit of those that wait for the next iteration.
    };
    std::vector<KernelInfo> infos_;
    std::size_t next_info_ = 0;
    std::string kernels_;
    GroupVariables variables_;
    std::map<VarId, std::vector<ExprId>> direct_writes_;
    std::map<VarId, std::set<std::uint32_t>> uses_; ///< The numbers of the regions.
    std::map<std::uint32_t, std::set<VarId>> used_in_;
    std::set<VarId> exited_; ///< Variables that loops write which some work-items may leave earlier.
    mutable std::vector<bool> knows_group_; ///< Answers of knows_group(). Empty before the first one.
    FunctionId kernel_ = 0;
    std::set<FunctionId> inlined_;                  ///< Functions with barriers that the kernel calls.
    std::map<VarId, std::size_t> parameter_writes_; ///< The calls that set a parameter.
    std::map<ExprId, std::string> results_;         ///< The names of kept values of expressions.
    std::set<ExprId> hoisted_;                      ///< Commas with a left side that earlier parts evaluate.
    std::set<StmtId> far_labels_;                   ///< Labels to which gotos past barriers lead.
    std::set<FunctionId> has_far_labels_;
    std::vector<Part::Kind> building_; ///< The loops, switches and calls around a new part.
    std::size_t units_ = 0;            ///< Of all parts of the kernel.
    std::uint32_t regions_ = 0;
    bool in_group_ = false;       ///< In the body of a kernel with barriers.
    bool has_exits_ = false;      ///< Work-items have words of flags.
    bool kernel_returns_ = false; ///< Some work-items may return early.
    std::vector<Scope> scopes_;
    unsigned next_name_ = 0;
    unsigned inner_loops_ = 0, inner_switches_ = 0; ///< Around the current statement, within its unit.
    const Part* region_ = nullptr;                  ///< The current one.
    std::string end_label_, exit_flag_;             ///< Of the current region.
    std::string label_suffix_;                      ///< For the labels of functions with barriers.
    bool left_by_return_ = false;
    bool is_apart_ = false;          ///< The current region is a function of its own in C++.
    std::size_t outermost_left_ = 0; ///< The number of scopes around the outermost one that a jump leaves.
};

} // namespace ferry::emit_cpp::host
