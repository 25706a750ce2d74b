// SPDX-License-Identifier: Apache-2.0
#include "child/tool.hpp"
#include "trial_fixture.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace ferry;
using namespace ferry::detail;
using namespace trial_test;
namespace fs = std::filesystem;

namespace {

struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "ferry-trial-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path); }
};

std::string refusal(const std::string& tool) {
    setenv("FERRY_TOOL", tool.c_str(), 1);
    const child_run::Tool found = child_run::find_tool();
    CHECK(found.path.empty() == !found.why_not.empty());
    return found.why_not;
}

fs::path copy_of_tool(const Folder& folder) {
    const fs::path copy = folder.path / "ferry";
    fs::copy_file(FERRY_TRIAL_TOOL, copy, fs::copy_options::overwrite_existing);
    return copy;
}

} // namespace

TEST_CASE_FIXTURE(Fixture, "trial: a tool that is named is taken if it is one") {
    CHECK(refusal(FERRY_TRIAL_TOOL).empty());
    CHECK(child_run::find_tool().path == FERRY_TRIAL_TOOL);
    CHECK(refusal("off") == "FERRY_TOOL is off");
    CHECK(refusal("ferry").find("no absolute path") != std::string::npos);
    CHECK(refusal("/nowhere/ferry").find("'/nowhere/ferry' is no file") != std::string::npos);
    CHECK(refusal("/tmp").find("is no file") != std::string::npos);
    CHECK(refusal("/bin/sh").find("is not the ferry tool of version") != std::string::npos);
}

TEST_CASE_FIXTURE(
    Fixture,
    "trial: a tool that other users may write, that is not executable or has another version is rejected") {
    const Folder folder;
    const fs::path copy = copy_of_tool(folder);
    CHECK(refusal(copy.string()).empty());
    fs::permissions(copy, fs::perms::others_write, fs::perm_options::add);
    CHECK(refusal(copy.string()).find("may be written by everybody") != std::string::npos);
    fs::permissions(copy, fs::perms::owner_read, fs::perm_options::replace);
    CHECK(refusal(copy.string()).find("may not be read and run") != std::string::npos);
    fs::permissions(copy, fs::perms::owner_all, fs::perm_options::replace);

    std::ifstream in(copy, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    const std::string head = "ferry-litmus-tool 6 ";
    const std::size_t at = bytes.find(head + version());
    REQUIRE(at != std::string::npos);
    bytes.replace(at + head.size(), 1, "9");
    std::ofstream(copy, std::ios::binary) << bytes;
    CHECK(refusal(copy.string()).find("is not the ferry tool of version " + std::string(version())) !=
          std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "trial: this program, which contains the library but is no tool, is rejected") {
    CHECK(refusal(fs::read_symlink("/proc/self/exe").string()).find("is not the ferry tool") !=
          std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "trial: without a tool nothing is measured, and the facts say why") {
    setenv("FERRY_TOOL", "/nowhere/ferry", 1);
    for (const MemoryKind kind : {MemoryKind::host, MemoryKind::shared}) {
        const MemoryCapabilities said = device.capabilities(kind, Probe::declared);
        const MemoryCapabilities found = device.capabilities(kind, Probe::fresh);
        if (found.available) {
            CHECK(found.coherence.value == said.coherence.value);
            CHECK(found.coherence.confidence == said.coherence.confidence);
            CHECK_MESSAGE(found.coherence.source.find(
                              "; not measured: FERRY_TOOL: '/nowhere/ferry' is no file") != std::string::npos,
                          found.coherence.source);
        }
    }
    // A process with a tool ignores that result.
    unsetenv("FERRY_TOOL");
    setenv("FERRY_TOOL", FERRY_TRIAL_TOOL, 1);
    const MemoryCapabilities found = device.capabilities(MemoryKind::host, Probe::fresh);
    CHECK(found.coherence.source.find("/nowhere/ferry") == std::string::npos);
}
