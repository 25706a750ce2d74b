// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/visit.hpp"
#include "host_emitter.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

// Gotos that lead past barriers. The statements between such a goto and its label are a part.
namespace ferry::emit_cpp::host {
namespace {

/// Numbers the stretches of a function between its barriers. A goto within a stretch is one in C++.
class Stretches {
public:
    Stretches(const Tree& tree, std::function<bool(StmtId)> has_barrier)
        : tree_(tree), has_barrier_(std::move(has_barrier)) {}

    void walk(StmtId id) {
        if (id == 0) {
            return;
        }
        const Stmt& s = tree_.stmt(id);
        if (!has_barrier_(id)) {
            return visit_statements(tree_, id, [&](const Stmt& inner) { note(inner); });
        }
        note(s);
        const bool goes_on = s.kind == StmtKind::block || s.kind == StmtKind::label;
        current_ += goes_on ? 0 : 1;
        for (const StmtId inner :
             s.kind == StmtKind::block ? tree_.items(s.list) : std::span<const std::uint32_t>()) {
            walk(inner);
        }
        for (const StmtId inner : {s.initial, s.body, s.otherwise}) {
            walk(inner);
            current_ += goes_on ? 0 : 1;
        }
    }

    /// Whether a goto leads to another stretch.
    bool has_far() const {
        return std::any_of(jumps_.begin(), jumps_.end(), [&](const auto& jump) {
            const auto label = labels_.find(jump.first);
            return label == labels_.end() || label->second != jump.second;
        });
    }

private:
    void note(const Stmt& s) {
        if (s.kind == StmtKind::label) {
            labels_[s.label] = current_;
        } else if (s.kind == StmtKind::goto_) {
            jumps_.emplace_back(s.label, current_);
        }
    }

    const Tree& tree_;
    std::function<bool(StmtId)> has_barrier_;
    std::map<std::string_view, std::size_t> labels_;
    std::vector<std::pair<std::string_view, std::size_t>> jumps_;
    std::size_t current_ = 0;
};

} // namespace

std::size_t HostEmitter::count_gotos(StmtId id, std::string_view label) const {
    std::size_t count = 0;
    visit_statements(
        tree_, id, [&](const Stmt& s) { count += s.kind == StmtKind::goto_ && s.label == label ? 1U : 0U; });
    return count;
}

/// If a goto of the function leads past a barrier, its labels in blocks with barriers are ends of parts. All
/// gotos to such a label must be in its block.
void HostEmitter::find_far_labels(FunctionId id) {
    Stretches stretches(tree_, [this](StmtId s) { return has_barrier(s); });
    const StmtId body = tree_.functions[id].body;
    stretches.walk(body);
    if (!stretches.has_far()) {
        return;
    }
    constexpr std::size_t most_labels = 200; // The search takes time for each pair of label and statement.
    has_far_labels_.insert(id);
    std::size_t labels = 0;
    visit_statements(tree_, body, [&](const Stmt& s) {
        labels += s.kind == StmtKind::label ? 1U : 0U;
        if (labels > most_labels) {
            refuse(s.token, "gotos that lead past barriers in a function with more than " +
                                std::to_string(most_labels) + " labels are not supported on the host");
        }
        if (s.kind != StmtKind::block) {
            return;
        }
        const auto items = tree_.items(s.list);
        const bool waits = std::any_of(items.begin(), items.end(), [&](StmtId i) { return has_barrier(i); });
        for (const StmtId item : items) {
            if (waits && tree_.stmt(item).kind == StmtKind::label) {
                far_labels_.insert(item);
            }
        }
    });
    check_gotos(body, 0, id);
}

/// `around`: the outermost statement without barriers around this one, or else the innermost block. Gotos to
/// a label must be in it.
void HostEmitter::check_gotos(StmtId id, StmtId around, FunctionId function) const {
    if (id == 0) {
        return;
    }
    const Stmt& s = tree_.stmt(id);
    if (s.kind == StmtKind::label) {
        const bool in_block = far_labels_.contains(id) || !has_barrier(around);
        const std::size_t all = count_gotos(tree_.functions[function].body, s.label);
        if (all != (in_block ? count_gotos(around, s.label) : 0)) {
            refuse(s.token, "a goto that leads past a barrier into a block is not supported on the host");
        }
    }
    const bool is_unit = around != 0 && !has_barrier(around);
    const StmtId next = is_unit || (s.kind != StmtKind::block && has_barrier(id)) ? around : id;
    for (const StmtId inner :
         s.kind == StmtKind::block ? tree_.items(s.list) : std::span<const std::uint32_t>()) {
        check_gotos(inner, next, function);
    }
    for (const StmtId inner : {s.initial, s.body, s.otherwise}) {
        check_gotos(inner, next, function);
    }
}

/// The statements between gotos and their label, which follows them or is the first of them.
struct HostEmitter::Stretch {
    std::size_t first = 0, end = 0;
    StmtId label = 0;
    bool repeats = false;
};

/// Widens stretches until each two are apart or one contains the other. A goto may come earlier than the
/// first statement of a stretch before a label, and later than the last of one after it.
void HostEmitter::nest(std::vector<Stretch>& all) const {
    for (bool changed = true; changed;) {
        changed = false;
        for (Stretch& a : all) {
            for (Stretch& b : all) {
                if (!(a.first < b.first && b.first < a.end && a.end < b.end)) {
                    continue;
                }
                if (!b.repeats) {
                    b.first = a.first;
                } else if (a.repeats) {
                    a.end = b.end;
                } else {
                    refuse(tree_.stmt(b.label).token,
                           "gotos that lead past barriers in both directions across "
                           "each other are not supported on the host");
                }
                changed = true;
            }
        }
    }
    std::sort(all.begin(), all.end(), [](const Stretch& a, const Stretch& b) { // The outermost first.
        return a.first != b.first ? a.first < b.first : a.end > b.end;
    });
}

/// Adds the parts of the statements of a block.
void HostEmitter::add_list(std::span<const std::uint32_t> items, std::vector<Part>& parts) {
    std::vector<Stretch> all;
    for (std::size_t k = 0; k < items.size(); ++k) {
        if (!far_labels_.contains(items[k])) {
            continue;
        }
        const auto is_goto = [&](StmtId s) { return count_gotos(s, tree_.stmt(items[k]).label) != 0; };
        const auto label = items.begin() + static_cast<std::ptrdiff_t>(k);
        const auto first = std::find_if(items.begin(), label, is_goto);
        if (first != label) {
            all.push_back({static_cast<std::size_t>(first - items.begin()), k, items[k], false});
        }
        // Work-items that go back before the next barrier do not wait at that barrier.
        const auto next = std::find_if(label, items.end(), [&](StmtId s) { return has_barrier(s); });
        for (const auto& [begin, end] : {std::pair(label, next), std::pair(next, items.end())}) {
            const auto last = std::find_if(std::reverse_iterator(end), std::reverse_iterator(begin), is_goto);
            if (last.base() != begin) {
                all.push_back({k, static_cast<std::size_t>(last.base() - items.begin()), items[k], true});
            }
        }
    }
    nest(all);
    std::size_t next = 0;
    const std::function<void(std::size_t, std::size_t, std::vector<Part>&)> add =
        [&](std::size_t from, std::size_t end, std::vector<Part>& to) {
            while (from < end) {
                if (next == all.size() || all[next].first != from || all[next].end > end) {
                    add_parts(items[from++], to);
                    continue;
                }
                const Stretch here = all[next++];
                Part part;
                part.kind = Part::Kind::jumped;
                part.statement = here.label;
                part.token = tree_.stmt(here.label).token;
                part.repeats = here.repeats;
                building_.push_back(Part::Kind::jumped);
                add(here.first, here.end, part.body);
                building_.pop_back();
                to.push_back(std::move(part));
                from = here.end;
            }
        };
    add(0, items.size(), parts);
}

/// The goto leads to the beginning or end of this part around the current one. `scopes_.size()` if it leads
/// to a label in its region.
std::size_t HostEmitter::target_of(std::string_view label) const {
    for (std::size_t i = scopes_.size(); i-- > 0;) {
        const Part& part = *scopes_[i].part;
        if (part.kind == Part::Kind::call) {
            break;
        }
        if (part.kind == Part::Kind::jumped && tree_.stmt(part.statement).label == label) {
            return i;
        }
    }
    return scopes_.size();
}

/// Work-items that take no goto to the beginning wait at the end until all have arrived.
void HostEmitter::emit_jumped(const Part& part) {
    line();
    put("{");
    ++indent_;
    enter(part);
    const Scope scope = scopes_.back();
    const std::string number = std::to_string(scope.number);
    line();
    put(part.repeats ? "for (;;) {" : "{");
    ++indent_;
    emit_block(part.body);
    line();
    put("fy_next", number, ":;");
    if (part.repeats && part.exits) {
        put(" if (!fy_went", number, " || fy_all_leave(fy_gone, fy_n, ", std::to_string(scope.left), "ul, ",
            std::to_string(scope.next), "ul)) break;");
    } else if (part.repeats) {
        put(" break;");
    }
    close();
    end_scope();
    close();
}

} // namespace ferry::emit_cpp::host
