// SPDX-License-Identifier: Apache-2.0
// A launch again, with other values in the bytes that no command has written: a result that changes was
// computed from them.
#include "host/host_exit.hpp"
#include "strict/strict_fence.hpp"
#include "strict/strict_launch.hpp"
#include "strict/strict_unwritten.hpp"

#include <algorithm>
#include <utility>

namespace ferry::host {
namespace {

/// Of an object in bytes. A copy of the object takes it along.
constexpr std::size_t longest_padding = 255;
/// Bytes in a row that are certainly not only padding. A written byte between two paddings can equal the
/// pattern of unwritten memory by chance, and the run then has both; so many bytes have at least
/// `likely_chance` such bytes.
constexpr std::size_t no_padding = likely_chance * (longest_padding + 1);

constexpr std::byte inverse_of(std::byte value) noexcept {
    return ~value;
}

/// Mixes the number of a byte.
std::byte mixed_tag(std::size_t number, std::uint64_t key) noexcept {
    std::uint64_t x = (number + key) * 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 29U)) * 0xbf58476d1ce4e5b9U;
    return static_cast<std::byte>(x >> 56U);
}

} // namespace

/// Finds out which undefined bytes the results of a launch depend on. Its runs take the groups in one order
/// on one thread, so equal values leave equal bytes.
class StrictLaunch::UnwrittenReads {
public:
    UnwrittenReads(StrictLaunch& launch, const std::vector<std::byte*>& bases, std::vector<Trial> trials)
        : launch_(launch), bases_(bases), trials_(std::move(trials)) {
        for (std::size_t i = 0; i < trials_.size(); ++i) {
            const Use& use = launch_.uses()[trials_[i].use];
            total_ += use.bytes;
            if (use.writes) {
                written_.push_back(i);
            }
        }
    }

    void check() {
        const Outcome other = run(flip_all, 0);
        if (stopping()) {
            return;
        }
        if (other.failure || !is_as_expected(other)) {
            examine();
        }
        for (std::size_t w = 0; w < written_.size(); ++w) {
            keep_marks(w);
        }
    }

private:
    static constexpr std::size_t nowhere = ~std::size_t{0};

    Outcome run(const Values& values, std::size_t groups) {
        std::vector<std::byte*> copies = bases_;
        for (Trial& trial : trials_) {
            copies[trial.use] = trial.memory->data();
            std::copy(trial.before.begin(), trial.before.end(), trial.memory->data());
            for (std::size_t i = 0; i < trial.undefined.size(); ++i) {
                if (trial.undefined[i] != 0) {
                    trial.memory->data()[i] = values(trial.first + i, trial.before[i]);
                }
            }
        }
        launch_.act_on(copies, {false, false, groups});
        Outcome outcome{launch_.failure_};
        for (const std::size_t w : written_) {
            const Fence& memory = *trials_[w].memory;
            outcome.left.emplace_back(memory.data(), memory.data() + memory.bytes());
        }
        return outcome;
    }
    Outcome run_in_a_row(const Values& values) { return run(values, launch_.count_); }

    Trial& written(std::size_t w) noexcept { return trials_[written_[w]]; }

    /// With the byte as it is one run left `plain` there, and with all of them flipped the other one `other`.
    static bool stayed(const Trial& trial, std::size_t i, std::byte plain, std::byte other) noexcept {
        return !trial.undefined.empty() && trial.undefined[i] != 0 && plain == trial.before[i] &&
               other == inverse_of(trial.before[i]);
    }

    /// Each byte is the same, or was left alone. Marks those.
    bool is_as_expected(const Outcome& other) {
        bool expected = true;
        marks_.clear();
        for (std::size_t w = 0; w < written_.size(); ++w) {
            const Trial& trial = written(w);
            UndefinedBytes::Marks& marks = marks_.emplace_back(trial.before.size(), 0);
            for (std::size_t i = 0; i < marks.size(); ++i) {
                const std::byte here = bases_[trial.use][i];
                const bool kept = stayed(trial, i, here, other.left[w][i]);
                marks[i] = kept ? 1 : 0;
                expected = expected && (kept || here == other.left[w][i]);
            }
        }
        return expected;
    }

    /// Throws the report. Else leaves the marks that are certain.
    void examine() {
        const Outcome plain = run_in_a_row(as_before);
        const Outcome other = run_in_a_row(flip_all);
        const auto same = [this](const Outcome& a, const Values& values) {
            const Outcome b = run_in_a_row(values);
            return a.failure == b.failure && a.left == b.left;
        };
        marks_.assign(written_.size(), {}); // all are written, for all that is known
        if (plain.failure || !same(plain, as_before) || !same(other, flip_all) || stopping()) {
            return;
        }
        if (other.failure) {
            report(nowhere, 0, [](const Outcome& a, const Outcome& b) { return a.failure != b.failure; });
            return;
        }
        const std::vector<Outcome> tagged = tagged_runs();
        std::vector<UndefinedBytes::Marks> marks;
        bool as_launched = true;
        for (std::size_t w = 0; w < written_.size() && !stopping(); ++w) {
            const Trial& trial = written(w);
            marks.emplace_back(trial.before.size(), 0);
            for (std::size_t i = 0; i < trial.before.size(); ++i) {
                const std::byte here = plain.left[w][i];
                as_launched = as_launched && here == bases_[trial.use][i];
                if (here == other.left[w][i]) {
                    continue;
                }
                marks[w][i] = 1;
                if (stayed(trial, i, here, other.left[w][i])) {
                    continue;
                }
                const std::size_t from = copied_from(tagged, w, i);
                if (from == nowhere || is_no_padding(from)) {
                    report(w, i, [w, i](const Outcome& a, const Outcome& b) {
                        return a.failure != b.failure || a.left[w][i] != b.left[w][i];
                    });
                }
            }
        }
        if (as_launched) {
            marks_ = std::move(marks);
        }
    }

    /// Four runs with the bytes of each byte's number as values, and two that reveal a coincidence.
    std::vector<Outcome> tagged_runs() {
        std::vector<Outcome> runs;
        for (unsigned k = 0; k < 4; ++k) {
            runs.push_back(run_in_a_row([k](std::size_t number, std::byte) {
                return static_cast<std::byte>(number >> (8 * k) & 0xff);
            }));
        }
        for (const std::uint64_t key : keys) {
            runs.push_back(
                run_in_a_row([key](std::size_t number, std::byte) { return mixed_tag(number, key); }));
        }
        return runs;
    }

    /// The number of the undefined byte whose value it is; nowhere: it was computed.
    std::size_t copied_from(const std::vector<Outcome>& tagged, std::size_t w, std::size_t i) const {
        std::size_t number = 0;
        for (std::size_t k = 0; k < tagged.size(); ++k) {
            if (tagged[k].failure) {
                return nowhere;
            }
            const std::byte value = tagged[k].left[w][i];
            if (k < 4) {
                number |= std::to_integer<std::size_t>(value) << (8 * k);
            } else if (value != mixed_tag(number, keys[k - 4])) {
                return nowhere;
            }
        }
        const Trial* const trial = owner_of(number);
        return trial != nullptr && trial->undefined[number - trial->first] != 0 ? number : nowhere;
    }

    const Trial* owner_of(std::size_t number) const noexcept {
        for (const Trial& trial : trials_) {
            if (number >= trial.first && number - trial.first < trial.undefined.size()) {
                return &trial;
            }
        }
        return nullptr;
    }

    bool is_no_padding(std::size_t number) const noexcept {
        const Trial& trial = *owner_of(number);
        return trial.untouched || run_length(trial.undefined, number - trial.first) >= no_padding;
    }

    /// `differ` compares two runs, and it is so for a plain one and one with all bytes flipped.
    template <class Differ>
    void report(std::size_t w, std::size_t i, const Differ& differ) {
        const Outcome plain = run_in_a_row(as_before);
        std::size_t same = 0;
        std::size_t other = total_;
        while (other - same > 1 && !stopping()) {
            const std::size_t middle = same + (other - same) / 2;
            (differ(plain, run_in_a_row(flip_below(middle))) ? other : same) = middle;
        }
        const std::size_t number = same;
        const Values without = flip_below(number);
        const Values with = flip_below(number + 1);
        std::size_t fewer = 0;
        std::size_t groups = launch_.count_;
        while (groups - fewer > 1 && !stopping()) {
            const std::size_t middle = fewer + (groups - fewer) / 2;
            (differ(run(without, middle), run(with, middle)) ? groups : fewer) = middle;
        }
        const std::optional<std::string> failure = run_in_a_row(with).failure;
        if (stopping()) {
            return;
        }
        const Trial& from = *owner_of(number);
        std::string effect = "with another value there it " + failure.value_or("takes another course");
        if (w != nowhere) {
            effect = byte_text(written(w), i) + " depends on it";
        }
        const Dim3 group = launch_.group_of(groups - 1);
        launch_.fail(
            "The kernel uses " + byte_text(from, number - from.first) +
            ", which no command has written: " + effect + ", in the work-group (" + std::to_string(group.x) +
            ", " + std::to_string(group.y) + ", " + std::to_string(group.z) +
            "); write to the buffer or fill it before the launch, or let the kernel skip these bytes");
    }

    std::string byte_text(const Trial& trial, std::size_t i) const {
        const Use& use = launch_.uses()[trial.use];
        return "byte " + std::to_string(use.offset + i) + " of " + host::describe(use.block->owner());
    }

    void keep_marks(std::size_t w) {
        const Use& use = launch_.uses()[written(w).use];
        UndefinedBytes::Marks& marks = marks_[w];
        if (marks.empty()) {
            use.define();
            return;
        }
        if (!launch_.function_.any_order) { // what is written may be what was there by chance
            drop_short_runs(marks, shortest_certain);
        }
        use.block->undefined().assign(use.offset, marks);
    }

    static Values flip_below(std::size_t end) {
        return [end](std::size_t number, std::byte before) {
            return number < end ? inverse_of(before) : before;
        };
    }
    static std::byte as_before(std::size_t, std::byte before) { return before; }
    static std::byte flip_all(std::size_t, std::byte before) { return inverse_of(before); }
    static constexpr std::uint64_t keys[] = {0x2545f4914f6cdd1d, 0x3c6ef372fe94f82b};

    StrictLaunch& launch_;
    const std::vector<std::byte*>& bases_;
    std::vector<Trial> trials_;
    std::vector<std::size_t> written_;         ///< numbers of trials
    std::vector<UndefinedBytes::Marks> marks_; ///< of the written ones; empty: all is written
    std::size_t total_ = 0;
};

std::vector<StrictLaunch::Trial> StrictLaunch::trials(const std::vector<std::byte*>& bases) const {
    std::vector<Trial> trials;
    std::size_t first = 0;
    bool any = false;
    for (std::size_t i = 0; i < bases.size(); ++i) {
        const Use& use = uses()[i];
        UndefinedBytes::Marks undefined = use.block->undefined_of(use.offset, use.bytes, bases[i]);
        drop_short_runs(undefined, function_.padded_vectors ? shortest_certain : 1);
        if (!use.writes && undefined.empty()) {
            continue;
        }
        any = any || !undefined.empty();
        trials.push_back({i,
                          first,
                          {bases[i], bases[i] + use.bytes},
                          std::move(undefined),
                          use.block->undefined().untouched()});
        first += use.bytes;
    }
    return any ? std::move(trials) : std::vector<Trial>();
}

void StrictLaunch::check_unwritten(const std::vector<std::byte*>& bases, std::vector<Trial> trials) {
    if (trials.empty() ||
        std::none_of(trials.begin(), trials.end(), [&](const Trial& t) { return uses()[t.use].writes; })) {
        return;
    }
    for (Trial& trial : trials) {
        const Use& use = uses()[trial.use];
        Owner owner = use.block->owner();
        owner.role = Role::trial;
        owner.offset = use.offset;
        trial.memory = std::make_unique<Fence>(use.bytes, owner);
    }
    UnwrittenReads(*this, bases, std::move(trials)).check();
}

void StrictLaunch::define_all() const {
    for (const Use& use : uses()) {
        if (use.writes) {
            use.define();
        }
    }
}

} // namespace ferry::host
