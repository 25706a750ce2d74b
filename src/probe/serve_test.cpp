// SPDX-License-Identifier: Apache-2.0
#include "probe/serve_test.hpp"

#include "backends/library.hpp"
#include "environment.hpp"
#include "probe/file_stamp.hpp"
#include "probe/test_report.hpp"
#include "trial/request.hpp"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <vector>

namespace ferry::detail::probe {
namespace {

using backend::Opening;

constinit int report = -1; // where lines go
constinit Opening reached = Opening::absent;

void say(std::string_view text) noexcept {
    while (!text.empty()) {
        const ssize_t more = ::write(report, text.data(), text.size());
        if (more < 0 && errno != EINTR) {
            ::_exit(1);
        }
        text.remove_prefix(more > 0 ? static_cast<std::size_t>(more) : 0);
    }
}

void tell(Opening step, std::string_view subject) noexcept {
    reached = step;
    constexpr const char* words[] = {"constructor ", "opened ", "absent ", "initialisation ", "listing "};
    std::string line = words[static_cast<std::size_t>(step)];
    line += subject;
    std::replace(line.begin(), line.end(), '\n', ' ');
    say(line + '\n');
}

std::vector<std::string> loaded_files() {
    std::vector<std::string> files;
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* list) {
            if (info->dlpi_name != nullptr && *info->dlpi_name == '/') {
                static_cast<std::vector<std::string>*>(list)->emplace_back(info->dlpi_name);
            }
            return 0;
        },
        &files);
    return files;
}

void say_files(const std::vector<std::string>& before) {
    for (const std::string& file : loaded_files()) {
        const std::string line = stamp_line(file);
        if (!line.empty() && std::find(before.begin(), before.end(), file) == before.end()) {
            say("file " + line + '\n');
        }
    }
}

/// As the caller will do it. Its objects stay, as they do there.
void open(Backend backend) {
    std::vector<std::string> reasons;
    const backend::Row& row = backend::rows[static_cast<std::size_t>(backend)];
    if (auto driver = row.open(library_settings(), reasons)) {
        auto* const devices = new auto(driver->devices());
        static_cast<void>(devices);
        static_cast<void>(driver.release());
    }
}

} // namespace

std::string request_text(Backend backend) {
    return trial::greeting() + "\nprobe " + std::string(to_string(backend)) + '\n';
}

std::optional<Backend> request_from(std::string_view text) {
    if (trial::next_part(text, '\n') != trial::greeting() || trial::next_part(text, ' ') != "probe" ||
        !text.ends_with('\n')) {
        return std::nullopt;
    }
    return backend_from_name(text.substr(0, text.size() - 1));
}

void serve_test(Backend backend, int output) {
    report = output;
    // The first handler to be registered runs after all that the library registers.
    static_cast<void>(std::atexit([] { say("left\n"); }));
    say(trial::greeting() + '\n');
    const std::vector<std::string> before = loaded_files();
    backend::opening_observer = tell;
    try {
        open(backend);
    } catch (const std::exception&) { // becomes a reason in the caller too
    } catch (...) {
        say("threw\n");
        ::_exit(1);
    }
    if (reached == Opening::constructor) { // an exception came through the loader, which is not usable now
        say("threw\n");
        ::_exit(1);
    }
    say_files(before);
    say("exit\n");
    std::exit(sound_status); // NOLINT(concurrency-mt-unsafe): the handlers are to run
}

} // namespace ferry::detail::probe
