// SPDX-License-Identifier: Apache-2.0
#include "base/host_pages.hpp"

#include <ferry/error.hpp>

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace staging_pages_test {

using namespace ferry::detail::staging;

namespace {

constexpr std::size_t page = 4096;

struct Mapping {
    std::size_t bytes;
    std::byte* data;
    explicit Mapping(std::size_t size)
        : bytes(size),
          data(static_cast<std::byte*>(
              mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
        REQUIRE(static_cast<void*>(data) != MAP_FAILED);
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() { munmap(data, bytes); }
};

std::string refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const ferry::Error& error) {
        CHECK(error.code() == ferry::Code::invalid_argument);
        return error.what();
    }
    return "accepted";
}

std::size_t pages_present(const Mapping& memory) {
    std::vector<unsigned char> present(memory.bytes / page);
    REQUIRE(mincore(memory.data, memory.bytes, present.data()) == 0);
    return static_cast<std::size_t>(
        std::count_if(present.begin(), present.end(), [](unsigned char p) { return (p & 1U) != 0; }));
}

} // namespace

TEST_CASE("staging pages: stream_copy equals memcpy, at every alignment, and changes no other byte") {
    std::mt19937 random(5);
    std::vector<unsigned char> from(20000);
    for (auto& byte : from) {
        byte = static_cast<unsigned char>(random());
    }
    for (int round = 0; round < 3000; ++round) {
        const std::size_t size = round < 400 ? static_cast<std::size_t>(round) * 7 : random() % 9000;
        const std::size_t source = random() % 130;
        const std::size_t target = random() % 130;
        std::vector<unsigned char> to(10000, 0x5a);
        std::vector<unsigned char> wanted = to;
        std::memcpy(wanted.data() + target, from.data() + source, size);
        stream_copy(to.data() + target, from.data() + source, size);
        REQUIRE(to == wanted);
    }
}

TEST_CASE("staging pages: mapped pages are accepted, whole or in part, touched or not") {
    const Mapping memory(3000 * page);
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, page - 1, 700 * page + 5}) {
        for (const std::size_t bytes : {std::size_t{1}, page, page + 1, 2000 * page + 3}) {
            CHECK(refusal([&] { check_readable(memory.data + offset, bytes); }) == "accepted");
            CHECK(refusal([&] { prepare_for_writing(memory.data + offset, bytes); }) == "accepted");
        }
    }
    static const char constant[] = "read-only data of the program";
    CHECK(refusal([&] { check_readable(constant, sizeof constant); }) == "accepted");
    int local = 0;
    CHECK(refusal([&] { prepare_for_writing(&local, sizeof local); }) == "accepted");
}

TEST_CASE("staging pages: holes and missing permissions are refused with the address") {
    const Mapping memory(100 * page);
    REQUIRE(munmap(memory.data + 50 * page, page) == 0);
    const std::string hole = refusal([&] { check_readable(memory.data, 100 * page); });
    CHECK_MESSAGE(hole.find("source") != std::string::npos, hole);
    CHECK_MESSAGE(hole.find("not mapped") != std::string::npos, hole);
    char address[32];
    std::snprintf(address, sizeof address, "at 0x%llx",
                  static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(memory.data + 50 * page)));
    CHECK_MESSAGE(hole.find(address) != std::string::npos, hole);
    CHECK(refusal([&] { prepare_for_writing(memory.data, 100 * page); }).find("not mapped") !=
          std::string::npos);
    CHECK(refusal([&] { check_readable(memory.data, 50 * page); }) == "accepted");

    REQUIRE(mprotect(memory.data + 60 * page, 10 * page, PROT_READ) == 0);
    CHECK(refusal([&] { check_readable(memory.data + 60 * page, 10 * page); }) == "accepted");
    CHECK(refusal([&] {
              prepare_for_writing(memory.data + 60 * page, 10 * page);
          }).find("must not be written") != std::string::npos);
    REQUIRE(mprotect(memory.data + 60 * page, 10 * page, PROT_NONE) == 0);
    CHECK(refusal([&] { check_readable(memory.data + 60 * page, 10 * page); }).find("must not be read") !=
          std::string::npos);
}

TEST_CASE("staging pages: pages that are not there are made before they are written") {
    const Mapping memory(1000 * page);
    REQUIRE(pages_present(memory) == 0);
    prepare_for_writing(memory.data + 100 * page + 5, 500 * page);
    CHECK(pages_present(memory) >= 501); // needs Linux 5.14
}

} // namespace staging_pages_test
