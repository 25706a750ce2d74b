// SPDX-License-Identifier: Apache-2.0
// The cache of OpenCL programs and translations on disk. tests/unit and tests/stress test the rest of the
// cache.
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

namespace program_cache_test {

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

    /// The cache file of the program; if `form` is given, the file of that form.
    std::optional<std::string> file(std::string_view form = {}) const {
        const ferry::CacheReport report = ferry::cache_report();
        const std::string define = options_.defines[0];
        for (const ferry::CacheEntry& entry : report.entries) {
            const bool own = std::any_of(entry.fields.begin(), entry.fields.end(), [&](const auto& field) {
                return field.value.find(define) != std::string::npos ||
                       field.value.find(define.substr(define.find('=') + 1)) != std::string::npos;
            });
            const bool fits = std::any_of(entry.fields.begin(), entry.fields.end(), [&](const auto& field) {
                return form.empty() || (field.name == "form" && field.value == form);
            });
            if (own && fits) {
                return report.directory + "/" + entry.file;
            }
        }
        return std::nullopt;
    }

    /// The content of that file. Throws Error (unsupported) if there is none.
    std::string kept(std::string_view form = {}) const {
        const std::optional<std::string> found = file(form);
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

/// Replaces the entry by an intact one with another value.
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

FERRY_TEST("program cache: an OpenCL program is kept with the facts about its arguments") {
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
    // Code of another program must be rejected too, although the driver accepts it.
    const Built built{device};
    built.check();
    const std::string file = built.kept();
    std::string value = value_of(file);
    value.replace(value.find("nothing"), 7, "another");
    replace(file, value);
    built.check();
    CHECK(value_of(file) == "not taken back\n");
}

FERRY_TEST("program cache: a program with an #include for the driver is not kept") {
    require_opencl(device);
    const Built built{device};
    for (const char* const line : {"  #  include \"nothing.h\"", "/* a\n*/ #include \"nothing.h\"",
                                   "#inc\\\nlude \"nothing.h\"", "# /* b */ include \"nothing.h\""}) {
        CAPTURE(line);
        built.check((std::string("#if 0\n") + line + "\n#endif\n" + text).c_str());
        CHECK(!built.file().has_value());
    }
}

namespace {

void require_translator(const ferry::Device& device) {
    if (device.backend() == ferry::Backend::opencl) {
        throw ferry::Error(ferry::Code::unsupported, "OpenCL's programs are not translated.");
    }
}

} // namespace

FERRY_TEST("translation cache: one is kept, with the declarations of the text") {
    require_translator(device);
    const Built built{device};
    built.check();
    const std::string file = built.kept("translation");
    const std::string value = value_of(file);
    const auto before = ferry::cache_report().statistics;
    built.check();
    const auto after = ferry::cache_report().statistics;
    CHECK(after.hits > before.hits);
    CHECK(after.misses == before.misses);
    CHECK(after.stores == before.stores);
    CHECK(value_of(file) == value);
}

FERRY_TEST("translation cache: an entry that is not a translation is not used") {
    require_translator(device);
    const Built built{device};
    built.check();
    const std::string file = built.kept("translation");
    const std::string value = value_of(file);
    for (const std::string& content :
         {std::string(), std::string("no fields"), std::string("4:text,0:,"),
          value.substr(0, value.size() / 2), value + "4:more,1:1,", value + value}) {
        replace(file, content);
        built.check();
        CHECK(value_of(file) == value);
    }
}

FERRY_TEST("translation cache: errors of the translation name the user's lines each time") {
    require_translator(device);
    REQUIRE(ferry::cache_report().usable);
    const std::string faulty = "// " + std::to_string(random_below(1U << 30)) +
                               "\n__kernel void value(__global uint* out) {\n"
                               "    out[0] = 1;\n    out[1] = nobody_declared(this);\n}\n";
    const auto log = [&] {
        try {
            const ferry::Program program{device, ferry::Source::opencl_c(faulty, "faulty.cl")};
        } catch (const ferry::Error& error) {
            CHECK(error.code() == ferry::Code::build_failed);
            return std::string(error.what());
        }
        FAIL("it was compiled");
        return std::string();
    };
    const std::string first = log();
    const auto before = ferry::cache_report().statistics;
    CHECK(log() == first);
    CHECK(ferry::cache_report().statistics.hits == before.hits); // It is not stored.
    CHECK(first.find("faulty.cl:4:") != std::string::npos);
}

} // namespace program_cache_test
