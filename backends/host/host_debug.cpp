// SPDX-License-Identifier: Apache-2.0
#include "host_debug.hpp"

#include "host_run.hpp"
#include "system/files.hpp"
#include "translate/translate.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>

namespace ferry::host {
namespace {

// In the name, `"` and `\` need a backslash.
std::string directive(std::size_t line, const std::string& path) {
    std::string quoted;
    for (const char c : path) {
        quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
    }
    return "#line " + std::to_string(line) + " \"" + quoted + "\"\n";
}

bool is_plain(const std::string& name) {
    return name.find_first_of("\n\r") == std::string::npos;
}

bool is_on_disk(const translate::Files::File& file) {
    const auto status = ferry::detail::status_at(file.name);
    if (!status || !status->is_regular() || !is_plain(file.name)) {
        return false;
    }
    std::ifstream in(file.name, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    return in && text == file.text;
}

class Places {
public:
    Places(const translate::Files& files, const std::string& folder) : files_(files), folder_(folder) {}

    const std::string& path(std::uint32_t file) {
        const auto [at, is_new] = paths_.try_emplace(file);
        if (is_new) {
            at->second = is_on_disk(files_[file]) ? std::filesystem::absolute(files_[file].name).string()
                                                  : written(file);
        }
        return at->second;
    }

private:
    // The number is added if the folder has a file of the name, as two headers may have one name.
    std::string written(std::uint32_t file) const {
        std::string name = std::filesystem::path(files_[file].name).filename().string();
        if (name.empty() || name.size() > 100 || !is_plain(name)) {
            name = "kernels.cl";
        }
        std::string path = folder_ + "/" + name;
        // The compiler's own files.
        if (name.starts_with("kernels.") || name == "log" || ferry::detail::status_at(path)) {
            path = folder_ + "/" + std::to_string(file) + "-" + name;
        }
        write_file(path, files_[file].text);
        return path;
    }

    const translate::Files& files_;
    const std::string& folder_;
    std::map<std::uint32_t, std::string> paths_;
};

} // namespace

std::string with_source_lines(const translate::Translation& translation, const std::string& folder) {
    if (translation.again) {
        return with_source_lines(translation.again(), folder);
    }
    Places places(*translation.files, folder);
    std::string text;
    std::string_view rest = translation.text;
    translate::Position last; // Of the latest line with an origin. The lines after it have none of their own.
    translate::Position expected; // Of the next line, without a directive.
    for (std::size_t i = 0; !rest.empty(); ++i) {
        const bool mapped = i < translation.lines.size() && !translation.lines[i].empty();
        last = mapped && translation.lines[i].front().at.line != 0 ? translation.lines[i].front().at : last;
        if (last.line != expected.line || last.file != expected.file) {
            text += directive(last.line, places.path(last.file));
        }
        expected = {last.file, last.line == 0 ? 0 : last.line + 1, 0};
        const std::size_t length = std::min(rest.find('\n'), rest.size());
        text.append(rest.substr(0, length)).append("\n");
        rest.remove_prefix(std::min(length + 1, rest.size()));
    }
    return text;
}

} // namespace ferry::host
