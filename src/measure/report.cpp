// SPDX-License-Identifier: Apache-2.0
#include "measure/report.hpp"

#include "knowledge/facts_text.hpp"

#include <algorithm>

namespace ferry::detail::child_run {
namespace {

constexpr std::size_t longest = std::size_t{64} << 10; // A calibration has some KiB.

/// The length of this number of lines at the beginning. 0 if they are incomplete.
std::size_t lines(std::string_view text, std::size_t count) {
    std::size_t end = 0;
    for (std::size_t line = 0; line < count; ++line) {
        const std::size_t at = text.find('\n', end);
        if (at == std::string_view::npos) {
            return 0;
        }
        end = at + 1;
    }
    return end;
}

std::size_t count_lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

bool Report::feed(std::string_view bytes) {
    waiting_ += bytes;
    while (sound_ && take()) {
    }
    sound_ = sound_ && waiting_.size() <= longest;
    return sound_;
}

bool Report::take() {
    const std::size_t end = lines(waiting_, 1);
    if (end == 0) {
        return false;
    }
    std::string_view line(waiting_.data(), end - 1);
    const std::string whole(line);
    const std::string_view word = next_part(line, ' ');
    std::size_t used = end;
    if (!greeted_) {
        sound_ = greeted_ = whole == greeting();
    } else if (done_) {
        sound_ = false;
    } else if (word == "begin") {
        sound_ = current_.empty() && !line.empty();
        current_ = line;
        coming_ = facts_;
        coming_costs_ = costs_;
    } else if (word == "facts") {
        const auto kind = kind_from(line);
        const std::size_t block = lines(waiting_, 1 + count_lines(detail::to_text(MemoryCapabilities{})));
        if (kind && block == 0) {
            return false;
        }
        std::string_view rest(waiting_.data() + end, block - std::min(block, end));
        sound_ = kind && !current_.empty() && take_facts(rest, coming_[static_cast<std::size_t>(*kind)]);
        used = std::max(block, end);
    } else if (word == "costs") {
        const std::size_t block = lines(waiting_, 1 + count_lines(detail::to_text(CostModel{})));
        if (block == 0) {
            return false;
        }
        coming_costs_ = calibration_from(std::string_view(waiting_).substr(end, block - end));
        sound_ = coming_costs_.has_value() && !current_.empty();
        used = block;
    } else if (word == "slots") {
        const std::size_t block = lines(waiting_, 1 + staging::slot_sizes.size());
        if (block == 0) {
            return false;
        }
        slots_ = staging::slot_rates_from(std::string_view(waiting_).substr(end, block - end));
        sound_ = slots_.has_value() && current_ == "slots";
        used = block;
    } else if (word == "end") {
        sound_ = !current_.empty();
        ended_.push_back(current_);
        current_.clear();
        facts_ = coming_;
        costs_ = coming_costs_;
    } else if (word == "refused") {
        refused_ = line;
        sound_ = !refused_.empty();
    } else if (word == "done") {
        done_ = true;
        sound_ = current_.empty();
    } else {
        sound_ = false;
    }
    waiting_.erase(0, used);
    return true;
}

} // namespace ferry::detail::child_run
