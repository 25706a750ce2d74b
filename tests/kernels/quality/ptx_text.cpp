// SPDX-License-Identifier: Apache-2.0
#include "ptx_text.hpp"

#include <algorithm>

namespace quality {

std::map<std::string, Text> read_ptx(std::string_view text) {
    std::map<std::string, Text> kernels;
    Text* kernel = nullptr;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        constexpr std::string_view entry = ".entry ";
        if (const std::size_t found = line.find(entry); found != std::string_view::npos) {
            const std::string_view name = line.substr(found + entry.size());
            kernel = &kernels[std::string(name.substr(0, name.find_first_of(" (")))];
        } else if (line.starts_with('}') && kernel != nullptr && line.size() == 1) {
            kernel = nullptr;
        }
        const bool instruction =
            kernel != nullptr && line.ends_with(';') && !line.starts_with('.') && !line.starts_with("//");
        if (!instruction) {
            continue;
        }
        ++kernel->instructions;
        const bool wide =
            line.find(".v4.") != std::string_view::npos && (line.find("32") != std::string_view::npos);
        kernel->wide_loads += wide && line.starts_with("ld.") ? 1 : 0;
        kernel->wide_stores += wide && line.starts_with("st.") ? 1 : 0;
    }
    return kernels;
}

} // namespace quality
