// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/capabilities.hpp>

#include <string>
#include <utility>

// Helpers for the backends' tables of facts.
namespace ferry::backend {

template <class T>
Fact<T> declared(T value, std::string source) {
    return {value, Confidence::declared, std::move(source), {}};
}
template <class T>
Fact<T> inferred(T value, std::string source) {
    return {value, Confidence::inferred, std::move(source), {}};
}
/// There is no answer; `value` is the conservative one.
template <class T>
Fact<T> not_known(T value, std::string source) {
    return {value, Confidence::unknown, std::move(source), {}};
}

inline MemoryCapabilities without(MemoryKind kind, std::string why_not) {
    MemoryCapabilities facts;
    facts.kind = kind;
    facts.why_not = std::move(why_not);
    return facts;
}
inline MemoryCapabilities with(MemoryKind kind) {
    MemoryCapabilities facts;
    facts.kind = kind;
    facts.available = true;
    facts.read_bandwidth = not_known<std::uint64_t>(0, "no query tells");
    facts.read_latency = not_known<std::uint64_t>(0, "no query tells");
    return facts;
}

} // namespace ferry::backend
