// SPDX-License-Identifier: Apache-2.0
#include "translate_preprocess_fixture.hpp"

#include <thread>

namespace preprocess_threads_test {

using namespace ferry::translate;
using namespace ferry::translate::testing;

TEST_CASE("preprocess: many threads at once") {
    std::vector<std::thread> threads;
    std::vector<std::string> results(8);
    for (std::string& result : results) {
        threads.emplace_back([&result] {
            for (int i = 0; i < 50; ++i) {
                Files files;
                Diagnostics diagnostics;
                const std::uint32_t file =
                    files.add("t.cl", "#define f(x, ...) #x x##__LINE__ __COUNTER__\nf(a) f(b)");
                result = print(preprocess(files, file, {}, diagnostics));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const std::string& result : results) {
        CHECK(result == "\"a\" a__LINE__ 0 \"b\" b__LINE__ 1\n");
    }
}

} // namespace preprocess_threads_test
