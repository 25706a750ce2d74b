// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finding.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli::doctor {

/// Sends an examination to the process that asked for it, a line of JSON for each step, so that a process
/// that crashes or hangs loses only the step that it was in.
class Reporter {
public:
    explicit Reporter(std::ostream& to) : to_(to) {}
    void device(const std::string& id);                              ///< is going to be examined
    void step(const std::string& subject, const std::string& check); ///< begins
    void finding(const Finding& finding);
    void findings(const Findings& all);
    void finished(const std::string& device);
    void refused(const std::string& why); ///< instead of everything else
    void done();

private:
    std::ostream& to_;
};

/// The received part of an examination.
class Report {
public:
    /// Takes more of the lines, cut anywhere. Other text is ignored.
    void take(std::string_view bytes);

    Findings findings;
    std::vector<std::string> unfinished; ///< devices
    std::string subject;                 ///< of the last step
    std::string check;                   ///< the last step
    std::optional<std::string> refusal;  ///< why the request was refused
    bool done = false;

private:
    void take_line(const std::string& line);
    std::string line_;
};

} // namespace cli::doctor
