// SPDX-License-Identifier: Apache-2.0
// Each kind of order between operations, and its absence, on the host device.
#include "check/checker.hpp"
#include "watched.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace race_check_test {
namespace {

using Word = std::uint32_t;

void add(const ferry::HostGroup&, Word* data) {
    ++data[0];
}
void look(const ferry::HostGroup&, const Word* data) {
    static_cast<void>(data);
}
constexpr ferry::HostKernel functions[] = {ferry::host_kernel<add>("add"), ferry::host_kernel<look>("look")};

struct Scene {
    Watched watched;
    ferry::Device device = ferry::find_device("host");
    ferry::Queue one{device}, two{device};
    ferry::Buffer<Word> buffer{device, 100};
    ferry::Program program{device, ferry::Source::host(functions)};
    ferry::Kernel adds = program.kernel("add");
    ferry::Kernel looks = program.kernel("look");
};

/// A file of zeros, removed at the end.
class TestFile {
public:
    explicit TestFile(std::size_t bytes) {
        const int file = mkstemp(path_.data());
        REQUIRE(file >= 0);
        REQUIRE(ftruncate(file, static_cast<off_t>(bytes)) == 0);
        close(file);
    }
    TestFile(const TestFile&) = delete;
    TestFile& operator=(const TestFile&) = delete;
    ~TestFile() { unlink(path_.c_str()); }
    const std::string& path() const { return path_; }

private:
    std::string path_ = "/tmp/ferry-race-XXXXXX";
};

template <class Call>
std::string race_of(Call call) {
    try {
        call();
    } catch (const ferry::Error& error) {
        CHECK(error.code() == ferry::Code::invalid_state);
        return error.what();
    }
    return "";
}

bool holds(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("race: a command of another queue without a wait is refused and not enqueued") {
    Scene s;
    s.one.fill(s.buffer, 1);
    const std::string text = race_of([&] { s.two.launch(s.adds, {1, 1}, s.buffer); });
    CAPTURE(text);
    CHECK(holds(text, "launch of kernel 'add' by queue #"));
    CHECK(holds(text, "writes bytes 0 to 400 of the device buffer of 400 bytes on host:0 made at "));
    CHECK(holds(text, "the fill of 400 bytes by queue #"));
    CHECK(holds(text, "race_check_test.cpp:"));
    s.two.finish();
    CHECK(s.one.read(s.buffer) == std::vector<Word>(100, 1));
}

TEST_CASE("race: operations that order two queues") {
    Scene s;
    SUBCASE("an event") {
        s.one.fill(s.buffer, 1);
        s.two.wait(s.one.record());
    }
    SUBCASE("an event of a third queue that waited") {
        ferry::Queue third{s.device};
        s.one.fill(s.buffer, 1);
        third.wait(s.one.record());
        s.two.wait(third.record());
    }
    SUBCASE("the host's wait for an event") {
        s.one.fill(s.buffer, 1);
        s.one.record().wait();
    }
    SUBCASE("an event found ready") {
        s.one.fill(s.buffer, 1);
        const ferry::Event event = s.one.record();
        while (!event.ready()) {
        }
    }
    SUBCASE("finish") {
        s.one.fill(s.buffer, 1);
        s.one.finish();
    }
    SUBCASE("a queue found idle") {
        s.one.fill(s.buffer, 1);
        while (!s.one.idle()) {
        }
    }
    SUBCASE("the end of the queue") {
        ferry::Queue other{s.device};
        other.fill(s.buffer, 1);
        const ferry::Queue end = std::move(other);
    }
    SUBCASE("a mapping on the first queue, for reading") {
        s.one.fill(s.buffer, 1);
        s.buffer.map(s.one, ferry::Map::read).unmap();
    }
    CHECK(race_of([&] { s.two.launch(s.adds, {1, 1}, s.buffer); }).empty());
}

TEST_CASE("race: a completion callback comes after earlier commands") {
    Scene s;
    s.one.fill(s.buffer, 1);
    std::string text = "it did not run";
    s.one.on_complete([&](const ferry::Status&) {
        text = race_of([&] { s.two.launch(s.adds, {1, 1}, s.buffer); });
    });
    s.one.finish();
    CHECK(text.empty());
}

TEST_CASE("race: operations that do not order two queues") {
    Scene s;
    SUBCASE("an event recorded too early") {
        const ferry::Event early = s.one.record();
        s.one.fill(s.buffer, 1);
        s.two.wait(early);
    }
    ferry::Queue third{s.device};
    SUBCASE("a wait of the wrong queue") {
        s.one.fill(s.buffer, 1);
        third.wait(s.one.record());
    }
    SUBCASE("the end of a mapping for writing") {
        s.buffer.map(s.one, ferry::Map::write).unmap();
    }
    CHECK_FALSE(race_of([&] { s.two.launch(s.adds, {1, 1}, s.buffer); }).empty());
    s.one.finish();
}

TEST_CASE("race: readers do not conflict, nor do separate parts") {
    Scene s;
    s.one.fill(s.buffer, 1);
    s.one.finish();
    s.one.launch(s.looks, {1, 1}, s.buffer);
    CHECK(race_of([&] { s.two.launch(s.looks, {1, 1}, s.buffer); }).empty());
    CHECK_FALSE(race_of([&] { s.two.launch(s.adds, {1, 1}, s.buffer); }).empty());
    s.one.finish();
    s.two.finish();
    s.one.launch(s.adds, {1, 1}, s.buffer.first(50));
    CHECK(race_of([&] { s.two.launch(s.adds, {1, 1}, s.buffer.last(50)); }).empty());
    CHECK_FALSE(race_of([&] { s.two.launch(s.adds, {1, 1}, s.buffer.subview(49, 10)); }).empty());
    s.one.finish();
    s.two.finish();
}

TEST_CASE("race: a copy from the span of a host buffer conflicts with a kernel that writes to the buffer") {
    Scene s;
    ferry::Buffer<Word> shared{s.device, 100, ferry::MemoryKind::host};
    s.one.launch(s.adds, {1, 1}, shared);
    const std::string text = race_of([&] { s.two.copy(shared.span(), s.buffer); });
    CAPTURE(text);
    CHECK(holds(text, "copy of 400 bytes"));
    CHECK(holds(text, "launch of kernel 'add'"));
    s.one.finish();
    CHECK(race_of([&] { s.two.copy(shared.span(), s.buffer); }).empty());
    s.two.finish();
}

TEST_CASE("race: two queues that copy to one host range") {
    Scene s;
    std::vector<Word> words(100);
    s.one.fill(s.buffer, 1);
    s.one.finish();
    s.one.copy(s.buffer, words);
    CHECK(holds(race_of([&] { s.two.copy(s.buffer, words); }), "of host memory"));
    s.one.finish();
    CHECK(race_of([&] { s.two.copy(s.buffer, words); }).empty());
    s.two.finish();
}

TEST_CASE("race: files that are read into a buffer, or written from it") {
    Scene s;
    const TestFile file(400);
    const auto read = [&](ferry::Queue& queue) { ferry::read_file(queue, file.path(), s.buffer); };
    const auto write = [&](ferry::Queue& queue) {
        ferry::write_file(queue, s.buffer, file.path(), {.offset = 0});
    };
    read(s.one);
    const std::string text = race_of([&] { s.two.fill(s.buffer, 1); });
    CAPTURE(text);
    CHECK(holds(text, "nothing orders it after the read_file of 400 bytes by queue #"));
    CHECK(holds(text, "race_check_test.cpp:"));
    CHECK(holds(race_of([&] { write(s.two); }), "the write_file of 400 bytes by queue #"));
    CHECK_FALSE(race_of([&] { read(s.two); }).empty());
    s.two.wait(s.one.record());
    CHECK(race_of([&] { write(s.two); }).empty());
    CHECK(race_of([&] { write(s.one); }).empty()); // both only read the buffer
    CHECK_FALSE(race_of([&] { read(s.one); }).empty());
    s.one.finish();
    s.two.finish();
}

TEST_CASE("race: a file and a view of a buffer that was destroyed") {
    Scene s;
    const TestFile file(400);
    ferry::View<Word> view;
    {
        ferry::Buffer<Word> gone{s.device, 100};
        view = gone;
    }
    for (const std::string& text :
         {race_of([&] { ferry::read_file(s.one, file.path(), view); }),
          race_of([&] { ferry::write_file(s.one, view, file.path(), {.offset = 0}); })}) {
        CAPTURE(text);
        CHECK(holds(text, "which has been destroyed"));
        CHECK(holds(text, "_file uses bytes 0 to 400 of the device buffer of 400 bytes on host:0 made at "));
    }
}

TEST_CASE("race: boxes overlap if their rows do") {
    Scene s;
    const ferry::Box<Word> whole{s.buffer, {10, 10}};
    const std::vector<Word> words(30);
    s.one.copy(ferry::HostBox{words, {3, 10}}, whole.sub({0, 0}, {3, 10}));
    CHECK(race_of([&] { s.two.copy(ferry::HostBox{words, {3, 10}}, whole.sub({3, 0}, {3, 10})); }).empty());
    const std::string text = race_of([&] {
        s.two.copy(ferry::HostBox{words, {3, 10}}, whole.sub({2, 0}, {3, 10}));
    });
    CAPTURE(text);
    CHECK(holds(text, "copy of 10 rows"));
    CHECK(holds(text, "bytes 8 to 12 of the device buffer"));
    s.one.finish();
    s.two.finish();
}

TEST_CASE("race: the setting is refused if it is none, and off without it") {
    CHECK(holds(
        [] {
            try {
                ferry::configure({.check = "everything"});
            } catch (const ferry::Error& error) {
                CHECK(error.code() == ferry::Code::invalid_argument);
                return std::string(error.what());
            }
            return std::string();
        }(),
        "Settings::check is \"everything\", but must be races or none"));
    ferry::configure({.backend = "host", .check = "none"});
    const ferry::Device device = ferry::find_device("host");
    ferry::Queue one{device}, two{device};
    ferry::Buffer<Word> buffer{device, 10};
    one.fill(buffer, 1);
    two.fill(buffer, 2);
    one.finish();
    two.finish();
    ferry::configure({});
}

TEST_CASE("race: a view of a destroyed buffer is detected, also after new buffers were made") {
    Scene s;
    for (int round = 0; round < 200; ++round) {
        ferry::View<Word> stale;
        {
            ferry::Buffer<Word> gone{s.device, 5000};
            stale = gone.view();
        }
        std::vector<ferry::Buffer<Word>> later; // one of them would reuse the address
        for (const std::size_t size : {5000U, 5100U, 100U}) {
            later.emplace_back(s.device, size);
            s.one.fill(later.back(), 7U);
        }
        for (const auto& call : std::initializer_list<std::function<void()>>{
                 [&] { s.one.fill(stale, 9U); }, [&] { (void)s.one.read(stale); },
                 [&] {
                     s.one.launch(s.adds, {1, 1}, stale);
                 },
                 [&] { (void)stale.map(s.one, ferry::Map::read); }}) {
            const std::string text = race_of(call);
            REQUIRE_MESSAGE(holds(text, "(20000 bytes) on host:0 made at "), text);
            REQUIRE_MESSAGE(holds(text, "has been destroyed"), text);
        }
        for (const ferry::Buffer<Word>& buffer : later) {
            REQUIRE(s.one.read(buffer) == std::vector<Word>(buffer.size(), 7U));
        }
    }
}

TEST_CASE("race: destroyed buffers are remembered up to a number") {
    Scene s;
    const std::size_t most = ferry::detail::race::Checker::most_destroyed;
    for (std::size_t i = 0; i < most + 100; ++i) {
        const ferry::Buffer<Word> gone{s.device, 16};
    }
    ferry::View<Word> stale;
    {
        ferry::Buffer<Word> gone{s.device, 16};
        stale = gone.view();
    }
    CHECK(holds(race_of([&] { s.one.fill(stale, 1U); }), "has been destroyed"));
    s.one.fill(s.buffer, 3U);
    CHECK(s.one.read(s.buffer) == std::vector<Word>(100, 3U));
}

} // namespace race_check_test
