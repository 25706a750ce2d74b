// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hip_double.hpp"

#include <ferry/ferry.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

/// The Error thrown by `call`, if any.
std::optional<ferry::Error> error_of(const std::function<void()>& call);

/// Returns the Error thrown by `call`; the test fails if there is none. Checks its code, that the message is
/// a sentence that contains each of `parts`, and that it names the caller's line.
ferry::Error expect_error(ferry::Code code, std::initializer_list<std::string> parts,
                          const std::function<void()>& call,
                          ferry::SourceLocation here = ferry::SourceLocation::current());

/// As expect_error(), but the error's line is not that of `call`.
ferry::Error expect_error_anywhere(ferry::Code code, std::initializer_list<std::string> parts,
                                   const std::function<void()>& call,
                                   ferry::SourceLocation here = ferry::SourceLocation::current());

/// Checks that copies, a launch and a read on a new queue give the right result.
void check_still_works(const ferry::Device& device,
                       ferry::SourceLocation here = ferry::SourceLocation::current());

/// Whether a busy machine ended the measurement of this fact before its time. The fact is not known then, and
/// the test's output says that it was not examined.
bool is_late_source(const std::string& source);
template <class T>
bool was_late(const ferry::Fact<T>& fact) {
    return is_late_source(fact.source);
}

/// The number of bytes that were copied before a command failed, by the text of its error. Checks that they
/// are a part of `all`. Throws if the text does not state them.
std::size_t copied_part(const std::string& text, std::size_t all,
                        ferry::SourceLocation here = ferry::SourceLocation::current());

/// Compares, and reports the position of the first difference.
template <class T>
void check_same(const std::vector<T>& seen, const std::vector<T>& wanted,
                ferry::SourceLocation here = ferry::SourceLocation::current());

/// Checks at the end of its scope that the device works and that Ferry holds as many bytes of it as at the
/// start. On the HIP stand-in, it also compares streams, events, modules, programs, graphs and allocations.
class Unchanged {
public:
    explicit Unchanged(const ferry::Device& device,
                       ferry::SourceLocation here = ferry::SourceLocation::current());
    Unchanged(const Unchanged&) = delete;
    Unchanged& operator=(const Unchanged&) = delete;
    ~Unchanged();

private:
    ferry::Device device_;
    ferry::SourceLocation here_;
    std::uint64_t used_;
    DoubleCounts counts_{}; ///< of the HIP stand-in on the CPU
};

void check_same_bytes(const void* seen, const void* wanted, std::size_t seen_size, std::size_t wanted_size,
                      std::size_t element, ferry::SourceLocation here);

template <class T>
void check_same(const std::vector<T>& seen, const std::vector<T>& wanted, ferry::SourceLocation here) {
    check_same_bytes(seen.data(), wanted.data(), seen.size(), wanted.size(), sizeof(T), here);
}

} // namespace conformance
