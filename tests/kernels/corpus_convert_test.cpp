// SPDX-License-Identifier: Apache-2.0
#include "corpus.hpp"
#include "saturate.cl.hpp"

#include <algorithm>
#include <limits>

using namespace kernels;

// The standard only recommends this. Ferry's documentation guarantees it if Ferry translates the text.
KERNEL_TEST("corpus: NaN converted with saturation is 0 where the text is translated") {
    Corpus c(device, saturate_cl);
    auto in = c.in(std::vector<float>{std::numeric_limits<float>::quiet_NaN()});
    auto out = c.out<int>(8);
    c.run("saturate", {1, 1}, in, out);
    const std::vector<int> seen = c.read(out);
    if (device.backend() == ferry::Backend::opencl) {
        MESSAGE(device.id(), ": 0 for ", std::count(seen.begin(), seen.end(), 1), " of 8 types");
        return;
    }
    check_equal(seen, std::vector<int>(8, 1));
}
