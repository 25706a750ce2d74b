// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emit_cpp/emitter.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::emit_cpp::host {

/// Whether a built-in function waits for the work-group.
inline bool waits(std::string_view name) {
    return name == "barrier" || name == "work_group_barrier" || name == "wait_group_events";
}

/// What a work-group does: a list of parts, each of which all its work-items finish before the next one.
struct Part {
    enum class Kind : std::uint8_t {
        region, ///< A loop over the work-items that does `units`.
        once,   ///< `units`, which all work-items do alike, are done for the group.
        barrier,
        branch, ///< `statement` is an if that contains a barrier.
        loop,   ///< `statement` is a loop that contains a barrier.
        block,
        call, ///< `first` sets the parameters of a function with barriers, `body` is its body.
    };
    /// A statement, the declaration of a variable, an expression, or the value of a parameter or of a call.
    struct Unit {
        StmtId statement = 0;
        VarId variable = 0;
        ExprId effects = 0;
        ExprId value = 0; ///< Of the parameter `variable`, or of `call`.
        ExprId call = 0;
    };

    Kind kind = Kind::region;
    std::uint32_t token = 0;
    std::vector<Unit> units;
    StmtId statement = 0;
    std::vector<Part> first, body, otherwise, step; ///< `first`: before a for.
    std::vector<Part> test;                         ///< Before the condition of a loop.
    std::uint32_t number = 0;                       ///< Of a region, or of the region that tests a condition.
};

/// The variables of a kernel that contains barriers.
struct GroupVariables {
    std::set<VarId> own;     ///< Declared where the parts are; all others live within one unit.
    std::set<VarId> uniform; ///< One variable for the group.
    std::set<VarId> cheap;   ///< Computed again in each region.
    std::set<VarId> kept;    ///< An array with an element for each work-item.
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
    void item_kernel(FunctionId id);
    void group_kernel(FunctionId id);
    void run_head(const std::string& name, bool merged);
    void take_parameters(FunctionId id);
    void run_one_by_one(const std::string& name);
    bool groups_may_merge(FunctionId id) const;
    void table(FunctionId id, const KernelInfo& info);
    void module();

    // operators.cpp
    void quotient(const Expr& e) override;
    void compound_quotient(const Expr& e) override;
    void work_item(const Expr& e) override;
    std::string_view own_argument(std::string_view builtin) const override;
    void divisor(const Expr& at, ExprId id);
    std::string place_text(std::uint32_t token) const;

    // parts.cpp
    std::optional<std::int64_t> folded(ExprId id) const;
    bool has_barrier(StmtId id) const;
    void statement(StmtId id) override;
    bool is_barrier(const Expr& e) const;
    void add_parts(StmtId id, std::vector<Part>& parts);
    bool waits_in(ExprId id) const;
    void add_calls(ExprId id, std::vector<Part>& parts);
    void add_call(ExprId id, std::vector<Part>& parts);
    void add_unit(Part::Unit unit, bool once, std::uint32_t token, std::vector<Part>& parts);
    static void end_region(std::vector<Part>& parts, std::uint32_t token);

    // variables.cpp
    void find_variables(FunctionId id);
    void find_own(StmtId id);
    void find_calls(FunctionId id);
    bool is_uniform(ExprId id) const;
    bool is_cheap(ExprId id) const;
    void number_regions(std::vector<Part>& parts);
    void note_uses(const Part& region);

    // group.cpp
    void emit_parts(const std::vector<Part>& parts);
    void emit_region(const Part& part);
    void begin_items(std::uint32_t region);
    void end_items();
    std::string emit_condition(ExprId condition, const Part& part);
    void emit_branch(const Part& part);
    void emit_loop(const Part& part);
    void emit_unit(const Part::Unit& unit);
    bool is_written_here(VarId id) const;
    bool returns(StmtId id) const;
    void declare(VarId id) override;
    void call(const Expr& e) override;
    void return_statement(const Stmt& s) override;
    void jump(const Stmt& s) override;
    void loop(const Stmt& s) override;
    void switch_statement(const Stmt& s) override;

    struct Loop {
        unsigned number = 0;
        unsigned long bit() const { return 1UL << (2 * number); } ///< break; the next one is continue's.
    };
    std::vector<KernelInfo> infos_;
    std::size_t next_info_ = 0;
    std::string kernels_;
    GroupVariables variables_;
    std::map<VarId, std::vector<ExprId>> direct_writes_;
    std::map<VarId, std::set<std::uint32_t>> uses_; ///< The numbers of the regions.
    std::map<std::uint32_t, std::set<VarId>> used_in_;
    std::set<VarId> exited_; ///< Variables that loops write which some work-items may leave earlier.
    mutable std::map<FunctionId, bool> is_function_; ///< Answers of is_function().
    FunctionId kernel_ = 0;
    std::set<FunctionId> inlined_;                  ///< Functions with barriers that the kernel calls.
    std::map<VarId, std::size_t> parameter_writes_; ///< The calls that set a parameter.
    std::map<const Expr*, std::string> results_;    ///< The names of the results of calls with barriers.
    std::uint32_t regions_ = 0;
    bool in_group_ = false; ///< In the body of a kernel with barriers.
    bool has_exits_ = false;
    std::vector<Loop> loops_;
    unsigned next_loop_ = 1, next_name_ = 0;
    unsigned inner_loops_ = 0, inner_switches_ = 0; ///< Around the current statement, within its unit.
    std::string end_label_;
    bool left_by_return_ = false, left_by_jump_ = false;
};

} // namespace ferry::emit_cpp::host
