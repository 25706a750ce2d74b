// SPDX-License-Identifier: Apache-2.0
#include "../support/child.hpp"
#include "../support/child_signal.hpp"
#include "host/host_compiler.hpp"
#include "translate/translate.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace host_compiler_run_test {
namespace {

ferry::translate::Translation text(const std::string& code) {
    ferry::translate::Translation translation;
    translation.text = code;
    return translation;
}

std::string refusal(const std::string& code) {
    try {
        static_cast<void>(ferry::host::Compiler::get().build(text(code), {}));
    } catch (const ferry::Error& error) {
        return error.what();
    }
    return {};
}

// The compiler writes the beginning of a library and is killed.
const support::ChildBody half("half a library", [](const std::string& mode) {
    const child_signal::Treated treated(mode);
    std::puts(refusal("int x;").c_str());
    return 0;
});

} // namespace

TEST_CASE("host: kernels compile however the program treats SIGCHLD") {
    std::random_device random;
    for (const std::string mode : child_signal::modes) {
        CAPTURE(mode);
        const child_signal::Treated treated(mode);
        const int number = static_cast<int>(random() % 1'000'000);
        const ferry::Device device = ferry::find_device("host:0");
        const ferry::Program program(device, "kernel void k(global int* a) { a[get_global_id(0)] = " +
                                                 std::to_string(number) + " + (int)get_local_id(0); }");
        ferry::Buffer<int> out(device, 37);
        ferry::Queue queue(device);
        queue.launch(program.kernel("k"), {.groups = {1}, .local = {37}}, out);
        CHECK(queue.read(out)[36] == number + 36);
    }
}

TEST_CASE("host: a compiler's refusal is reported however the program treats SIGCHLD") {
    for (const std::string mode : child_signal::modes) {
        CAPTURE(mode);
        const child_signal::Treated treated(mode);
        const std::string said = refusal("int f() { return not_declared_here; }");
        CHECK_MESSAGE(said.find("not_declared_here") != std::string::npos, said);
        const bool known = said.find("ended with status 1") != std::string::npos;
        CHECK_MESSAGE((known ? !treated.loses_status() : !treated.keeps_status()), said);
    }
}

TEST_CASE("host: half a library of a compiler that was killed is not loaded, whatever SIGCHLD does") {
    const std::string compiler =
        std::filesystem::temp_directory_path() / ("ferry-half-" + std::to_string(std::random_device()()));
    std::ofstream(compiler) << "#!/bin/sh\n"
                               "while [ \"$1\" != -o ]; do shift; done\n"
                               "head -c 4000 /bin/sh > \"$2\"\n"
                               "kill -9 $$\n";
    std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
    for (const std::string mode : child_signal::modes) {
        const support::ChildResult result =
            support::run({.arguments = {"--child=half a library|" + mode},
                          .environment = {{"FERRY_HOST_COMPILER", compiler}}});
        CHECK_MESSAGE(result.exited(0), result.describe());
        CHECK_MESSAGE(result.says("left an incomplete library"), result.describe());
        const child_signal::Treated treated(mode);
        CHECK_MESSAGE(
            (result.says("was ended by signal 9") ? !treated.loses_status() : !treated.keeps_status()),
            result.describe());
    }
    std::filesystem::remove(compiler);
}

} // namespace host_compiler_run_test
