// SPDX-License-Identifier: Apache-2.0
#include "trace/trace.hpp"

#include "base/no_destructor.hpp"
#include "base/process_exit.hpp"
#include "system/fork.hpp"
#include "trace/writer.hpp"

#include <ferry/error.hpp>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>

namespace ferry::trace {

constinit std::atomic<bool> on{false};

namespace {

constinit std::atomic<Writer*> open_writer{nullptr};

struct Opening {
    std::once_flag once;
    std::optional<Error> failed;
    bool full = false; ///< The disk is full: the program continues without a trace, after it has been told
                       ///< once.
    std::atomic<bool> told{false};
};

Opening& opening() {
    static detail::NoDestructor<Opening> o;
    return *o;
}

std::string program_name() {
    std::string name;
    std::getline(std::ifstream("/proc/self/comm"), name);
    return name.empty() ? program_invocation_short_name : name; // There may be no /proc.
}

void open(const std::string& file, Opening& o, SourceLocation where) {
    static detail::NoDestructor<Writer> made(file, where);
    o.failed = made->failure();
    o.full = made->full();
    if (o.failed) {
        return;
    }
    open_writer = &*made;
    on = true;
    name_row("process_name", this_process(), 0, program_name());
    detail::at_process_exit(detail::ExitTask::traces, &finish_at_exit);
    detail::register_exit_handler();
    detail::at_fork(nullptr, nullptr, [] {
        on = false;
        if (Writer* const inherited = open_writer.exchange(nullptr)) {
            inherited->abandon();
        }
    });
}

void write_slice(std::string_view name, const char* category, const SourceLocation& where,
                 std::int64_t begin) noexcept {
    const std::int64_t end = now();
    Writer* const file = writer();
    if (file == nullptr) {
        return;
    }
    try {
        std::string event = head(name, 'X', this_process(), this_thread(), begin);
        event += ", \"dur\": " + std::to_string((end - begin) / 1000) + "." +
                 std::to_string(1000 + (end - begin) % 1000).substr(1) + ", \"cat\": \"" + category + "\"";
        if (where.line() != 0) {
            event += ", \"args\": {\"at\": " + json_string(place(where)) + "}";
        }
        file->add(event + "}");
    } catch (const std::exception&) { // Out of memory: this slice is not in the trace.
    }
}

} // namespace

Writer* writer() noexcept {
    return open_writer.load(std::memory_order_acquire);
}

void start(SourceLocation where) {
    Opening& o = opening();
    std::call_once(o.once, [&] {
        const char* const file = secure_getenv("FERRY_TRACE");
        if (file == nullptr || *file == '\0') {
            return;
        }
        static_cast<void>(stamp(0)); // Time begins.
        open(file, o, where);
    });
    if (o.failed && !(o.told.exchange(true) && o.full)) {
        throw o.failed->with_where(where);
    }
}

std::int64_t now() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void Span::end() const noexcept {
    write_slice(name_, "call", *where_, begin_);
}

void write_range(const std::string& name, const SourceLocation& where, std::int64_t begin) noexcept {
    write_slice(name, "range", where, begin);
}

void flush() {
    if (Writer* const file = writer()) {
        file->flush();
    }
}

constinit std::atomic<void (*)() noexcept> finish_queues{nullptr};

void finish_at_exit() noexcept {
    if (!active()) {
        return;
    }
    on = false;
    if (!detail::is_inside_vendor_call()) {
        if (const auto finish = finish_queues.load()) {
            finish();
        }
    }
    if (Writer* const file = writer()) {
        file->finish();
    }
}

} // namespace ferry::trace
