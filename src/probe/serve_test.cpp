// SPDX-License-Identifier: Apache-2.0
#include "probe/serve_test.hpp"

#include "base/library.hpp"
#include "base/settings.hpp"
#include "child/message.hpp"
#include "hal/offline.hpp"
#include "probe/test_report.hpp"
#include "system/child_side.hpp"
#include "system/file_stamp.hpp"
#include "system/finish_libraries.hpp"
#include "system/shared_library.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

namespace ferry::detail::probe {
namespace {

using backend::Opening;

constinit int report = -1; // where lines go
constinit Opening reached = Opening::absent;
constinit bool leaving = false;

void say(std::string_view text) noexcept {
    answer(report, text);
}

void tell(Opening step, std::string_view subject) noexcept {
    reached = step;
    constexpr const char* words[] = {"constructor ", "opened ", "absent ", "initialisation ", "listing "};
    std::string line = words[static_cast<std::size_t>(step)];
    line += subject;
    std::replace(line.begin(), line.end(), '\n', ' ');
    say(line + '\n');
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
void open(Subject subject) {
    if (subject.part == Part::compiler) {
        static_cast<void>(new auto(backend::offline_compiler(subject.backend, library_settings())));
        return;
    }
    std::vector<BackendReason> reasons;
    const backend::Row& row = backend::rows[static_cast<std::size_t>(subject.backend)];
    if (auto driver = row.open(library_settings(), reasons)) {
        auto* const devices = new auto(driver->devices());
        static_cast<void>(devices);
        static_cast<void>(driver.release());
    }
}

/// Writes the last line once all exit handlers of the libraries have run: the first handler to be registered
/// runs last. In a copy of the program the process ends there, before the handlers of the program.
void end_with_report(Host host, const std::vector<std::string>& before) {
    if (host == Host::tool) {
        static_cast<void>(std::atexit([] { say("left\n"); }));
        return;
    }
    ::on_exit([](int status, void*) { end_at_once(status); },
              nullptr); // exit() was called in the next handler
    ::on_exit(
        [](int status, void* old) {
            if (leaving) {
                finish_libraries(*static_cast<const std::vector<std::string>*>(old));
                say("left\n");
            }
            end_at_once(status);
        },
        const_cast<std::vector<std::string>*>(&before));
    static_cast<void>(std::at_quick_exit([] {
        say("quick\n");
        end_at_once(1);
    }));
}

} // namespace

std::string request_text(Subject subject) {
    return child_run::greeting() + "\nprobe " + to_text(subject) + '\n';
}

std::optional<Subject> request_from(std::string_view text) {
    if (child_run::next_part(text, '\n') != child_run::greeting() ||
        child_run::next_part(text, ' ') != "probe" || !text.ends_with('\n')) {
        return std::nullopt;
    }
    return subject_from(text.substr(0, text.size() - 1));
}

void serve_test(Subject subject, int output, Host host) {
    report = output;
    const std::vector<std::string> before = loaded_files();
    end_with_report(host, before);
    say(child_run::greeting() + '\n');
    backend::opening_observer = tell;
    try {
        open(subject);
    } catch (const std::exception&) { // becomes a reason in the caller too
    } catch (...) {
        say("threw\n");
        end_at_once(1);
    }
    if (reached == Opening::constructor) { // an exception came through the loader, which is not usable now
        say("threw\n");
        end_at_once(1);
    }
    say_files(before);
    leaving = true;
    say("exit\n");
    std::exit(sound_status); // NOLINT(concurrency-mt-unsafe): the handlers are to run
}

} // namespace ferry::detail::probe
