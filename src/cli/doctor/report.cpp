// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <nlohmann/json.hpp>

#include <ostream>

namespace cli::doctor {
namespace {

using Json = nlohmann::ordered_json;

void send(std::ostream& to, const Json& line) {
    to << line.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n' << std::flush;
}

} // namespace

void Reporter::device(const std::string& id) {
    send(to_, {{"device", id}});
}
void Reporter::step(const std::string& subject, const std::string& check) {
    send(to_, {{"step", check}, {"of", subject}});
}
void Reporter::finding(const Finding& finding) {
    send(to_, {{"finding", to_json(finding)}});
}
void Reporter::findings(const Findings& all) {
    for (const Finding& one : all) {
        finding(one);
    }
}
void Reporter::finished(const std::string& device) {
    send(to_, {{"finished", device}});
}
void Reporter::refused(const std::string& why) {
    send(to_, {{"refused", why}});
}
void Reporter::done() {
    send(to_, {{"done", true}});
}

void Report::take(std::string_view bytes) {
    for (const char c : bytes) {
        if (c != '\n') {
            line_ += c;
            continue;
        }
        try {
            take_line(line_);
        } catch (const Json::exception&) { // The line was not written by a Reporter.
        }
        line_.clear();
    }
}

void Report::take_line(const std::string& line) {
    const Json json = Json::parse(line);
    if (const auto at = json.find("device"); at != json.end()) {
        unfinished.push_back(*at);
    } else if (const auto step = json.find("step"); step != json.end()) {
        check = *step;
        subject = json.at("of");
    } else if (const auto finding = json.find("finding"); finding != json.end()) {
        findings.push_back(from_json(*finding));
    } else if (const auto device = json.find("finished"); device != json.end()) {
        std::erase(unfinished, device->get<std::string>());
    } else if (const auto why = json.find("refused"); why != json.end()) {
        refusal = *why;
    } else if (json.contains("done")) {
        done = true;
    }
}

} // namespace cli::doctor
