// SPDX-License-Identifier: Apache-2.0
#include "probe/subject.hpp"

namespace ferry::detail::probe {
namespace {

constexpr std::string_view compiler_suffix = " compiler";

} // namespace

std::string to_text(Subject subject) {
    std::string text(to_string(subject.backend));
    return subject.part == Part::compiler ? text.append(compiler_suffix) : text;
}

std::optional<Subject> subject_from(std::string_view text) {
    Subject subject;
    if (text.ends_with(compiler_suffix)) {
        subject.part = Part::compiler;
        text.remove_suffix(compiler_suffix.size());
    }
    const std::optional<Backend> backend = backend_from_name(text);
    if (!backend) {
        return std::nullopt;
    }
    subject.backend = *backend;
    return subject;
}

} // namespace ferry::detail::probe
