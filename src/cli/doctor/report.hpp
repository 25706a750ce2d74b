// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finding.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli::doctor {

/// Sends the results of an examination to the parent process, as one line of JSON for each step. If this
/// process crashes or hangs, only the current step is lost.
class Reporter {
public:
    explicit Reporter(std::ostream& to) : to_(to) {}
    void device(const std::string& id);                              ///< This device will be examined.
    void step(const std::string& subject, const std::string& check); ///< This step begins.
    void finding(const Finding& finding);
    void findings(const Findings& all);
    void finished(const std::string& device);
    void refused(const std::string& why); ///< Sent instead of all results.
    void done();

private:
    std::ostream& to_;
};

/// The received part of an examination.
class Report {
public:
    /// Parses a chunk of any size. Other text is ignored.
    void take(std::string_view bytes);

    Findings findings;
    std::vector<std::string> unfinished; ///< Devices that are not examined yet.
    std::string subject;                 ///< The subject of the last step.
    std::string check;                   ///< The check of the last step.
    std::optional<std::string> refusal;  ///< The reason why the request was refused.
    bool done = false;

private:
    void take_line(const std::string& line);
    std::string line_;
};

} // namespace cli::doctor
