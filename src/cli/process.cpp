// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include "system/pipe.hpp"
#include "system/process.hpp"

#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace cli {
namespace {

using ferry::detail::FileDescriptor;
using ferry::detail::Pipe;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds tick{100};
constexpr milliseconds soon{2}; // Used after the program has closed its output.

/// Reads the output of a program and measures its time.
class Drain {
public:
    Drain(const ferry::detail::Process& child, FileDescriptor output, FileDescriptor errors,
          const Watch& watch, ProcessResult& result)
        : child_(child), files_{{std::move(output), std::move(errors)}}, watch_(watch), result_(result) {}

    /// Returns when the program has ended or its time is over.
    void run() {
        for (bool ended = false; !ended;) {
            ended = child_.has_ended(); // Queried before the last read, so that no output is lost.
            const bool closed = !files_[0] && !files_[1];
            const milliseconds wait = ended ? milliseconds(0) : closed ? soon : tick;
            if (const auto ready = ferry::detail::wait_for_input(files_, wait); ready != 0) {
                ended = !read_all(ready) && ended;
            }
            const auto silent = std::chrono::duration_cast<milliseconds>(Clock::now() - last_);
            if (!ended && watch_.waiting) {
                watch_.waiting(silent);
            }
            if (!ended && watch_.limit.count() != 0 && silent > watch_.limit) {
                result_.late = true;
                return;
            }
        }
    }

private:
    bool read_all(std::uint32_t ready) {
        bool any = false;
        for (std::size_t i = 0; i < files_.size(); ++i) {
            std::array<char, 4096> bytes{};
            if ((ready & 1U << i) == 0) {
                continue;
            }
            const std::ptrdiff_t got = ferry::detail::read_some(files_[i], bytes.data(), bytes.size());
            if (got <= 0) {
                files_[i] = {};
                continue;
            }
            any = true;
            const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
            (i == 0 ? result_.output : result_.errors) += text;
            if (i == 0) {
                last_ = Clock::now();
                if (watch_.output) {
                    watch_.output(text);
                }
            }
        }
        return any;
    }

    const ferry::detail::Process& child_;
    std::array<FileDescriptor, 2> files_;
    const Watch& watch_;
    ProcessResult& result_;
    Clock::time_point last_ = Clock::now();
};

} // namespace

ProcessResult run_process(std::vector<std::string> words, const Watch& watch) {
    Pipe output;
    Pipe errors;
    if (!output.read_end || !errors.read_end) {
        throw std::runtime_error("A pipe could not be created");
    }
    const std::string program = words[0];
    const ferry::detail::Process child({.program = program,
                                        .arguments = std::move(words),
                                        .input = 0,
                                        .output = output.write_end.get(),
                                        .errors = errors.write_end.get(),
                                        .own_group = watch.limit.count() != 0});
    if (child.error() != 0) {
        throw std::runtime_error("'" + program + "' could not be started: " +
                                 std::strerror(child.error())); // NOLINT(concurrency-mt-unsafe)
    }
    output.write_end = {};
    errors.write_end = {};
    ProcessResult result;
    Drain(child, std::move(output.read_end), std::move(errors.read_end), watch, result).run();
    if (watch.limit.count() != 0) {
        child.kill(); // Also kills the processes that it started.
    }
    result.status = child.wait().value_or(0);
    if (ferry::detail::ending_signal(result.status) != 0) {
        result.errors += "It was " + ferry::detail::status_text(result.status);
    }
    return result;
}

} // namespace cli
