// SPDX-License-Identifier: Apache-2.0
#include "raw_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace bench {
namespace {

constexpr std::size_t page = 4096;

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

class Descriptor {
public:
    Descriptor(const std::string& path, int flags) : value_(open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (value_ >= 0) {
            close(value_);
        }
    }
    int get() const noexcept { return value_; }
    bool there() const noexcept { return value_ >= 0; }

private:
    int value_;
};

} // namespace

RawFile::RawFile(std::string path, unsigned threads, std::size_t piece)
    : path_(std::move(path)), threads_(std::max(threads, 1u)), piece_(piece / page * page) {
    const Descriptor plain(path_, O_RDWR | O_CREAT);
    if (!plain.there()) {
        fail("Making " + path_);
    }
    direct_ = Descriptor(path_, O_RDWR | O_DIRECT).there();
}

template <class Transfer>
void RawFile::in_pieces(std::size_t bytes, int flags, const Transfer& transfer) {
    const Descriptor plain(path_, flags);
    const Descriptor direct(path_, flags | O_DIRECT);
    if (!plain.there()) {
        fail("Opening " + path_);
    }
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr first;
    const auto work = [&] {
        try {
            for (std::size_t at = next.fetch_add(piece_); at < bytes; at = next.fetch_add(piece_)) {
                for (std::size_t done = at, end = std::min(at + piece_, bytes); done < end;) {
                    const std::size_t whole = (end - done) / page * page;
                    const bool past_cache = direct.there() && done % page == 0 && whole != 0;
                    const ssize_t moved = transfer(past_cache ? direct.get() : plain.get(), done,
                                                   past_cache ? whole : end - done);
                    if (moved <= 0) {
                        fail("Reading or writing " + path_);
                    }
                    done += static_cast<std::size_t>(moved);
                }
            }
        } catch (...) {
            const std::lock_guard lock(mutex);
            first = first ? first : std::current_exception();
        }
    };
    std::vector<std::thread> running;
    for (unsigned i = 1; i < threads_; ++i) {
        running.emplace_back(work);
    }
    work();
    for (std::thread& thread : running) {
        thread.join();
    }
    if (first) {
        std::rethrow_exception(first);
    }
    if ((flags & O_ACCMODE) == O_WRONLY && fdatasync(plain.get()) != 0) {
        fail("Writing " + path_ + " to the disk");
    }
}

void RawFile::write(std::span<const std::byte> bytes) {
    unlink(path_.c_str());
    in_pieces(bytes.size(), O_WRONLY | O_CREAT, [&](int file, std::size_t at, std::size_t count) {
        return pwrite(file, bytes.data() + at, count, static_cast<off_t>(at));
    });
}

void RawFile::read(std::span<std::byte> bytes) {
    in_pieces(bytes.size(), O_RDONLY, [&](int file, std::size_t at, std::size_t count) {
        return pread(file, bytes.data() + at, count, static_cast<off_t>(at));
    });
}

} // namespace bench
