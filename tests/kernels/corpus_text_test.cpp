// SPDX-License-Identifier: Apache-2.0
// Texts that reach each device's compiler in the same way, or are rejected before it.
#include "corpus.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>

using namespace kernels;

namespace {

/// Checks that the call throws an Error with that code and these parts in its message.
template <class F>
void expect_error(ferry::Code code, std::initializer_list<std::string_view> parts, F&& call) {
    try {
        call();
    } catch (const ferry::Error& error) {
        CHECK(error.code() == code);
        for (const std::string_view part : parts) {
            CHECK_MESSAGE(std::string_view(error.what()).find(part) != std::string_view::npos, part,
                          " is not in: ", error.what());
        }
        return;
    }
    FAIL_CHECK("no error where one was expected");
}

/// A temporary folder, removed at the end.
class Folder {
public:
    Folder() { std::filesystem::create_directories(path_); }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / ("ferry_text_" + std::to_string(getpid()) + "_" +
                                                  std::to_string(conformance::random_below(1'000'000'000)));
};

void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

int run(const ferry::Device& device, const ferry::Program& program, const char* kernel = "k") {
    ferry::Queue queue{device};
    ferry::Buffer<int> out{device, 1};
    queue.launch(program.kernel(kernel), {1, 1}, out);
    return queue.read(out)[0];
}

} // namespace

KERNEL_TEST("corpus: text: include directories may have any name") {
    const Folder folder;
    for (const std::string name :
         {"plain", "a b", "a'b", "a\"b", "a\\b", "a$HOME", "a;b",
          "a\xff"
          "b",
          "-I", "a\nb", "a,b", "a#b", "a(b", "a[b]", "a{b}", "a b\\", "a\tb", "a`b"}) {
        CAPTURE(name);
        const std::string directory = folder.path() + "/" + name;
        std::filesystem::create_directory(directory);
        const auto value = static_cast<int>(conformance::random_below(1'000'000));
        write(directory + "/f.h", "#include \"g h.h\"\n#define F " + std::to_string(value) + "\n");
        write(directory + "/g h.h", "#define G 4\n");
        const ferry::Program program(device,
                                     "#include \"f.h\"\n#include <g h.h>\n"
                                     "__kernel void k(__global int* a) { a[0] = F + G; }",
                                     {.include_directories = {directory}});
        CHECK(run(device, program) == value + 4);
    }
}

KERNEL_TEST("corpus: text: an error in a header of a folder with an odd name has the header's line") {
    const Folder folder;
    const std::string directory = folder.path() + "/a;b";
    std::filesystem::create_directory(directory);
    write(directory + "/f.h", "\nint f(int a) { return a + nothing; }\n");
    expect_error(ferry::Code::build_failed, {"f.h:2", "nothing"}, [&] {
        const ferry::Program program(device,
                                     "#include \"f.h\"\n__kernel void k(__global int* a) { a[0] = f(1); }",
                                     {.include_directories = {directory}});
    });
}

KERNEL_TEST("corpus: text: a macro may name a header, but not in a folder that drivers cannot be given") {
    const Folder folder;
    for (const std::string name : {"plain", "a;b"}) {
        const std::string directory = folder.path() + "/" + name;
        std::filesystem::create_directory(directory);
        write(directory + "/f.h", "#define F 7\n");
        const auto make = [&] {
            return ferry::Program(device,
                                  "#define HEADER \"f.h\"\n#include HEADER\n"
                                  "__kernel void k(__global int* a) { a[0] = F; }",
                                  {.include_directories = {directory}});
        };
        if (name == "plain" || device.backend() != ferry::Backend::opencl) {
            CHECK(run(device, make()) == 7);
        } else {
            expect_error(ferry::Code::build_failed, {"a macro names the file", "a;b", "';'"},
                         [&] { static_cast<void>(make()); });
        }
    }
}

KERNEL_TEST("corpus: text: a header is found beside the text") {
    const Folder folder;
    std::filesystem::create_directory(folder.path() + "/parts");
    write(folder.path() + "/parts/f.h", "#include \"g.h\"\n");
    write(folder.path() + "/parts/g.h", "#define F 5\n");
    const ferry::Program program(
        device,
        ferry::Source::opencl_c("#include \"parts/f.h\"\n__kernel void k(__global int* a) { a[0] = F; }",
                                folder.path() + "/k.cl"));
    CHECK(run(device, program) == 5);
}

KERNEL_TEST("corpus: text: recursion is refused before a compiler sees it") {
    const char* const itself = "int f(int n) {\n  return n > 0 ? n * f(n - 1) : 1;\n}\n"
                               "__kernel void k(__global int* a) { a[0] = f(a[0]); }";
    const char* const through_others = "int g(int n);\nint f(int n) { return n > 0 ? g(n - 1) : 1; }\n"
                                       "int g(int n) { return f(n) + 1; }\n"
                                       "__kernel void k(__global int* a) { a[0] = g(a[0]); }";
    for (const char* const text : {itself, through_others}) {
        expect_error(ferry::Code::build_failed, {"kernel.cl:", "calls itself", "has no recursion"},
                     [&] { const ferry::Program program(device, text); });
    }
    const ferry::Program none(device,
                              "struct s { int f; };\nint f(int n) { struct s x; x.f = n; return x.f; }\n"
                              "#define h(x) f(x)\nint g(int n) { return h(n) + f(n); }\n"
                              "__kernel void k(__global int* a) { a[0] = g(3); }");
    CHECK(run(device, none) == 6);
}

KERNEL_TEST("corpus: text: a kernel with an image is refused with its type") {
    const std::string text = "__kernel void picture(read_only image2d_t p, __global int* a) { a[0] = 1; }\n"
                             "__kernel void k(__global int* a) { a[0] = 3; }";
    const bool vulkan = device.backend() == ferry::Backend::vulkan;
    if (device.backend() != ferry::Backend::opencl && !vulkan) {
        expect_error(ferry::Code::build_failed, {"kernel.cl:1:", "no images"},
                     [&] { const ferry::Program program(device, text); });
        return;
    }
    const ferry::Program program(device, text); // the other kernel works
    CHECK(run(device, program) == 3);
    ferry::Buffer<int> out{device, 1};
    ferry::Queue queue{device};
    const char* const type = vulkan ? "images and samplers" : "image2d_t";
    expect_error(ferry::Code::unsupported, {"'picture'", type, "use a buffer"}, [&] {
        queue.launch(program.kernel("picture"), {1, 1}, out, out);
    });
}
