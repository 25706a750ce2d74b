// SPDX-License-Identifier: Apache-2.0
#include <ferry/error.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

using ferry::Code;
using ferry::Error;

TEST_CASE("error class: it says what it was given") {
    const Error error(Code::out_of_range, "Element 7 of 5.");
    CHECK(error.code() == Code::out_of_range);
    CHECK(std::string(error.what()) == "Element 7 of 5.");
    CHECK(error.vendor() == nullptr);
    CHECK(error.log().empty());
    CHECK(std::string(error.where().file_name()).find("error_class_test.cpp") != std::string::npos);
    CHECK(error.where().line() == 14);
}

TEST_CASE("error class: a zero byte does not end the message") {
    using namespace std::string_literals;
    const Error error(Code::not_found, "No 'a\0b\0\0'."s);
    CHECK(std::string(error.what()) == R"(No 'a\0b\0\0'.)");
    CHECK(std::string(error.with_message("\0, again."s).what()) == R"(\0, again.)");
    const Error vendors(Code::internal, "\0"s, {ferry::Backend::hip, "hipFree", 1, "x"});
    CHECK(std::string(vendors.what()) == R"(\0)");
}

TEST_CASE("error class: the vendor's call, number and name are kept") {
    const Error error(Code::out_of_memory, "No room.",
                      {ferry::Backend::cuda, "cuMemAlloc_v2", 2, "CUDA_ERROR"});
    REQUIRE(error.vendor() != nullptr);
    CHECK(error.vendor()->backend == ferry::Backend::cuda);
    CHECK(error.vendor()->call == "cuMemAlloc_v2");
    CHECK(error.vendor()->code == 2);
    CHECK(error.vendor()->name == "CUDA_ERROR");
}

TEST_CASE("error class: with_...() changes one thing and leaves the original alone") {
    const Error error(Code::internal, "First.", {ferry::Backend::hip, "hipFree", 1, "x"});
    const Error second = error.with_message("Second.");
    const Error third = second.with_log("log").with_code(Code::build_failed);
    const Error fourth = third.with_where(ferry::SourceLocation::current("there.cpp", "f", 9));
    CHECK(std::string(error.what()) == "First.");
    CHECK(std::string(second.what()) == "Second.");
    CHECK(second.code() == Code::internal);
    CHECK(second.vendor()->call == "hipFree");
    CHECK(third.code() == Code::build_failed);
    CHECK(third.log() == "log");
    CHECK(second.log().empty());
    CHECK(std::string(fourth.where().file_name()) == "there.cpp");
    CHECK(fourth.where().line() == 9);
    CHECK(third.where().line() == error.where().line());
    CHECK(std::string(fourth.what()) == "Second.");
}

TEST_CASE("error class: copies outlive the original, and copying does not throw") {
    static_assert(std::is_nothrow_copy_constructible_v<Error>);
    static_assert(std::is_nothrow_copy_assignable_v<Error>);
    static_assert(std::is_base_of_v<std::exception, Error>);
    Error kept(Code::internal, "a");
    {
        const Error error(Code::not_found, "b", {ferry::Backend::opencl, "clX", -5, "CL_X"});
        kept = error;
    }
    CHECK(std::string(kept.what()) == "b");
    CHECK(kept.vendor()->code == -5);
    try {
        throw Error(kept);
    } catch (const std::exception& caught) {
        CHECK(std::string(caught.what()) == "b");
    }
}

TEST_CASE("error class: a status is ok or has its error") {
    const ferry::Status well;
    CHECK(well.ok());
    CHECK(static_cast<bool>(well));
    CHECK(well.error() == nullptr);
    well.check();
    const ferry::Status bad(Error(Code::command_failed, "It failed."));
    CHECK_FALSE(bad.ok());
    REQUIRE(bad.error() != nullptr);
    CHECK(std::string(bad.error()->what()) == "It failed.");
    CHECK_THROWS_AS(bad.check(), Error);
}

TEST_CASE("error class: every enumerator has its own name") {
    std::vector<std::string> names;
    for (int i = 0; i <= static_cast<int>(Code::internal); ++i) {
        names.emplace_back(ferry::to_string(static_cast<Code>(i)));
    }
    CHECK(names.front() == "invalid_argument");
    CHECK(names.back() == "internal");
    for (std::size_t i = 0; i < names.size(); ++i) {
        CHECK(names[i].size() > 5);
        for (std::size_t k = 0; k < i; ++k) {
            CHECK(names[i] != names[k]);
        }
    }
}
