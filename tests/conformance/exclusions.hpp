// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

enum class Why {
    /// The device does not support it and reports that: the body ends with an Error, Code::unsupported.
    unsupported,
    /// The device should support it, but gives a wrong result, an error or a crash. The reason names the
    /// cause.
    expected_failure,
    /// As expected_failure, but only sometimes, so a run that passes proves nothing. The row names the driver
    /// versions in which the failure was seen. Later versions are tested.
    sometimes,
};

/// A test that is not run on some devices. exclusions_test.cpp runs it anyway, in a separate process, and
/// fails if it passes there. Such a row is obsolete and must be removed.
struct Exclusion {
    std::string_view test;   ///< the test's whole title, or its beginning and "*"
    std::string_view device; ///< a pattern for matches() in devices.hpp; "*": every device
    Why why{};
    std::string_view reason;
    /// A further condition; null: always true.
    bool (*applies)(const ferry::DeviceInfo&) = nullptr;
};

const std::vector<Exclusion>& exclusions();

/// The row that excludes `test` on any of `devices`, or null.
const Exclusion* find_exclusion(std::string_view test, std::initializer_list<ferry::Device> devices);
bool excludes(const Exclusion& row, std::string_view test, const ferry::Device& device);

} // namespace conformance
