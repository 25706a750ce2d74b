// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

enum class Why {
    unsupported,      ///< the device cannot do it and says so: the body ends with an Error, Code::unsupported
    expected_failure, ///< it should, and gives a wrong answer, an error or a crash; the reason says whose
                      ///< fault
    sometimes, ///< as expected_failure, but not every time, so a run that passes proves nothing: the row
               ///< names the driver's versions in which it was seen, and later ones are tested
};

/// One test that is not run on some devices. exclusions_test.cpp runs each of them all the same, in a process
/// of its own, and fails if the test passes there: such a row is stale and has to go.
struct Exclusion {
    std::string_view test;   ///< the test's whole title, or its beginning and "*"
    std::string_view device; ///< as matches() in devices.hpp takes it; "*": every device
    Why why{};
    std::string_view reason;
    /// In addition to the pattern; null: always.
    bool (*applies)(const ferry::DeviceInfo&) = nullptr;
};

const std::vector<Exclusion>& exclusions();

/// The row that keeps `test` from running on any of `devices`, or null.
const Exclusion* find_exclusion(std::string_view test, std::initializer_list<ferry::Device> devices);
bool excludes(const Exclusion& row, std::string_view test, const ferry::Device& device);

} // namespace conformance
