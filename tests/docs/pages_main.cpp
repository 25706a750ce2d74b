// SPDX-License-Identifier: Apache-2.0
// Runs the code of the pages of docs/ on the default device: docs_pages [PART-OF-A-PAGE'S-NAME]
#include "page.hpp"

#include <cstdio>
#include <string_view>

namespace {

struct Block {
    std::string_view page;
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

int main(int argc, char** argv) {
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    int ran = 0;
    int failed = 0;
    for (const Block& block : blocks()) {
        if (block.run == nullptr || block.page.find(wanted) == std::string_view::npos) {
            continue;
        }
        ++ran;
        try {
            block.run();
        } catch (const std::exception& error) {
            ++failed;
            std::fprintf(stderr, "%s:%d: %s\n", block.page.data(), block.line, error.what());
        }
    }
    std::printf("%d blocks of code ran on %s, %d failed\n", ran, ferry::default_device().id().c_str(),
                failed);
    return ran > 0 && failed == 0 ? 0 : 1;
}
