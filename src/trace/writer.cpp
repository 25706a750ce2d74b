// SPDX-License-Identifier: Apache-2.0
#include "trace/writer.hpp"

#include "trace/trace.hpp"

#include <ferry/error.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace ferry::trace {
namespace {

constexpr std::string_view file_head = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
constexpr std::string_view closing = "\n]}\n";

bool write_all(int descriptor, std::string_view bytes, std::int64_t at) noexcept {
    while (!bytes.empty()) {
        const ssize_t written = pwrite(descriptor, bytes.data(), bytes.size(), at);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
        at += written;
    }
    return true;
}

// trace.json, of which another process is the owner, becomes trace.1234.json.
std::string own_name(const std::string& file) {
    const std::size_t slash = file.rfind('/');
    const std::size_t dot = file.rfind('.');
    const bool has_end =
        dot != std::string::npos && dot != 0 && (slash == std::string::npos || dot > slash + 1);
    const std::size_t at = has_end ? dot : file.size();
    return file.substr(0, at) + "." + std::to_string(getpid()) + file.substr(at);
}

int open_own(const std::string& file) noexcept {
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(descriptor);
        return -2;
    }
    return descriptor;
}

} // namespace

Writer::Writer(const std::string& file, SourceLocation where) : file_(file) {
    descriptor_ = open_own(file_);
    if (descriptor_ == -2) {
        file_ = own_name(file);
        descriptor_ = open_own(file_);
    }
    // A device or a pipe has no place to go back to.
    if (descriptor_ < 0 || ftruncate(descriptor_, 0) != 0 ||
        !write_all(descriptor_, std::string(file_head) + std::string(closing), 0)) {
        const int code = descriptor_ == -2 ? EWOULDBLOCK : errno;
        if (descriptor_ >= 0) {
            close(descriptor_);
        }
        throw Error(Code::invalid_argument,
                    "FERRY_TRACE is \"" + file + "\", and the trace cannot be written there: " +
                        std::strerror(code) + "; name an ordinary file in a folder that exists",
                    where);
    }
    end_ = static_cast<std::int64_t>(file_head.size());
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
    } catch (const std::exception&) { // no memory: this event is lost
    }
}

void Writer::flush() noexcept {
    const std::lock_guard lock(mutex_);
    if (!abandoned_) {
        write_out();
    }
}

// The closing brackets go out with the events, in one call wherever the system can, and are overwritten by
// the next ones.
void Writer::write_out() noexcept {
    const std::size_t events = buffer_.size();
    try {
        buffer_ += closing;
    } catch (const std::exception&) {
    }
    if (write_all(descriptor_, buffer_, end_)) {
        end_ += static_cast<std::int64_t>(events);
    } else {
        // The disk is full, say. What is in the file stays readable; a program does not fail for its trace.
        static_cast<void>(write_all(descriptor_, closing, end_));
        static_cast<void>(ftruncate(descriptor_, end_ + static_cast<std::int64_t>(closing.size())) == 0);
        abandoned_ = true;
    }
    buffer_.clear();
    flushed_ = now();
}

} // namespace ferry::trace
