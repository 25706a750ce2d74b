// SPDX-License-Identifier: Apache-2.0
#include "fixture.hpp"

#include <ferry/ferry.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <numeric>
#include <stdexcept>

namespace isolation {
namespace {

namespace fs = std::filesystem;

std::string end_log; // for a process that logs the runs of its exit handler

int use_ferry(const std::string& argument) {
    if (argument == "ignores SIGCHLD") {
        std::signal(SIGCHLD, SIG_IGN);
    } else if (argument.starts_with("opens ")) {
        static_cast<void>(::dlopen(argument.c_str() + 6, RTLD_NOW | RTLD_LOCAL));
    } else if (argument.starts_with('/')) {
        end_log = argument;
        static_cast<void>(std::atexit([] { std::ofstream(end_log, std::ios::app) << "end\n"; }));
        std::cout << "not flushed yet, ";
    }
    for (const ferry::BackendReport& report : ferry::backends()) {
        std::cout << report.name << (report.available ? " is available\n" : " is not available\n");
        for (const ferry::BackendReason& reason : report.reasons) {
            std::cout << "  reason: " << reason.text << '\n';
        }
    }
    const ferry::Device host = ferry::find_device("host:0");
    std::vector<int> numbers(1013);
    std::iota(numbers.begin(), numbers.end(), 7);
    ferry::Queue queue(host);
    ferry::Buffer<int> buffer(host, numbers.size());
    queue.copy(numbers, buffer);
    if (queue.read(buffer) == numbers) {
        std::cout << "host works\n";
    }
    return sound_exit;
}

const char* const triple_text = "kernel void triple(global int* x) { x[get_global_id(0)] *= 3; }";

int compile_and_use(const std::string& backend) {
    ferry::CompileRequest request;
    request.backends = {*ferry::backend_from_name(backend)};
    for (const ferry::CompileResult& result :
         ferry::compile(ferry::Source::opencl_c(triple_text, "triple.cl"), request)) {
        std::cout << (result.available ? "compiler: " : "no compiler: ") << result.compiler << '\n';
    }
    return use_ferry({});
}

const support::ChildBody body("use", use_ferry);
const support::ChildBody compile_body("compile", compile_and_use);

std::string variable(const std::string& name) {
    const char* const value = std::getenv(name.c_str()); // NOLINT(concurrency-mt-unsafe)
    return value != nullptr ? value : "";
}

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

} // namespace

Folder::Folder() {
    path_ = (fs::temp_directory_path() / "ferry-isolation-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr) {
        throw std::runtime_error("no temporary folder could be made");
    }
}

Folder::~Folder() {
    std::error_code error;
    fs::remove_all(path_, error);
}

int Folder::opened() {
    std::ifstream in(log());
    const auto count = std::count(std::istreambuf_iterator<char>(in), {}, '\n');
    in.close();
    fs::remove(log());
    return static_cast<int>(count);
}

std::string library_of(const std::string& backend) {
    return variable("FERRY_TEST_EVIL_" + upper(backend));
}

std::string variable_of(const std::string& backend) {
    return "FERRY_" + upper(backend) + "_LIBRARY";
}

support::ChildResult use(const Folder& folder, const std::string& backend, const std::string& evil,
                         const Variables& more, const std::string& argument) {
    support::Child child;
    child.arguments = {"--child=use|" + argument};
    child.environment = {{"FERRY_BACKEND", backend + ",host"},    {variable_of(backend), library_of(backend)},
                         {"FERRY_CACHE_DIR", folder.cache()},     {"FERRY_DOUBLE_EVIL", evil},
                         {"FERRY_DOUBLE_EVIL_LOG", folder.log()}, {"FERRY_PROBE_LIMIT", "60000"}};
    for (const auto& change : more) {
        std::erase_if(child.environment, [&](const auto& one) { return one.first == change.first; });
        child.environment.push_back(change);
    }
    return support::run(child);
}

support::ChildResult compile(const Folder& folder, const std::string& backend, const std::string& evil,
                             const Variables& more) {
    support::Child child;
    child.arguments = {"--child=compile|" + backend};
    child.environment = {
        {"FERRY_BACKEND", "host"},
        {backend == "cuda" ? "FERRY_NVRTC_LIBRARY" : "FERRY_HIPRTC_LIBRARY", library_of(backend)},
        {"FERRY_CACHE_DIR", folder.cache()},
        {"FERRY_DOUBLE_EVIL", evil},
        {"FERRY_DOUBLE_EVIL_LOG", folder.log()},
        {"FERRY_PROBE_LIMIT", "60000"}};
    child.environment.insert(child.environment.end(), more.begin(), more.end());
    return support::run(child);
}

bool survived(const support::ChildResult& result) {
    return result.exited(sound_exit) && result.says("host works") && result.says("host is available");
}

} // namespace isolation
