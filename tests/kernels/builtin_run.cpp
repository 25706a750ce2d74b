// SPDX-License-Identifier: Apache-2.0
#include "builtin_run.hpp"

#include "../conformance/devices.hpp"
#include "../conformance/random.hpp"
#include "builtin_program.hpp"
#include "known_bugs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace kernels {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Value> edges_for(char letter, Type type) {
    std::vector<Value> edges = edge_values(letter_type(letter, type, 2));
    if (letter == 'i' || letter == 'k') { // exponents beyond the range of float and double
        for (const int n : {31, 127, 128, -126, -127, -149, -150, 1023, 1024, -1022, -1074, -1075}) {
            edges.push_back(integer(n));
        }
    }
    return edges;
}

/// Pairs of edge values of the first two arguments come first, as far as there is room. Random values follow.
std::vector<Value> argument_values(const Group& group, std::size_t argument) {
    const char letter = group.arguments[argument];
    const std::vector<Value> edges = edges_for(letter, group.type);
    const std::vector<Value> first = edges_for(group.arguments[0], group.type);
    const bool pairs = group.arguments.size() == 2;
    std::vector<Value> result(elements);
    for (std::size_t i = 0; i < elements; ++i) {
        const bool early = pairs ? i < edges.size() * first.size() && i < elements * 4 / 5 : i < first.size();
        if (early) {
            result[i] = argument == 0 ? first[i % first.size()]
                                      : edges[(pairs ? i / first.size() : i) % edges.size()];
        } else if (conformance::random_below(4) == 0) {
            result[i] = edges[conformance::random_below(edges.size())];
        } else {
            result[i] = random_value(letter_type(letter, group.type, 2));
        }
    }
    return result;
}

Value flushed(Type type, Value value) {
    if (is_float(type) && is_denormal(type, value.f)) {
        value.f = std::copysign(0.0L, value.f);
    }
    return value;
}

/// The outputs of one group and their comparison.
class Comparison {
public:
    Comparison(const ferry::Device& device, const Group& group, BugLedger& ledger)
        : device_(device),
          group_(group),
          ledger_(ledger),
          flushes_(group.type == Type::f64 ? habits(device).flushes_double : habits(device).flushes_float) {
        for (std::size_t a = 0; a < group.arguments.size(); ++a) {
            in_[a] = argument_values(group, a);
        }
    }

    /// Fills the buffer of argument `a`.
    Bytes bytes_of(std::size_t a) const {
        Bytes bytes(elements * 8);
        if (a < group_.arguments.size()) {
            const Type type = letter_type(group_.arguments[a], group_.type, 2);
            for (std::size_t i = 0; i < elements; ++i) {
                store(type, in_[a][i], &bytes[i * size_of(type)]);
            }
        }
        return bytes;
    }

    /// Compares every row and width. Returns the number of cases.
    std::size_t check(const Bytes& out) {
        std::size_t cases = 0;
        for (std::size_t r = 0; r < group_.rows.size(); ++r) {
            for (std::size_t w = 0; w < std::size(all_widths); ++w) {
                const std::vector<unsigned>& widths = group_.widths[r];
                if (std::find(widths.begin(), widths.end(), all_widths[w]) != widths.end()) {
                    check_case(*group_.rows[r], all_widths[w], &out[output_offset(r, w, 0)],
                               &out[output_offset(r, w, 1)]);
                    ++cases;
                }
            }
        }
        return cases;
    }

private:
    struct Answers {
        std::array<std::array<Wanted, 16>, 2> wanted{};
    };

    Answers answers(const Builtin& row, unsigned width, std::size_t vector, bool flush) const {
        std::array<std::array<Value, 16>, 3> in{};
        for (std::size_t a = 0; a < row.arguments.size(); ++a) {
            for (unsigned k = 0; k < width; ++k) {
                const std::size_t at = vector * width + (one_for_all(row.arguments[a]) ? 0 : k);
                const Type type = letter_type(row.arguments[a], group_.type, width);
                in[a][k] = flush ? flushed(type, in_[a][at]) : in_[a][at];
            }
        }
        Answers result;
        for (unsigned k = 0; k < (row.whole ? 1 : width); ++k) {
            Call call;
            call.type = group_.type;
            call.width = width;
            for (std::size_t a = 0; a < row.arguments.size(); ++a) {
                call.in[a] = &in[a][k];
            }
            for (std::size_t q = 0; q < row.results.size(); ++q) {
                call.out[q] = &result.wanted[q][k];
            }
            row.reference(call);
        }
        return result;
    }

    void check_case(const Builtin& row, unsigned width, const std::uint8_t* first,
                    const std::uint8_t* second) {
        std::size_t wrong = 0;
        std::string report;
        const std::uint8_t* const out[] = {first, second};
        for (std::size_t vector = 0; vector < elements / width; ++vector) {
            const Answers plain = answers(row, width, vector, false);
            const Answers flush = flushes_ ? answers(row, width, vector, true) : plain;
            for (std::size_t q = 0; q < row.results.size(); ++q) {
                const Type type = letter_type(row.results[q], group_.type, width);
                const unsigned components = one_for_all(row.results[q]) ? 1 : width;
                for (unsigned k = 0; k < components; ++k) {
                    const Value got = load(type, out[q] + (vector * components + k) * size_of(type));
                    long double error = 0;
                    long double ignored = 0;
                    if (!accept(type, plain.wanted[q][k], got, flushes_, error) &&
                        !(flushes_ && accept(type, flush.wanted[q][k], got, true, ignored))) {
                        if (wrong++ == 0) {
                            report = describe(row, width, vector, q, k, plain.wanted[q][k], got, error);
                        }
                    }
                }
            }
        }
        const bool known = ledger_.covers(row.name, name_of(group_.type), width, wrong != 0);
        if (wrong != 0 && !known) {
            FAIL_CHECK(report, " (", wrong, " of ", elements, " wrong)");
        }
    }

    std::string describe(const Builtin& row, unsigned width, std::size_t vector, std::size_t q, unsigned k,
                         const Wanted& wanted, const Value& got, long double error) const {
        std::string text = row.name + " of " + name_of(group_.type, width) + " on " + device_.id() + ": " +
                           statement(row, group_.type, width);
        for (std::size_t a = 0; a < row.arguments.size(); ++a) {
            text += std::string(" ") + static_cast<char>('A' + a) + " =";
            const unsigned begin = row.whole ? 0 : one_for_all(row.arguments[a]) ? 0 : k;
            for (unsigned j = begin; j < (row.whole ? width : begin + 1); ++j) {
                text += " " + text_of(letter_type(row.arguments[a], group_.type, width),
                                      in_[a][vector * width + j]);
            }
        }
        const Type type = letter_type(row.results[q], group_.type, width);
        text += "; result " + std::to_string(q) + " component " + std::to_string(k) + ": expected " +
                text_of(type, wanted.value) + ", got " + text_of(type, got);
        if (is_float(type)) {
            char ulps[64];
            std::snprintf(ulps, sizeof ulps, ", off by %.3Lg ulp, the limit is %.3Lg", error, wanted.ulps);
            text += ulps;
        }
        return text;
    }

    const ferry::Device& device_;
    const Group& group_;
    BugLedger& ledger_;
    bool flushes_;
    std::array<std::vector<Value>, 3> in_;
};

std::size_t run_group(const ferry::Device& device, ferry::Queue& queue, const ferry::Program& program,
                      const Group& group, BugLedger& ledger) {
    Comparison comparison(device, group, ledger);
    std::vector<ferry::Buffer<std::uint8_t>> in;
    for (std::size_t a = 0; a < 3; ++a) {
        const Bytes bytes = comparison.bytes_of(a);
        in.emplace_back(device, bytes.size());
        queue.copy_and_wait(bytes, in.back());
    }
    ferry::Buffer<std::uint8_t> out{device, output_size(group.rows.size())};
    if (!conformance::matches(device, ", strict")) { // there, no command writes it before the kernel
        queue.fill(out, std::uint8_t{0xa5});
    }
    queue.launch(program.kernel(group.kernel), {items / 4, 4}, in[0], in[1], in[2], out);
    return comparison.check(queue.read(out));
}

} // namespace

void check_builtins(const ferry::Device& device, const std::string& title, const std::vector<Builtin>& rows,
                    std::size_t rows_per_kernel, std::size_t kernels_per_program) {
    const std::vector<Group> groups = grouped(rows, device.info().fp64, rows_per_kernel);
    BugLedger ledger(device);
    ferry::Queue queue{device};
    std::size_t cases = 0;
    for (std::size_t g = 0; g < groups.size(); g += kernels_per_program) {
        const std::span part = std::span(groups).subspan(g, std::min(kernels_per_program, groups.size() - g));
        const std::string text = program_text(part);
        try {
            const ferry::Program program{device, text};
            for (const Group& group : part) {
                cases += run_group(device, queue, program, group, ledger);
            }
        } catch (const ferry::Error& error) {
            FAIL_CHECK("a program of the table fails on ", device.id(), ": ", std::string(error.what()), "\n",
                       text);
        }
    }
    if (every_width()) {
        ledger.check_not_stale();
    }
    std::printf("%s on %s: %zu cases of (function, type, width), %zu values each\n", title.c_str(),
                device.id().c_str(), cases, elements);
}

} // namespace kernels
