// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_c/tree.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace ferry::emit_cpp::host {

/// Decides whether the loop over the work-items that does some statements may have the vectoriser's mark,
/// which declares its iterations independent. Compilers apply the mark within an iteration, too: they move
/// loads before stores, and one store past another. Therefore no load may follow a store, and there may be
/// two stores at most.
class Order {
public:
    /// `in_memory`: whether a variable of the work-item is in memory that pointers may refer to.
    Order(const opencl_c::Tree& tree, std::function<bool(opencl_c::VarId)> in_memory)
        : tree_(tree), in_memory_(std::move(in_memory)) {}

    /// The statements, declarations and expressions in the order of the text.
    void add_statement(opencl_c::StmtId id);
    void add_declaration(opencl_c::VarId id);
    void add_expression(opencl_c::ExprId id);
    bool is_free() const;

private:
    enum class Memory : std::uint8_t { none, global, local, work_item };
    /// A load, a store or both.
    struct Access {
        std::size_t statement = 0;
        bool load = false, store = false;
        bool nested = false;   ///< A store that is a part of an expression.
        bool in_loop = false;  ///< Of the statements.
        bool repeated = false; ///< A store in a loop. Its addresses may be in any order.
        Memory memory = Memory::none;
    };
    /// The accesses with these indices.
    struct Range {
        std::size_t begin = 0, end = 0;
    };
    struct Changes {
        std::set<opencl_c::VarId> in_head; ///< By the same distance in each iteration.
        std::set<opencl_c::VarId> otherwise;
    };

    void loop(opencl_c::StmtId id);
    void expression(opencl_c::ExprId id, bool nested);
    void operands(const opencl_c::Expr& e);
    void access(opencl_c::ExprId place, bool load, bool store, bool nested);
    void call(const opencl_c::Expr& e);
    void builtin(const opencl_c::Expr& e);
    Memory memory_of(opencl_c::ExprId place) const;
    static Memory memory_in(opencl_c::Space space);
    bool steps_evenly(opencl_c::ExprId place);
    const Changes& changes_of(opencl_c::StmtId loop);
    bool is_free_in(Memory memory) const;

    const opencl_c::Tree& tree_;
    std::function<bool(opencl_c::VarId)> in_memory_;
    std::vector<Access> accesses_;
    std::vector<Range> loops_;
    std::vector<opencl_c::StmtId> around_; ///< The loops around the current expression.
    std::map<opencl_c::StmtId, Changes> changes_;
    std::size_t statement_ = 0;
    unsigned depth_ = 0;     ///< Of calls.
    unsigned calls_ = 0;     ///< That were followed.
    bool jumps_ = false;     ///< There is a goto.
    bool forbidden_ = false; ///< There is a construct for which there is no mark.
};

} // namespace ferry::emit_cpp::host
