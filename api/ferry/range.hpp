// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/export.hpp>
#include <ferry/source_location.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace ferry {

/// A named part of the program's work on the calling thread, from construction to destruction:
///
///     {
///         ferry::Range range("pressure solve");
///         ...
///     }
///
/// The range appears in the trace (FERRY_TRACE) as a slice of category `range` around the calls in it. It
/// also appears in the profilers of NVIDIA and AMD. NVTX is used if a profiler requests it
/// (NVTX_INJECTION64_PATH names its library); ROCTX is used if its library is loaded.
///
/// Ranges can be nested. A range must be destroyed on the thread that created it. The name may have any
/// length. Never throws and never blocks. Costs a few nanoseconds without a trace and a profiler.
class FERRY_API Range {
public:
    explicit Range(std::string_view name, SourceLocation where = SourceLocation::current()) noexcept;
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;
    ~Range();

private:
    std::string name_; ///< Empty: not traced.
    SourceLocation where_;
    std::int64_t begin_ = 0;
    unsigned profilers_ = 0; ///< One bit for each profiler that was notified.
};

} // namespace ferry
