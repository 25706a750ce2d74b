// SPDX-License-Identifier: Apache-2.0
#include "cache_torture.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <vector>

namespace torture {
namespace {

namespace fs = std::filesystem;

class Vandal {
public:
    Vandal(const Place& place, Tally& tally, std::uint64_t seed)
        : directory_(place.directory), tally_(tally), random_(seed) {}

    void step() {
        list();
        if (files_.empty()) {
            ::usleep(1000);
            return;
        }
        const fs::path& file = any();
        switch (random_() % 12) {
        case 0:
            tally_.files_cut += ::truncate(file.c_str(), below(size_of(file) + 100)) == 0 ? 1 : 0;
            break;
        case 1:
            exchange(file, any());
            break;
        case 2:
            tally_.files_exchanged += ::rename(file.c_str(), any().c_str()) == 0 ? 1 : 0;
            break;
        case 3:
            tally_.files_removed += ::unlink(file.c_str()) == 0 ? 1 : 0;
            break;
        case 4:
            make_other(file);
            break;
        default:
            flip(file);
        }
        ::usleep(static_cast<useconds_t>(random_() % 500));
    }

private:
    void list() {
        files_.clear();
        std::error_code error;
        for (fs::directory_iterator item(directory_, error), end; !error && item != end;
             item.increment(error)) {
            files_.push_back(item->path());
        }
    }
    const fs::path& any() { return files_[random_() % files_.size()]; }
    off_t below(off_t size) { return static_cast<off_t>(random_() % static_cast<std::uint64_t>(size)); }
    static off_t size_of(const fs::path& file) {
        struct stat status {};
        return ::stat(file.c_str(), &status) == 0 ? status.st_size : 0;
    }

    void flip(const fs::path& file) {
        const int open = ::open(file.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
        const off_t size = size_of(file);
        for (std::uint64_t count = 1 + random_() % 3; open >= 0 && size > 0 && count > 0; --count) {
            char byte = 0;
            const off_t where = random_() % 2 == 0 ? below(size) : below(std::min<off_t>(size, 64));
            if (::pread(open, &byte, 1, where) == 1) {
                byte = static_cast<char>(byte ^ (1 << (random_() % 8)));
                tally_.bits_flipped += ::pwrite(open, &byte, 1, where) == 1 ? 1 : 0;
            }
        }
        if (open >= 0) {
            ::close(open);
        }
    }
    void exchange(const fs::path& from, const fs::path& to) {
        std::error_code error;
        if (fs::is_regular_file(from, error) && fs::is_regular_file(to, error) &&
            fs::copy_file(from, to, fs::copy_options::overwrite_existing, error)) {
            ++tally_.files_exchanged;
        }
    }
    void make_other(const fs::path& file) {
        std::error_code error;
        bool made = false;
        switch (random_() % 5) {
        case 0:
            ::unlink(file.c_str());
            made = ::mkfifo(file.c_str(), 0600) == 0;
            break;
        case 1: {
            const fs::path target = any();
            ::unlink(file.c_str());
            made = ::symlink(target.c_str(), file.c_str()) == 0;
            break;
        }
        case 2: // an empty one that is removed soon, because Ferry would never remove it
            ::unlink(file.c_str());
            made = ::mkdir(file.c_str(), 0700) == 0;
            ::usleep(2000);
            ::rmdir(file.c_str());
            break;
        case 3:
            made = ::chmod(file.c_str(), 0666) == 0;
            break;
        default: // not to wait for a reader, where there is a pipe by now
            const int junk = ::open((directory_ / (".new-" + std::to_string(random_() % 50))).c_str(),
                                    O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
            made = junk >= 0 && ::write(junk, "junk", 4) == 4;
            if (junk >= 0) {
                ::close(junk);
            }
        }
        tally_.files_made += made ? 1 : 0;
    }

    fs::path directory_;
    Tally& tally_;
    Random random_;
    std::vector<fs::path> files_;
};

} // namespace

int damage(const Place& place, Tally& tally, std::uint64_t seed) {
    std::signal(SIGPIPE, SIG_IGN); // it may write to a file that another vandal has just replaced by a pipe
    Vandal vandal(place, tally, seed);
    while (!tally.stop) {
        vandal.step();
    }
    return 0;
}

} // namespace torture
