// SPDX-License-Identifier: Apache-2.0
#include "probe/test_report.hpp"

#include "child/message.hpp"

namespace ferry::detail::probe {
namespace {

constexpr std::size_t longest_line = std::size_t{8} << 10;
constexpr std::size_t most_files = 1000;

} // namespace

bool TestReport::feed(std::string_view bytes) {
    waiting_ += bytes;
    for (std::size_t end = waiting_.find('\n'); sound_ && end != std::string::npos;
         end = waiting_.find('\n')) {
        sound_ = take(std::string_view(waiting_).substr(0, end));
        waiting_.erase(0, end + 1);
    }
    sound_ = sound_ && waiting_.size() <= longest_line;
    return sound_;
}

bool TestReport::take(std::string_view line) {
    if (!greeted_) {
        greeted_ = line == child_run::greeting();
        return greeted_;
    }
    const std::string_view word = child_run::next_part(line, ' ');
    if (word == "file") {
        files_.emplace_back(line);
        return files_.size() <= most_files;
    }
    if (word == "left" || word == "threw" || word == "quick") {
        (word == "left" ? left_ : word == "threw" ? threw_ : quick_) = true;
        return true;
    }
    if (word == "constructor" || word == "opened" || word == "absent") {
        library_ = line;
        first_ = first_.empty() && word == "opened" ? library_ : first_;
    } else if (word == "initialisation" || word == "listing" || word == "exit") {
        library_ = first_;
    } else {
        return false;
    }
    ++steps_;
    word_ = word;
    subject_ = line;
    return true;
}

std::string TestReport::phase() const {
    if (word_ == "constructor") {
        return "its constructor";
    }
    if (word_ == "listing") {
        return "its device listing" + (subject_.empty() ? "" : " (platform " + subject_ + ")");
    }
    if (word_ == "exit") {
        return "its exit handlers";
    }
    if (word_ == "initialisation") {
        return "its initialisation (" + subject_ + ")";
    }
    return "the time before its initialisation";
}

} // namespace ferry::detail::probe
