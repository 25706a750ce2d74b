// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace program_test {

using namespace conformance;
using ferry::Code;
using ferry::Language;
using ferry::Source;

namespace {

/// One program with the variants `opencl` and `cuda_hip`, and no functions for the host backend.
std::vector<Source> texts(const std::string& opencl, const std::string& cuda_hip) {
    std::vector<Source> result = Source::cuda_and_hip(cuda_hip, "test.cu");
    result.push_back(Source::opencl_c(opencl, "test.cl"));
    return result;
}

std::vector<Source> value_sources() {
    return texts("__kernel void value(__global uint* out) { out[0] = VALUE; }",
                 "extern \"C\" __global__ void value(unsigned int* out) { out[0] = VALUE; }");
}

std::uint32_t run_value(const ferry::Device& device, const ferry::Program& program) {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, 1};
    queue.launch(program.kernel("value"), {1, 1}, out);
    return queue.read(out).at(0);
}

/// A temporary folder, removed at the end of the scope, also after an exception.
class Folder {
public:
    explicit Folder(const std::string& name)
        : path_(std::filesystem::temp_directory_path() / (name + std::to_string(getpid()))) {
        std::filesystem::create_directory(path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

void check_include(const ferry::Device& device, const std::string& name) {
    const Folder folder(name);
    std::ofstream(folder.path() / "value.h") << "#define VALUE 1234\n";
    const std::string include = "#include \"value.h\"\n";
    std::vector<Source> sources;
    for (const Source& source : value_sources()) {
        const std::string text = include + source.contents();
        sources.push_back(source.language() == Language::cuda  ? Source::cuda(text)
                          : source.language() == Language::hip ? Source::hip(text)
                                                               : Source::opencl_c(text));
    }
    const ferry::Program program{device, sources, {.include_directories = {folder.path().string()}}};
    CHECK(run_value(device, program) == 1234);
}

Source binary_source(const ferry::Program& program) {
    const std::vector<std::byte> bytes = program.binary();
    const ferry::Device device = program.device();
    const ferry::DeviceInfo& info = device.info();
    switch (info.backend) {
    case ferry::Backend::cuda:
        return Source::cubin(bytes, info.architecture);
    case ferry::Backend::hip:
        return Source::code_object(bytes, info.architecture);
    case ferry::Backend::vulkan:
        return Source::spirv(bytes);
    default:
        return Source::opencl_binary(bytes, info.name);
    }
}

} // namespace

FERRY_TEST("program: the variant in the device's language is taken, and it is said which") {
    const ferry::Program& built = program(device);
    CHECK(built.device() == device);
    const Language wanted =
        device.backend() == ferry::Backend::cuda  ? Language::cuda
        : device.backend() == ferry::Backend::hip ? Language::hip
        : device.backend() == ferry::Backend::opencl || device.backend() == ferry::Backend::vulkan
            ? Language::opencl_c
            : Language::host;
    CHECK(built.language() == wanted);
    for (const Language language : {Language::cuda, Language::hip, Language::opencl_c, Language::host}) {
        INFO("explain(): ", built.explain());
        CHECK(built.explain().find(ferry::to_string(language)) != std::string::npos);
    }
}

FERRY_TEST("program: its kernels have their names and can be asked for again") {
    const ferry::Program& built = program(device);
    const ferry::Kernel kernel = built.kernel("saxpy");
    CHECK(kernel.name() == "saxpy");
    CHECK(kernel.device() == device);
    CHECK(kernel.info().name == "saxpy");
    CHECK(built.kernel("saxpy").name() == "saxpy");
    const std::vector<std::string> names = built.kernel_names();
    if (!names.empty()) {
        CHECK(names.size() == 17);
        CHECK(std::find(names.begin(), names.end(), "two_locals") != names.end());
    }
}

FERRY_TEST("program: names are the text's own, whatever they begin with") {
    const ferry::Program built{
        device,
        texts(
            "__kernel void _cl_hello(__global uint* out, uint _cl_value, uint mix) { out[0] = _cl_value ^ "
            "mix; }",
            "extern \"C\" __global__ void _cl_hello(unsigned int* out, unsigned int _cl_value, unsigned int "
            "mix) { out[0] = _cl_value ^ mix; }")};
    const ferry::Kernel kernel = built.kernel("_cl_hello");
    CHECK(kernel.info().name == "_cl_hello");
    if (const std::vector<std::string> names = built.kernel_names(); !names.empty()) {
        CHECK(names == std::vector<std::string>{"_cl_hello"});
    }
    if (kernel.info().parameters_known && !kernel.info().parameters.at(0).name.empty()) {
        CHECK(kernel.info().parameters.at(1).name == "_cl_value");
        CHECK(kernel.info().parameters.at(2).name == "mix");
    }
    expect_error(Code::not_found, {"hello"}, [&] { (void)built.kernel("hello"); });
    const auto values = random_values<std::uint32_t>(2);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, 1};
    queue.launch(kernel, {1, 1}, out, values[0], values[1]);
    CHECK(queue.read(out).at(0) == (values[0] ^ values[1]));
}

FERRY_TEST("program: a kernel that is not there, near names are suggested") {
    const Unchanged unchanged{device};
    const ferry::Program& built = program(device);
    if (built.kernel_names().empty()) {
        expect_error(Code::not_found, {"saxpi"}, [&] { (void)built.kernel("saxpi"); });
    } else {
        expect_error(Code::not_found, {"saxpi", "saxpy"}, [&] { (void)built.kernel("saxpi"); });
        expect_error(Code::not_found, {"SAXPY", "saxpy"}, [&] { (void)built.kernel("SAXPY"); });
        expect_error(Code::not_found, {"reverse_group", "reverse_groups"},
                     [&] { (void)built.kernel("reverse_group"); });
    }
    expect_error(Code::not_found, {}, [&] { (void)built.kernel(""); });
    expect_error(Code::not_found, {}, [&] { (void)built.kernel("\n\"; \\"); });
}

FERRY_TEST("program: build errors come with the compiler's words") {
    const Unchanged unchanged{device};
    const auto broken = texts("__kernel void broken(__global int* x) { x[0] = no_such_thing; }",
                              "extern \"C\" __global__ void broken(int* x) { x[0] = no_such_thing; }");
    const ferry::Error error = expect_error(Code::build_failed, {"no_such_thing", device.id()},
                                            [&] { const ferry::Program built(device, broken); });
    CHECK(error.log().find("no_such_thing") != std::string::npos);
    const auto nonsense = texts("this is no code", "this is no code");
    expect_error(Code::build_failed, {}, [&] { const ferry::Program built(device, nonsense); });
}

FERRY_TEST("program: build options and defines reach the compiler") {
    CHECK(run_value(device, ferry::Program{device, value_sources(), {.defines = {"VALUE=41"}}}) == 41);
    CHECK(run_value(device, ferry::Program{
                                device, value_sources(), {.defines = {"SPACED", "VALUE=(20 + 3)"}}}) == 23);
    const std::string option = "-DVALUE=77";
    CHECK(run_value(device, ferry::Program{device,
                                           value_sources(),
                                           {.opencl = option, .cuda = option, .hip = option}}) == 77);
    expect_error(Code::build_failed, {"VALUE"}, [&] { const ferry::Program built(device, value_sources()); });
}

FERRY_TEST("program: build with include directories") {
    check_include(device, "ferry_include_");
}
FERRY_TEST("program: build with include directories that have blanks in their names") {
    check_include(device, "ferry include ");
}

FERRY_TEST("program: headers in memory, which include one another and come before files") {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("ferry_headers_" + std::to_string(getpid()));
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "value.h") << "#define VALUE 1\n";
    std::ofstream(folder / "file.h") << "#define FROM_FILE 4000\n";
    const ferry::BuildOptions options{
        .include_directories = {folder.string()},
        .headers = {{"value.h",
                     "#ifndef VALUE_H\n#define VALUE_H\n#include \"sums/sum.h\"\n#include <file.h>\n"
                     "#define VALUE SUM(30, 4) + FROM_FILE\n#endif\n"},
                    {"sums/sum.h", "#pragma once\n#include \"value.h\"\n#include \"sums/more.h\"\n"},
                    {"sums/more.h", "#define SUM(a, b) ((a) + (b) + 200)\n"}}};
    std::vector<Source> sources;
    for (const Source& source : value_sources()) {
        const std::string text = "#include \"value.h\"\n#include <sums/sum.h>\n" + source.contents();
        sources.push_back(source.language() == Language::cuda  ? Source::cuda(text)
                          : source.language() == Language::hip ? Source::hip(text)
                                                               : Source::opencl_c(text));
    }
    CHECK(run_value(device, ferry::Program{device, sources, options}) == 4234);
    CHECK(run_value(device, ferry::Program{device, sources.back(), options}) == 4234);
    // A different text under the same name is a different program.
    ferry::BuildOptions changed = options;
    changed.headers["sums/more.h"] = "#define SUM(a, b) ((a) + (b) + 300)\n";
    CHECK(run_value(device, ferry::Program{device, sources.back(), changed}) == 4334);
    changed.headers.erase("sums/more.h");
    expect_error(Code::build_failed, {"sums/more.h"},
                 [&] { const ferry::Program built(device, sources.back(), changed); });
    std::filesystem::remove_all(folder);
}

FERRY_TEST("program: binary, built again from its own machine code") {
    const ferry::Program first{device, value_sources(), {.defines = {"VALUE=9"}}};
    const Source binary = binary_source(first);
    CHECK_FALSE(binary.contents().empty());
    const ferry::Program second{device, binary};
    CHECK(second.language() == binary.language());
    CHECK(run_value(device, second) == 9);
    std::vector<Source> both = value_sources();
    both.push_back(binary);
    const ferry::Program third{device, both}; // the source alone would not build without VALUE
    CHECK(third.language() == binary.language());
    CHECK(run_value(device, third) == 9);
}

FERRY_TEST("program: binary that is broken is refused") {
    const Unchanged unchanged{device};
    const ferry::Program good{device, value_sources(), {.defines = {"VALUE=9"}}};
    const std::vector<std::byte> bytes = good.binary();
    const auto garbage = random_values<std::byte>(300);
    const std::vector<std::vector<std::byte>> all{
        garbage,
        {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2)},
        {std::byte{0}}};
    const std::string& name = device.info().name;
    const std::string& architecture = device.info().architecture;
    for (const auto& bad : all) {
        const Source source = device.backend() == ferry::Backend::cuda ? Source::cubin(bad, architecture)
                              : device.backend() == ferry::Backend::hip
                                  ? Source::code_object(bad, architecture)
                              : device.backend() == ferry::Backend::vulkan ? Source::spirv(bad)
                                                                           : Source::opencl_binary(bad, name);
        bool refused = false;
        try {
            const ferry::Program built(device, source);
        } catch (const ferry::Error& error) {
            // Either not recognised as a binary, or recognised but not built.
            refused = error.code() == Code::build_failed || error.code() == Code::unsupported;
            CHECK(std::string(error.what()).find(device.id()) != std::string::npos);
        }
        CHECK(refused);
    }
}

FERRY_TEST("program: no variant that fits, every one is explained") {
    const Unchanged unchanged{device};
    std::vector<Source> foreign;
    for (const Source& source : sources()) {
        // OpenCL C is not foreign, because every device with a compiler accepts it.
        if (source.language() != program(device).language() && source.language() != Language::opencl_c) {
            foreign.push_back(source);
        }
    }
    const ferry::Error error =
        expect_error(Code::unsupported, {device.id()}, [&] { const ferry::Program built(device, foreign); });
    for (const Source& source : foreign) {
        const std::string language(ferry::to_string(source.language()));
        CHECK_MESSAGE(std::string(error.what()).find(language) != std::string::npos, language,
                      " is not in: ", std::string(error.what()));
    }
    expect_error(Code::invalid_argument, {},
                 [&] { const ferry::Program built(device, std::vector<Source>{}); });
}

FERRY_TEST("program: a kernel keeps its program alive") {
    ferry::Kernel kernel;
    {
        const ferry::Program own{device, sources()};
        kernel = own.kernel("iota");
    }
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, 10};
    queue.launch(kernel, {1, 10}, out, 10U, 3U);
    kernel = {};
    check_same(queue.read(out), std::vector<std::uint32_t>{3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
}

TEST_CASE("program: the empty program and the empty kernel refuse every question") {
    const ferry::Program none;
    CHECK_FALSE(none);
    expect_error(Code::invalid_state, {}, [&] { (void)none.kernel("x"); });
    expect_error(Code::invalid_state, {}, [&] { (void)none.kernel_names(); });
    expect_error(Code::invalid_state, {}, [&] { (void)none.device(); });
    expect_error(Code::invalid_state, {}, [&] { (void)none.language(); });
    expect_error(Code::invalid_state, {}, [&] { (void)none.explain(); });
    expect_error(Code::invalid_state, {}, [&] { (void)none.binary(); });
    const ferry::Kernel kernel;
    CHECK_FALSE(kernel);
    expect_error(Code::invalid_state, {}, [&] { (void)kernel.name(); });
    expect_error(Code::invalid_state, {}, [&] { (void)kernel.info(); });
    expect_error(Code::invalid_state, {}, [&] { (void)kernel.device(); });
}

} // namespace program_test
