// SPDX-License-Identifier: Apache-2.0
// Kernels of the host device for a debugger.
#include "emit_cpp/emit.hpp"
#include "host/host_debug.hpp"
#include "system/temporary_folder.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace host_debug_test {
namespace {

constexpr const char* kernel = R"(#include "twice.h"
kernel void debugged(global float* data, float factor, uint count) {
    local float shared[64];
    uint i = get_global_id(0);
    float old = i < count ? data[i] : 0.0f;
    shared[get_local_id(0)] = old;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < count) {
        data[i] = shared[get_local_id(0)] * factor + twice(old);
    }
}
)";
constexpr const char* header = "float twice(float v) {\n    return 2 * v;\n}\n";

} // namespace

TEST_CASE("host: kernels for a debugger compute the same") {
    for (const std::uint32_t n : {1U, 127U, 1000U}) {
        const ferry::Device device = ferry::find_device("host");
        ferry::BuildOptions options;
        options.headers = {{"twice.h", header}};
        options.opencl = "-g";
        const ferry::Program program(device, ferry::Source::opencl_c(kernel, "debugged.cl"), options);
        std::minstd_rand random(std::random_device{}());
        std::vector<float> values(n);
        for (float& value : values) {
            value = static_cast<float>(random() % 1000) / 8;
        }
        ferry::Queue queue(device);
        ferry::Buffer<float> data(device, n);
        queue.copy(values, data);
        queue.launch(program.kernel("debugged"), ferry::Grid::covering(n, 64), data, 2.5F, n);
        const std::vector<float> seen = queue.read(data);
        for (std::size_t i = 0; i < n; ++i) {
            REQUIRE(seen[i] == values[i] * 4.5F); // Exact: few bits.
        }
    }
}

TEST_CASE("host: the lines of kernels for a debugger are those of the user's files") {
    const ferry::detail::TemporaryFolder folder(ferry::detail::TemporaryKind::build);
    const std::string on_disk = folder.path() + "/on disk.cl";
    std::ofstream(on_disk) << kernel;
    for (const std::string& name : {std::string("../not \"on\" disk.cl"), on_disk, std::string("a\nb")}) {
        CAPTURE(name);
        ferry::translate::Request request;
        request.name = name;
        request.text = kernel;
        request.preprocess.headers = {{"twice.h", header}};
        const ferry::translate::Translation translation = ferry::emit_cpp::translate(request);
        REQUIRE(translation.error.empty());
        const ferry::detail::TemporaryFolder place(ferry::detail::TemporaryKind::build);
        std::istringstream lines(ferry::host::with_source_lines(translation, place.path()));
        std::set<std::string> files;
        std::set<std::string> statements;
        std::size_t plain = 0;
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string word;
            std::size_t number = 0;
            if (!(words >> word) || word != "#line" || !(words >> number)) {
                ++plain;
                continue;
            }
            std::getline(words >> std::ws, word);
            std::string path;
            for (std::size_t i = 1; i + 1 < word.size(); ++i) {
                path += word[i += word[i] == '\\' ? 1 : 0];
            }
            CHECK((path == on_disk || path.starts_with(place.path())));
            std::ifstream text(path);
            for (std::size_t i = 0; i < number; ++i) {
                REQUIRE(std::getline(text, line));
            }
            files.insert(path);
            statements.insert(line);
        }
        CHECK(files.size() == 2);
        CHECK(files.contains(on_disk) == (name == on_disk));
        CHECK(statements.contains("    uint i = get_global_id(0);"));
        CHECK(statements.contains("    return 2 * v;"));
        CHECK(plain + 1 >= translation.lines.size());
    }
}

} // namespace host_debug_test
