// SPDX-License-Identifier: Apache-2.0
#include "knowledge/facts_text.hpp"

#include "base/decimal.hpp"

#include <vector>

namespace ferry::detail {
namespace {

constexpr char separator = '\t';

template <class T>
void add(std::string& text, const Fact<T>& fact) {
    text += std::to_string(static_cast<std::uint64_t>(fact.value)) + separator +
            std::to_string(static_cast<unsigned>(fact.confidence)) + separator +
            std::to_string(static_cast<unsigned>(fact.interruption)) + separator + fact.source + separator +
            fact.declared + '\n';
}

template <class Visit, class Facts>
void for_each_fact(Facts& facts, Visit visit) {
    visit(facts.reach, std::uint64_t{3});
    visit(facts.coherence, std::uint64_t{3});
    visit(facts.atomics, std::uint64_t{2});
    visit(facts.same_address, std::uint64_t{1});
    visit(facts.migrates, std::uint64_t{1});
    visit(facts.host_cached, std::uint64_t{1});
    visit(facts.read_bandwidth, ~std::uint64_t{0});
    visit(facts.read_latency, ~std::uint64_t{0});
    visit(facts.pointer_alignment, ~std::uint64_t{0});
    visit(facts.size_granularity, ~std::uint64_t{0});
    visit(facts.max_size, ~std::uint64_t{0});
}

std::string_view next(std::string_view& text, char end) {
    const std::size_t at = std::min(text.find(end), text.size());
    const std::string_view part = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return part;
}

bool number(std::string_view text, std::uint64_t most, std::uint64_t& value) {
    const auto read = parse_number<std::uint64_t>(text);
    value = read.value_or(0);
    return read && value <= most;
}

} // namespace

std::string to_text(const MemoryCapabilities& facts) {
    std::string text;
    for_each_fact(facts, [&](const auto& fact, std::uint64_t) { add(text, fact); });
    return text;
}

bool take_facts(std::string_view& text, MemoryCapabilities& facts) {
    MemoryCapabilities read = facts;
    std::string_view rest = text;
    bool good = true;
    for_each_fact(read, [&](auto& fact, std::uint64_t most) {
        good = good && rest.find('\n') != std::string_view::npos;
        std::string_view line = next(rest, '\n');
        std::uint64_t value = 0;
        std::uint64_t confidence = 0;
        std::uint64_t interruption = 0;
        good = good && number(next(line, separator), most, value) &&
               number(next(line, separator), static_cast<std::uint64_t>(Confidence::measured), confidence) &&
               number(next(line, separator), static_cast<std::uint64_t>(Interruption::crashed), interruption);
        fact.value = static_cast<decltype(fact.value)>(value);
        fact.confidence = static_cast<Confidence>(confidence);
        fact.interruption = static_cast<Interruption>(interruption);
        fact.source = next(line, separator);
        fact.declared = line;
    });
    if (good) {
        facts = std::move(read);
        text = rest;
    }
    return good;
}

} // namespace ferry::detail
