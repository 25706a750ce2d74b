// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emit_cpp/emit.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

// Translates a text named "k.cl" and prepares the result for tests.
namespace ferry::translate::testing {

constexpr Dialect dialects[] = {Dialect::cuda, Dialect::hip, Dialect::host};

inline Translation translated(std::string_view text, Dialect dialect = Dialect::host) {
    Request request;
    request.dialect = dialect;
    request.name = "k.cl";
    request.text = text;
    return emit_cpp::translate(request);
}

inline bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// The C++ of the user's part. Each run of blanks and line ends becomes one blank.
inline std::string user_text(const Translation& t) {
    CHECK_MESSAGE(t.error.empty(), t.error);
    std::string result;
    for (const char c : t.text.substr(std::min(t.text.rfind("\nnamespace user {"), t.text.size()))) {
        const bool blank = c == ' ' || c == '\n';
        if (!blank || (!result.empty() && result.back() != ' ')) {
            result += blank ? ' ' : c;
        }
    }
    return result;
}

inline std::string user_text(std::string_view text, Dialect dialect = Dialect::host) {
    return user_text(translated(text, dialect));
}

/// A kernel around these statements, with __global int* g, float4 v and int i.
inline std::string in_kernel(std::string_view statements) {
    return "__kernel void k(__global int* g, float4 v, int i) { " + std::string(statements) + " }";
}

} // namespace ferry::translate::testing
