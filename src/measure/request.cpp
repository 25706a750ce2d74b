// SPDX-License-Identifier: Apache-2.0
#include "measure/request.hpp"

#include "base/decimal.hpp"
#include "knowledge/facts_text.hpp"

#include <algorithm>

namespace ferry::detail::child_run {
namespace {

template <class T>
bool number(std::string_view text, T& value) {
    const auto read = parse_number<T>(text);
    value = read.value_or(value);
    return read.has_value();
}

bool take_before(const std::string& text, Request& request) {
    if (text.empty()) {
        return true;
    }
    const std::optional<CostModel> read = calibration_from(text);
    request.costs_before = read.value_or(CostModel{});
    return read.has_value();
}

} // namespace

std::string identity_of(const DeviceInfo& info) {
    // Not the driver's version, because the strict host device's seed is in it.
    std::string text = info.name + '|' + info.platform + '|' + info.uuid + '|' + info.pci_address;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return text;
}

std::optional<MemoryKind> kind_from(std::string_view name) noexcept {
    for (const MemoryKind kind : kinds) {
        if (to_string(kind) == name) {
            return kind;
        }
    }
    return std::nullopt;
}

std::string facts_text(const MemoryCapabilities& facts) {
    return "facts " + std::string(to_string(facts.kind)) + '\n' + detail::to_text(facts);
}

std::string to_text(const Request& request) {
    std::string text = greeting() + "\ndevice " + std::string(to_string(request.backend)) + ' ' +
                       std::to_string(request.index) + ' ' + request.identity + "\nuntil " +
                       std::to_string(request.until.time_since_epoch().count()) + "\nat-least " +
                       std::to_string(request.at_least.count()) + '\n';
    for (const Step& step : request.left_out) {
        text += "without " + step + '\n';
    }
    for (const MemoryCapabilities& facts : request.facts) {
        text += facts_text(facts);
    }
    if (request.costs_before.sizes() != 0) {
        const std::string before = detail::to_text(request.costs_before);
        for (std::string_view lines = before; !lines.empty();) {
            text += "before " + std::string(next_part(lines, '\n')) + '\n';
        }
    }
    text += request.slots ? "slots\n" : "";
    text += request.tests ? "tests\n" : "";
    text += request.costs ? "costs\n" : "";
    return text + "go\n";
}

std::optional<Request> request_from(std::string_view text) {
    Request request;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        request.facts[i].kind = kinds[i];
    }
    bool good = text.ends_with('\n') && next_part(text, '\n') == greeting();
    bool device = false;
    std::string before;
    while (good && !text.empty()) {
        std::string_view line = next_part(text, '\n');
        const std::string_view word = next_part(line, ' ');
        if (word == "go") {
            return device && text.empty() && take_before(before, request) ? std::optional(std::move(request))
                                                                          : std::nullopt;
        }
        if (word == "device") {
            const auto backend = backend_from_name(next_part(line, ' '));
            good = backend && number(next_part(line, ' '), request.index);
            request.backend = backend.value_or(Backend{});
            request.identity = line;
            device = true;
        } else if (word == "until") {
            Clock::rep count = 0;
            good = number(line, count);
            request.until = Clock::time_point(Clock::duration(count));
        } else if (word == "at-least") {
            std::chrono::milliseconds::rep count = 0;
            good = number(line, count);
            request.at_least = std::chrono::milliseconds(count);
        } else if (word == "before") {
            before += std::string(line) + '\n';
        } else if (word == "without") {
            request.left_out.emplace_back(line);
        } else if (word == "facts") {
            const auto kind = kind_from(line);
            good = kind && take_facts(text, request.facts[static_cast<std::size_t>(*kind)]);
        } else if (word == "tests" || word == "costs" || word == "slots") {
            (word == "tests" ? request.tests : word == "costs" ? request.costs : request.slots) = true;
        } else {
            good = false;
        }
    }
    return std::nullopt;
}

} // namespace ferry::detail::child_run
