// SPDX-License-Identifier: Apache-2.0
// A set-user-id copy of this program, started by a user whose environment points to that user's own code.
#include "../support/child.hpp"
#include "system/privilege.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

constexpr int has_no_more_rights = 3;
constexpr unsigned another_user = 65534;

std::string refusal(const char* backend, const ferry::Source& source) {
    try {
        ferry::configure({.backend = backend});
        const ferry::Program program(ferry::default_device(), source);
        return "built";
    } catch (const ferry::Error& error) {
        return error.what();
    }
}

const support::ChildBody compiles("as another user", [](const std::string& backend) {
    if (!ferry::detail::is_privileged()) {
        return has_no_more_rights;
    }
    const std::string text = "kernel void k(global int* a) { a[0] = " + std::to_string(getpid()) + "; }";
    std::puts(refusal(backend.c_str(), ferry::Source::opencl_c(text)).c_str());
    return 0;
});

/// A folder that other users can enter and in which set-user-id works. Removed at the end.
class Folder {
public:
    explicit Folder(const fs::path& in) : path_((in / "ferry-privileged-XXXXXX").string()) {
        REQUIRE(mkdtemp(path_.data()) != nullptr);
        fs::permissions(path_, fs::perms(0755));
        fs::copy_file("/proc/self/exe", program());
        fs::permissions(program(), fs::perms(04755));
        const std::string own = path_ + "/users";
        fs::create_directory(own);
        fs::permissions(own, fs::perms(0777));
        for (const char* const name : {"cc1plus", "as", "ld", "collect2", "c++", "g++", "clang++"}) {
            std::ofstream(own + '/' + name) << "#!/bin/sh\n: > " << mark() << "\nexit 1\n";
            fs::permissions(own + '/' + name, fs::perms(0755));
        }
        std::ofstream(own + "/libusers.so") << "no library";
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    std::string program() const { return path_ + "/program"; }
    std::string users() const { return path_ + "/users"; }
    std::string mark() const { return users() + "/ran"; }
    bool users_code_ran() const { return fs::exists(mark()); }

    support::ChildResult run(const std::string& backend) const {
        const std::string id = std::to_string(another_user);
        return support::run({.arguments = {"--reuid=" + id, "--regid=" + id, "--clear-groups", program(),
                                           "--child=as another user|" + backend},
                             .environment = {{"PATH", users() + ":/usr/bin:/bin"},
                                             {"COMPILER_PATH", users()},
                                             {"GCC_EXEC_PREFIX", users() + '/'},
                                             {"OCL_ICD_VENDORS", users() + "/libusers.so"},
                                             {"FERRY_HOST_COMPILER", users() + "/c++"}},
                             .program = "/usr/bin/setpriv"});
    }

private:
    std::string path_;
};

/// Returns nothing, with a message, if the test is impossible. It needs root and a folder that is not mounted
/// nosuid.
std::optional<support::ChildResult> run_privileged(const std::string& backend, bool& users_code_ran) {
    if (geteuid() != 0 || access("/usr/bin/setpriv", X_OK) != 0) {
        MESSAGE("not tested: a set-user-id copy takes root and /usr/bin/setpriv");
        return std::nullopt;
    }
    for (const fs::path& in : {fs::temp_directory_path(), fs::path("/var/tmp"), fs::path("/usr/local/lib")}) {
        const Folder folder(in);
        const support::ChildResult result = folder.run(backend);
        if (!result.exited(has_no_more_rights)) {
            users_code_ran = folder.users_code_ran();
            return result;
        }
    }
    MESSAGE("not tested: set-user-id programs get no rights in any of the folders");
    return std::nullopt;
}

} // namespace

TEST_CASE("privileged: a set-user-id program runs no compiler that its user's environment leads to") {
    bool users_code_ran = false;
    if (const auto result = run_privileged("host", users_code_ran)) {
        CHECK_MESSAGE(result->exited(0), result->describe());
        CHECK_FALSE(users_code_ran);
        for (const char* const word : {"more rights than its user", "set-user-id", "ferry_add_kernels"}) {
            CHECK_MESSAGE(result->says(word), result->describe());
        }
    }
}

TEST_CASE(
    "privileged: a set-user-id program does not open OpenCL if its user's environment names the drivers") {
    bool users_code_ran = false;
    if (const auto result = run_privileged("opencl", users_code_ran)) {
        CHECK_MESSAGE(result->exited(0), result->describe());
        CHECK_FALSE(users_code_ran);
        CHECK_MESSAGE(result->says("OCL_ICD_VENDORS is set, and this program runs with more rights"),
                      result->describe());
    }
}
