// SPDX-License-Identifier: Apache-2.0
#include "trace/profilers.hpp"
#include "trace/trace.hpp"

#include <ferry/range.hpp>

#include <exception>

namespace ferry {

Range::Range(std::string_view name, SourceLocation where) noexcept : where_(where) {
    try {
        try {
            trace::start(where);
        } catch (const std::exception&) { // The first queue reports it.
        }
        if (!trace::active() && !trace::has_profiler()) {
            return;
        }
        name_ = name.empty() ? std::string_view("range") : name;
        profilers_ = trace::begin_range(name_.c_str());
        begin_ = trace::now();
    } catch (const std::exception&) { // Out of memory: this range is not in the trace.
    }
}

Range::~Range() {
    if (name_.empty()) {
        return;
    }
    trace::end_range(profilers_);
    if (trace::active()) {
        trace::write_range(name_, where_, begin_);
    }
}

} // namespace ferry
