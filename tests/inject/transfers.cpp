// SPDX-License-Identifier: Apache-2.0
// Scenarios in which the library moves the bytes in several parts.
#include "parts.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <system_error>
#include <utility>

namespace ferry::inject {
namespace {

/// While it lives, every copy of pageable memory on a new queue goes through the page-locked slots.
class Staged {
public:
    Staged() : before_(settings()) {
        Settings with = before_;
        with.staging = "on";
        configure(with);
    }
    Staged(const Staged&) = delete;
    Staged& operator=(const Staged&) = delete;
    ~Staged() { configure(before_); }

private:
    Settings before_;
};

/// A file that is removed at the end.
class File {
public:
    File() : path_(std::filesystem::temp_directory_path() / ("ferry-inject-" + std::to_string(getpid()))) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }

    std::vector<int> read() const {
        std::vector<int> values(std::filesystem::file_size(path_) / sizeof(int));
        std::ifstream(path_, std::ios::binary)
            .read(reinterpret_cast<char*>(values.data()),
                  static_cast<std::streamsize>(values.size() * sizeof(int)));
        return values;
    }
    void write(const std::vector<int>& values) const {
        std::ofstream(path_, std::ios::binary)
            .write(reinterpret_cast<const char*>(values.data()),
                   static_cast<std::streamsize>(values.size() * sizeof(int)));
    }

private:
    std::filesystem::path path_;
};

std::vector<int> counted(std::size_t size, int first) {
    std::vector<int> values(size);
    std::iota(values.begin(), values.end(), first);
    return values;
}

} // namespace

void staged_copies() {
    constexpr std::size_t large = (std::size_t{5} << 18) + 3; // a little more than 5 MiB
    static std::vector<int> from;
    static std::vector<int> to;
    const int number = any_number();
    from = counted(large, number);
    to.assign(large, -1);
    const Staged staged;
    Queue queue(device());
    Buffer<int> x(device(), large);
    queue.copy(from, x);
    queue.launch(kernel(), Grid::covering(large, 64), x, 3, static_cast<unsigned>(large));
    queue.copy(x, to);
    queue.finish();
    expect(to == counted(large, number + 3), "values that went through the slots");
}

void files() {
    const int number = any_number();
    const File file;
    const std::vector<int> old = counted(count, number);
    file.write(old);
    std::vector<int> wanted = counted(count, number + 3);
    const auto replaced = [&] {
        const std::vector<int> now = file.read();
        expect(now == old || now == wanted, "a file that is neither the old nor the new one");
        return now == wanted;
    };
    Queue queue(device());
    Buffer<int> x(device(), count);
    try {
        read_file(queue, file.path(), x);
        queue.launch(kernel(), Grid::covering(count, 64), x, 3, static_cast<unsigned>(count));
        write_file(queue, x, file.path());
        queue.finish();
    } catch (const Error&) {
        static_cast<void>(replaced());
        throw;
    }
    expect(replaced(), "the file was not written");
    wanted[0] = old[count - 1];
    file.write(old);
    read_file(queue, file.path(), x.first(1), {.offset = (count - 1) * sizeof(int)});
    expect(queue.read(x)[0] == wanted[0], "a value from the end of the file");
}

void streams() {
    static std::vector<int> data;
    const int number = any_number();
    data.assign(count, number);
    for_each_chunk(device(), data, Access::device_updates, {.chunk_bytes = 4000, .slots = 2},
                   [](Queue& queue, const View<int>& chunk, std::size_t) {
                       queue.launch(kernel(), Grid::covering(chunk.size(), 64), chunk, 3,
                                    static_cast<unsigned>(chunk.size()));
                   });
    expect_all(data, number + 3, "streamed values");
}

void ways_of_mapping() {
    const int number = any_number();
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::host, MemoryKind::shared}) {
        if (!device().has(kind)) {
            continue;
        }
        Queue queue(device());
        Buffer<int> x(device(), count, kind);
        {
            auto all = x.map(queue, Map::discard);
            std::fill(all.begin(), all.end(), number);
            all.unmap();
        }
        queue.launch(kernel(), Grid::covering(count, 64), x, 3, static_cast<unsigned>(count));
        {
            auto part = x.subview(100, 50).map(queue, Map::write);
            std::fill(part.begin(), part.end(), number + 7);
        } // the end of the mapping throws nothing; finish() does
        queue.finish();
        const auto seen = x.map(queue, Map::read);
        for (std::size_t i = 0; i < count; ++i) {
            expect(seen[i] == number + (i >= 100 && i < 150 ? 7 : 3), "a value of a mapped buffer");
        }
    }
}

void share_guards() {
    std::exception_ptr refused; // Of the last placement, unless one was used.
    bool used = false;
    for (const Placement placement : {Placement::alias, Placement::stage}) {
        constexpr std::size_t size = 8192;
        static std::vector<int> memory;
        const int number = any_number();
        memory.assign(size, number);
        Queue queue(device());
        ShareOptions options;
        options.allowed = placement;
        try {
            auto shared = share(device(), memory, Access::device_updates, options);
            const auto add = [&] {
                queue.launch(kernel(), Grid::covering(size, 64), shared, 3, static_cast<unsigned>(size));
            };
            add();
            expect(shared.host(queue)[7] == number + 3, "a value read by a guard");
            {
                auto part = shared.host_part(queue, HostAccess::write, 1000, 10);
                std::fill(part.begin(), part.end(), 1);
            }
            add();
            {
                auto all = shared.host(queue, HostAccess::read_write);
                expect(all[1000] == 4 && all[1010] == number + 6, "values updated by a guard");
                ++all[0];
            }
            add();
            shared.end();
        } catch (const Error& error) {
            if (error.code() == Code::unsupported && error.vendor() == nullptr) {
                refused = std::current_exception();
                continue; // the device does not support this placement
            }
            throw;
        }
        expect(memory[0] == number + 10 && memory[1009] == 7 && memory[size - 1] == number + 9,
               "values of a share with guards");
        used = true;
    }
    if (!used) { // because of the failed call, which the error has to name
        std::rethrow_exception(refused);
    }
}

} // namespace ferry::inject
