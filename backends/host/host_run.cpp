// SPDX-License-Identifier: Apache-2.0
#include "host_run.hpp"

#include "system/environment.hpp"
#include "system/files.hpp"
#include "system/process.hpp"

#include <ferry/error.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

namespace ferry::host {
namespace {

[[noreturn]] void fail(const std::string& what, int number) {
    throw Error(Code::build_failed, what + ": " + std::strerror(number)); // NOLINT(concurrency-mt-unsafe)
}

// Puts temporary files of the compiler's processes into this folder, also if they are killed.
std::vector<std::string> environment_with(std::string temporary) {
    std::vector<std::string> all{std::move(temporary)};
    for (std::string& entry : ferry::detail::environment()) {
        if (!entry.starts_with("TMPDIR=")) {
            all.push_back(std::move(entry));
        }
    }
    return all;
}

} // namespace

void write_file(const std::string& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) {
        fail("'" + path + "' could not be written", errno);
    }
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) {
        fail("'" + path + "' could not be read", errno);
    }
    return std::move(text).str();
}

RunResult run(const std::vector<std::string>& words, const std::string& folder) {
    const std::string log = folder + "/log";
    const std::vector<std::string> environment = environment_with("TMPDIR=" + folder);
    ferry::detail::FileDescriptor file =
        ferry::detail::open_file(log, {.reads = false,
                                       .writes = true,
                                       .create = ferry::detail::OpenOptions::Create::if_missing,
                                       .empties = true});
    if (!file) {
        fail("'" + log + "' could not be written", errno);
    }
    const ferry::detail::Process child({.program = words[0],
                                        .arguments = words,
                                        .environment = &environment,
                                        .output = file.get(),
                                        .errors = file.get()});
    file = {};
    if (child.error() != 0) {
        fail("'" + words[0] + "' could not be started", child.error());
    }
    RunResult result;
    result.status = child.wait();
    result.output = read_file(log);
    return result;
}

} // namespace ferry::host
