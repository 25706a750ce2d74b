// SPDX-License-Identifier: Apache-2.0
// The null backend implements the contract: it opens, its empty queues work, and it refuses all other work
// with a sentence that names the request.
#include "null/null_backend.hpp"
#include "null/null_error.hpp"
#include "null/null_memory.hpp"
#include "null/null_program.hpp"

#include <cctype>
#include <functional>
#include <random>
#include <string>

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

namespace {

using ferry::Code;
using ferry::Error;
using ferry::MemoryKind;
namespace backend = ferry::backend;

struct Opened {
    std::vector<ferry::BackendReason> reasons;
    std::unique_ptr<backend::Driver> driver = ferry::null::open({}, reasons);
    std::vector<std::unique_ptr<backend::Device>> devices = driver->devices();
    backend::Device& device() { return *devices.front(); }
};

void check_refused(const std::function<void()>& call, const std::string& named) {
    INFO(named);
    try {
        call();
        FAIL("it was accepted");
    } catch (const Error& error) {
        const std::string text = error.what();
        CHECK(error.code() == Code::unsupported);
        CHECK(error.vendor() == nullptr);
        CHECK(text.find(named) != std::string::npos);
        CHECK(std::isupper(static_cast<unsigned char>(text.front())) != 0);
        CHECK(text.find(" is not supported by ") != std::string::npos);
    }
}

std::size_t random_size() {
    static std::mt19937_64 generator{std::random_device{}()};
    return generator() % 1'000'003 + 1;
}

} // namespace

TEST_CASE("it opens without a reason against it, and lists one device") {
    Opened opened;
    CHECK(opened.reasons.empty());
    REQUIRE(opened.devices.size() == 1);
    CHECK(opened.device().info().index == 0);
    CHECK(opened.device().info().name == "null");
    CHECK_FALSE(opened.driver->library().empty());
}

TEST_CASE("it refuses memory of each kind, and its facts give a reason") {
    Opened opened;
    for (const MemoryKind kind :
         {MemoryKind::device, MemoryKind::host, MemoryKind::shared, MemoryKind::imported}) {
        const ferry::MemoryCapabilities facts = opened.device().memory_facts(kind);
        CHECK_FALSE(facts.available);
        CHECK(facts.why_not.find(ferry::to_string(kind)) != std::string::npos);
        CHECK(facts.why_not.back() == '.');
        const std::size_t bytes = random_size();
        check_refused([&] { opened.device().allocate(kind, bytes); },
                      std::to_string(bytes) + " bytes of memory of kind " +
                          std::string(ferry::to_string(kind)));
    }
    const std::size_t bytes = random_size();
    check_refused([&] { opened.device().wrap({4096}, bytes, backend::Ownership::borrowed); },
                  std::to_string(bytes) + " bytes");
    std::string why;
    CHECK(opened.device().import_memory(&why, sizeof why, true, why) == nullptr);
    CHECK_FALSE(why.empty());
}

TEST_CASE("its queues refuse commands, and empty ones are done") {
    Opened opened;
    const auto queue = opened.device().create_queue({});
    const auto event = opened.device().create_event(true);
    ferry::null::NullMemory memory(4096);
    ferry::null::NullKernel kernel("saxpy");
    const std::size_t bytes = random_size();
    const std::string size = std::to_string(bytes) + " bytes";
    char host = 0;
    check_refused([&] { queue->write(&host, {&memory, 0}, bytes); }, size);
    check_refused([&] { queue->read({&memory, 0}, &host, bytes); }, size);
    check_refused([&] { queue->copy({&memory, 0}, {&memory, bytes}, bytes); }, size);
    check_refused([&] { queue->fill({&memory, 0}, bytes, &host, 1); }, size);
    check_refused([&] { queue->map({&memory, 0}, bytes, ferry::Map::read); }, size);
    check_refused([&] { queue->launch(kernel, {}, {}); }, "saxpy");
    CHECK(queue->can_wait(*event));
    queue->record(*event);
    queue->wait(*event);
    CHECK(event->ready());
    event->wait();
    queue->flush();
    queue->finish();
    CHECK(queue->idle());
}

TEST_CASE("no source fits, and a build is refused") {
    Opened opened;
    const auto source = ferry::Source::opencl_c("kernel void nothing() {}");
    const backend::Fit fit = opened.device().fit(source);
    CHECK(fit.rank == backend::rank::none);
    CHECK_FALSE(fit.why.empty());
    check_refused([&] { opened.device().build(source, {}, nullptr); }, "OpenCL C");
    ferry::null::NullProgram program;
    CHECK(program.kernel("nothing") == nullptr);
    CHECK(program.log().empty());
}

TEST_CASE("the error of a vendor call has the call and its number") {
    const Error error = ferry::null::vendor_error(Code::internal, "nullCall", -7, "The queue");
    REQUIRE(error.vendor() != nullptr);
    CHECK(error.vendor()->call == "nullCall");
    CHECK(error.vendor()->code == -7);
    CHECK(std::string(error.what()).find("The queue: nullCall returned -7") != std::string::npos);
}
