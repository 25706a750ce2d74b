// SPDX-License-Identifier: Apache-2.0
// Runs the code of a page, in a test program of a library that works together with Ferry.
#include "page.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace {

struct Block {
    const char* page;
    int line;
    void (*run)();
};

std::vector<Block>& blocks() {
    static std::vector<Block> all;
    return all;
}

} // namespace

docs::Registration::Registration(const char* page, int line, void (*run)(), void (* /*compiled*/)()) {
    blocks().push_back({page, line, run});
}

TEST_CASE("page: the code of the page works as described") {
    CHECK_FALSE(blocks().empty());
    for (const Block& block : blocks()) {
        if (block.run != nullptr) {
            INFO(block.page, ":", block.line);
            CHECK_NOTHROW(block.run());
        }
    }
}
