// SPDX-License-Identifier: Apache-2.0
#include "trace/writer.hpp"

#include "system/file_io.hpp"
#include "trace/trace.hpp"

#include <ferry/error.hpp>

#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

namespace ferry::trace {
namespace {

constexpr std::string_view closing = "\n]}\n";
/// Blanks after the end, which are valid JSON: room for the last event if the disk is full.
constexpr std::size_t reserve = 256;

bool is_full(int error) noexcept {
    return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

int write_at(const TracePlace& place, std::string_view text, std::uint64_t at) noexcept {
    return detail::write_at(place.file(), std::as_bytes(std::span(text)), at).error;
}

} // namespace

Writer::Writer(const std::string& file, SourceLocation where) : place_(file) {
    std::string problem = place_.problem();
    if (problem.empty()) {
        const std::string empty = std::string(file_head) + std::string(closing) + std::string(reserve, ' ');
        if (const int error = write_at(place_, empty, 0); error != 0) {
            problem = error_words(error);
            full_ = is_full(error);
            place_.remove();
        }
    }
    if (!problem.empty()) {
        failure_ =
            Error(Code::invalid_argument,
                  "FERRY_TRACE is \"" + file + "\", and the trace cannot be written there: " + problem +
                      "; name a new file, or an old trace, in a folder that exists",
                  where);
        abandoned_ = true;
    }
    end_ = file_head.size();
    flushed_ = now();
}

void Writer::add(std::string_view event) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        if (abandoned_) {
            return;
        }
        if (!std::exchange(first_, false)) {
            buffer_ += ",\n";
        }
        buffer_ += event;
        constexpr std::int64_t second = 1'000'000'000;
        if (buffer_.size() >= flush_bytes || now() - flushed_ > second) {
            write_out();
        }
    } catch (const std::exception&) { // Out of memory: this event is lost.
    }
}

void Writer::flush() noexcept {
    const std::lock_guard lock(mutex_);
    if (!abandoned_) {
        write_out();
    }
}

void Writer::finish() noexcept {
    const std::lock_guard lock(mutex_);
    if (!abandoned_) {
        write_out();
    }
    if (place_.file() && !std::exchange(abandoned_, true)) {
        cut();
    }
    if (place_.file()) {
        place_.publish();
        place_.abandon();
    }
}

void Writer::abandon() noexcept {
    abandoned_ = true;
    place_.abandon();
}

// Without the blanks.
void Writer::cut() noexcept {
    detail::resize_file(place_.file(), end_ + closing.size());
}

// The closing brackets are written with the events, in one call if the system can do it, and are overwritten
// by the next events.
void Writer::write_out() noexcept {
    const std::size_t events = buffer_.size();
    int error = ENOMEM;
    try {
        buffer_ += closing;
        buffer_.append(reserve, ' ');
        error = write_at(place_, buffer_, end_);
    } catch (const std::exception&) {
    }
    if (error == 0) {
        end_ += events;
    } else {
        end_here(error);
    }
    buffer_.clear();
    flushed_ = now();
}

// The file stays readable, and its last event has the reason why it is the last. A program does not fail
// because of its trace.
void Writer::end_here(int error) noexcept {
    try {
        const bool first = end_ == file_head.size();
        std::string last = std::string(first ? "" : ",\n") +
                           head("end of the trace", 'i', this_process(), 0, now()) +
                           ", \"s\": \"g\", \"args\": {\"reason\": " +
                           json_string("it could not be written: " + error_words(error)) + "}}";
        if (last.size() < reserve) {
            const std::size_t bytes = last.size();
            last += closing;
            last.append(closing.size() + reserve - last.size(), ' ');
            end_ += write_at(place_, last, end_) == 0 ? bytes : 0;
        }
    } catch (const std::exception&) {
    }
    write_at(place_, closing, end_);
    cut();
    abandoned_ = true;
}

} // namespace ferry::trace
