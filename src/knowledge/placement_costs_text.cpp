// SPDX-License-Identifier: Apache-2.0
#include "base/number_text.hpp"
#include "knowledge/placement_costs.hpp"

#include <array>
#include <string>
#include <type_traits>

namespace ferry::detail {
namespace {

// Visits all curves in order, with a name that is the same in each file.
template <class Calibrated, class Visit>
void for_each_line(Calibrated& calibration, Visit visit) {
    for (std::size_t i = 0; i < CostModel::placements; ++i) {
        const std::string name(to_string(static_cast<Placement>(i)));
        for (const bool locked : {false, true}) {
            auto& costs = locked ? calibration.page_locked[i] : calibration.ordinary[i];
            const std::string way = name + (locked ? ".locked." : ".");
            visit(way + "reads", costs.reads.seconds);
            visit(way + "writes", costs.writes.seconds);
            visit(way + "updates", costs.updates.seconds);
            visit(way + "read_again", costs.read_again.seconds);
            visit(way + "update_again", costs.update_again.seconds);
            visit(way + "sparse_reads", costs.sparse_reads.seconds);
            visit(way + "random_reads", costs.random_reads.seconds);
            std::array patterns{costs.sparse, costs.random};
            visit(way + "patterns", patterns);
            if constexpr (!std::is_const_v<Calibrated>) {
                costs.sparse = patterns[0];
                costs.random = patterns[1];
            }
        }
    }
}

} // namespace

std::string to_text(const CostModel& calibration) {
    std::string text;
    for_each_line(calibration, [&](const std::string& name, const auto& numbers) {
        text += name + ' ';
        for (const double& number : numbers) {
            staging::add_number(text, number, &number == &numbers.back() ? '\n' : ' ');
        }
    });
    return text;
}

std::optional<CostModel> calibration_from(std::string_view text) {
    CostModel calibration;
    bool good = true;
    for_each_line(calibration, [&](const std::string& name, auto& numbers) {
        const std::string head = name + ' ';
        good = good && text.starts_with(head);
        text.remove_prefix(good ? head.size() : 0);
        for (double& number : numbers) {
            good = good && staging::read_number(text, &number == &numbers.back() ? '\n' : ' ', number) &&
                   number >= 0;
        }
    });
    return good && text.empty() ? std::optional(calibration) : std::nullopt;
}

} // namespace ferry::detail
