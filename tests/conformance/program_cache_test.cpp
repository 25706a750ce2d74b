// SPDX-License-Identifier: Apache-2.0
// OpenCL programs on disk. What CUDA, HIP and the host keep is tested in tests/unit and tests/stress.
#include "cache/entry.hpp"
#include "devices.hpp"
#include "random.hpp"

#include <ferry/cache.hpp>
#include <ferry/ferry.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

using namespace conformance;

namespace {

constexpr const char* text = "__kernel void value(__global uint* out, float unused, uint add) {\n"
                             "    out[0] = UNIQUE + add;\n}\n"
                             "__kernel void nothing(void) {}\n";

/// A program that no earlier run has built.
class Built {
public:
    explicit Built(const ferry::Device& device)
        : device_(device),
          unique_(static_cast<std::uint32_t>(random_below(1U << 30))),
          options_{.defines = {"UNIQUE=" + std::to_string(unique_) + "u"}} {}

    void check(const char* source = text) const {
        const ferry::Program program{device_, ferry::Source::opencl_c(source, "value.cl"), options_};
        const ferry::Kernel kernel = program.kernel("value");
        ferry::Queue queue{device_};
        ferry::Buffer<std::uint32_t> out{device_, 1};
        queue.launch(kernel, {1, 1}, out, 1.0F, std::uint32_t{5});
        CHECK(queue.read(out).at(0) == unique_ + 5);
        REQUIRE(kernel.parameters().size() == 3);
        CHECK(kernel.parameters()[0].kind == ferry::ParameterKind::buffer);
        CHECK(kernel.parameters()[1].name == "unused");
        CHECK(kernel.parameters()[2].type_name == "uint");
        CHECK_THROWS_AS(queue.launch(kernel, {1, 1}, out, 1.0F), ferry::Error);
        CHECK(program.kernel_names().size() == 2);
    }

    /// The file it is kept in.
    std::optional<std::string> file() const {
        const ferry::CacheReport report = ferry::cache_report();
        const std::string define = options_.defines[0];
        for (const ferry::CacheEntry& entry : report.entries) {
            const bool own = std::any_of(entry.fields.begin(), entry.fields.end(), [&](const auto& field) {
                return field.value.find(define) != std::string::npos;
            });
            if (own) {
                return report.directory + "/" + entry.file;
            }
        }
        return std::nullopt;
    }

    /// The same. Throws Error (unsupported) if it is in none.
    std::string kept() const {
        const std::optional<std::string> found = file();
        if (!found) {
            throw ferry::Error(ferry::Code::unsupported, device_.id() + " keeps programs itself.");
        }
        return *found;
    }

private:
    ferry::Device device_;
    std::uint32_t unique_;
    ferry::BuildOptions options_;
};

void require_opencl(const ferry::Device& device) {
    if (device.backend() != ferry::Backend::opencl) {
        throw ferry::Error(ferry::Code::unsupported, "Only OpenCL's programs are kept by their backend.");
    }
    const ferry::CacheReport report = ferry::cache_report();
    REQUIRE_MESSAGE(report.usable, report.note);
}

std::string read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// An intact entry with another value.
void replace(const std::string& file, const std::string& value) {
    const std::string bytes = read(file);
    const auto entry = ferry::cache::decode(bytes);
    REQUIRE(entry.has_value());
    std::ofstream(file, std::ios::binary) << ferry::cache::encode({entry->key, value});
}

std::string value_of(const std::string& file) {
    const std::string bytes = read(file);
    const auto entry = ferry::cache::decode(bytes);
    return entry ? std::string(entry->value) : std::string();
}

} // namespace

FERRY_TEST("program cache: an OpenCL program is kept with what it tells of its arguments") {
    require_opencl(device);
    const Built built{device};
    built.check();
    const std::string file = built.kept();
    const std::string value = value_of(file);
    CHECK(value.find("kernel\tvalue\n") != std::string::npos);
    CHECK(value.find("\tuint\tadd\n") != std::string::npos);
    const auto before = ferry::cache_report().statistics;
    built.check();
    const auto after = ferry::cache_report().statistics;
    CHECK(after.hits == before.hits + 1);
    if (value_of(file) == value) {
        CHECK(after.stores == before.stores);
    } else {
        MESSAGE(device.id(), " does not take its binaries back whole");
        CHECK(value_of(file) == "not taken back\n");
    }
}

FERRY_TEST("program cache: code that the driver refuses is built from its source, and marked") {
    require_opencl(device);
    for (const char* content :
         {"", "\n", "13\nkernel\tvalue\n", "99\nkernel\tvalue\n", "0\nno machine code"}) {
        const Built built{device};
        built.check();
        const std::string file = built.kept();
        replace(file, content);
        built.check();
        CHECK(value_of(file) == "not taken back\n");
        built.check();
        CHECK(value_of(file) == "not taken back\n");
    }
    // Code of another program is as bad, though the driver takes it.
    const Built built{device};
    built.check();
    const std::string file = built.kept();
    std::string value = value_of(file);
    value.replace(value.find("nothing"), 7, "another");
    replace(file, value);
    built.check();
    CHECK(value_of(file) == "not taken back\n");
}

FERRY_TEST("program cache: what the driver reads from files is not kept") {
    require_opencl(device);
    const Built built{device};
    built.check((std::string("#if 0\n  #  include \"nothing.h\"\n#endif\n") + text).c_str());
    CHECK(!built.file().has_value());
}
