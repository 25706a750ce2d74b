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
/// It appears in the trace (FERRY_TRACE) as a slice of category `range` around the calls in it, and in the
/// profilers of NVIDIA and AMD: through NVTX if a profiler asks for it (NVTX_INJECTION64_PATH is set) or
/// libnvToolsExt is loaded, through ROCTX if libroctx64 is loaded. Ranges nest. Without a trace and a
/// profiler it costs a few nanoseconds. Never throws and does not block; a name may have any length. Ends on
/// the thread that made it.
class FERRY_API Range {
public:
    explicit Range(std::string_view name, SourceLocation where = SourceLocation::current()) noexcept;
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;
    ~Range();

private:
    std::string name_; ///< empty: not traced
    SourceLocation where_;
    std::int64_t begin_ = 0;
    unsigned profilers_ = 0; ///< a bit for each that was told
};

} // namespace ferry
