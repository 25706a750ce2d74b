// SPDX-License-Identifier: Apache-2.0
#include "corpus.hpp"
#include "known_bugs.hpp"
#include "selects.cl.hpp"

#include <algorithm>
#include <limits>
#include <string>

using namespace kernels;

namespace {

constexpr std::size_t lines = 8;
constexpr const char* line_texts[lines] = {"select(v, w, max((T)(v ^ v), w))",
                                           "max((T)(v ^ v), w)",
                                           "select(v, w, w)",
                                           "select(v, w, max((T)0, w))",
                                           "max((T)(v ^ v), w) != 0 ? w : v",
                                           "select(v, w, w > 0 ? w : 0)",
                                           "select(v, w, w > 0)",
                                           "select(v, w, clamp(w, 0, 100))"};

template <class T>
void check_selects(Corpus& c, const char* kernel, const char* type, BugLedger& ledger) {
    constexpr T low = std::numeric_limits<T>::min();
    constexpr T high = std::numeric_limits<T>::max();
    const T edges[] = {low, static_cast<T>(low + 1), -2, -1, 0, 1, 2, static_cast<T>(high - 1), high};
    std::vector<T> in;
    for (const T v : edges) {
        in.insert(in.end(), {v, static_cast<T>(conformance::random_below(256))});
        for (const T w : edges) {
            in.insert(in.end(), {v, w});
        }
    }
    auto din = c.in(in);
    auto out = c.out<T>(in.size() / 2 * lines);
    c.run(kernel, {in.size() / 2, 1}, din, out);
    const std::vector<T> seen = c.read(out);
    for (std::size_t k = 0; k < lines; ++k) {
        std::string first_wrong;
        for (std::size_t i = 0; i < in.size() / 2 && first_wrong.empty(); ++i) {
            const T v = in[2 * i];
            const T w = in[2 * i + 1];
            const T wanted = k == 1 ? std::max(T{0}, w) : k == 2 ? (w != 0 ? w : v) : (w > 0 ? w : v);
            const T found = seen[lines * i + k];
            if (found != wanted) {
                first_wrong = "of v = " + std::to_string(v) + " and w = " + std::to_string(w) + " it is " +
                              std::to_string(found) + ", where " + std::to_string(wanted) + " was expected";
            }
        }
        if (!ledger.covers(line_texts[k], type, 1, !first_wrong.empty())) {
            CHECK_MESSAGE(first_wrong.empty(), std::string(kernel), ", ", std::string(line_texts[k]), ": ",
                          first_wrong);
        }
    }
}

} // namespace

KERNEL_TEST("corpus: select by a maximum, the side that is taken") {
    Corpus c(device, selects_cl);
    BugLedger ledger(device);
    check_selects<std::int8_t>(c, "selects_char", "char", ledger);
    check_selects<std::int16_t>(c, "selects_short", "short", ledger);
    check_selects<std::int32_t>(c, "selects_int", "int", ledger);
    check_selects<std::int64_t>(c, "selects_long", "long", ledger);
    ledger.check_not_stale();
}
