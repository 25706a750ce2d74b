// SPDX-License-Identifier: Apache-2.0
#include "corpus.hpp"
#include "subgroups.cl.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

using namespace kernels;
using ferry::Grid;

namespace {

constexpr std::size_t places = 8;
constexpr std::size_t results = 20;

/// The position of a work-item, as it reports it.
struct Place {
    std::uint32_t max, count, id, size, lane, group;
};

Place place_of(const std::vector<std::uint32_t>& where, std::size_t i) {
    const std::uint32_t* const w = where.data() + places * i;
    return {w[1], w[2], w[3], w[4], w[5], w[6]};
}

// The work-items of a sub-group in the order of their lanes, with values `v`.
void check_sub_group(const std::vector<int>& v, std::size_t lane, const int* seen, float before) {
    std::vector<int> wanted(results, 0);
    const auto begin = v.begin();
    const auto here = begin + static_cast<std::ptrdiff_t>(lane);
    const auto sum = [](auto first, auto last) {
        return static_cast<int>(std::accumulate(first, last, std::int64_t{0}));
    };
    const auto low = [](auto first, auto last) {
        return first == last ? std::numeric_limits<int>::max() : *std::min_element(first, last);
    };
    const auto high = [](auto first, auto last) {
        return first == last ? std::numeric_limits<int>::min() : *std::max_element(first, last);
    };
    wanted[0] = v[v.size() - 1 - lane];
    wanted[1] = v[lane];
    wanted[2] = lane > 0 ? v[lane - 1] : seen[2];
    wanted[3] = lane + 1 < v.size() ? v[lane + 1] : seen[3];
    wanted[4] = v[0];
    wanted[5] = std::count(v.begin(), v.end(), 77) != 0 ? 1 : 0;
    wanted[6] = 1 - wanted[5];
    wanted[7] = sum(begin, v.end());
    wanted[8] = low(begin, v.end());
    wanted[9] = high(begin, v.end());
    wanted[10] = sum(begin, here + 1);
    wanted[11] = low(begin, here + 1);
    wanted[12] = high(begin, here + 1);
    wanted[13] = sum(begin, here);
    wanted[14] = low(begin, here);
    wanted[15] = high(begin, here);
    wanted[16] = static_cast<int>(*std::max_element(v.begin(), v.end(), [](int a, int b) {
        return static_cast<unsigned>(a) < static_cast<unsigned>(b);
    }));
    wanted[17] = wanted[7];
    wanted[18] = v[0] & 0xffff;
    wanted[19] = (lane ^ 1) < v.size() ? v[lane ^ 1] : seen[19];
    for (std::size_t k = 0; k < results; ++k) {
        CHECK_MESSAGE(seen[k] == wanted[k], "result ", k, " of lane ", lane, " of ", v.size(), " is ",
                      seen[k], " where ", wanted[k], " was expected");
    }
    float most = -std::numeric_limits<float>::infinity();
    std::for_each(begin, here, [&](int x) { most = std::max(most, static_cast<float>(x & 0xffff)); });
    CHECK(before == most);
}

} // namespace

KERNEL_TEST("corpus: sub-groups, where the device has them") {
    Corpus c(device, subgroups_cl);
    for (const Grid& grid : {Grid{3, 64}, Grid{2, 50}, Grid{{2, 1, 2}, {8, 5, 3}}, Grid{4, 1}}) {
        const std::size_t items =
            grid.groups.x * grid.groups.y * grid.groups.z * grid.local.x * grid.local.y * grid.local.z;
        std::vector<int> values = integers_below<int>(items, 200);
        std::transform(values.begin(), values.end(), values.begin(), [](int v) { return v - 90; });
        auto in = c.in(values);
        auto where = c.out<std::uint32_t>(places * items);
        auto out = c.out<int>(results * items);
        auto sums = c.out<float>(items);
        c.run("subgroups", grid, in, where, out, sums);
        const auto w = c.read(where);
        const auto o = c.read(out);
        const auto s = c.read(sums);
        if (w[0] == 0) {
            CHECK(device.backend() == ferry::Backend::opencl);
            MESSAGE(device.id(), " has no sub-groups");
            return;
        }
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<std::uint32_t, std::size_t>> sub_groups;
        for (std::size_t i = 0; i < items; ++i) {
            const Place p = place_of(w, i);
            CHECK(p.size <= p.max);
            CHECK(p.id < p.count);
            CHECK(sub_groups[{p.group, p.id}].emplace(p.lane, i).second);
        }
        CHECK(sub_groups.size() == grid.groups.x * grid.groups.y * grid.groups.z * place_of(w, 0).count);
        for (const auto& [key, lanes] : sub_groups) {
            static_cast<void>(key);
            std::vector<int> v;
            for (const auto& [lane, i] : lanes) {
                CHECK(lane == v.size());
                CHECK(place_of(w, i).size == lanes.size());
                v.push_back(values[i]);
            }
            for (const auto& [lane, i] : lanes) {
                check_sub_group(v, lane, o.data() + results * i, s[i]);
            }
        }
    }
}
