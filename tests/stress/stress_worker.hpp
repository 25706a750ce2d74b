// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace stress {

using Word = std::uint32_t;

/// A buffer with its expected contents after all commands enqueued so far.
struct Item {
    ferry::Buffer<Word> buffer;
    std::vector<Word> model;
    /// Complete after the last commands that used the item, on any queue.
    ferry::Event last;
    std::size_t device = 0;
};

/// Data shared by the workers: the devices, queues used by all workers, and buffers passed from one to
/// another. One queue of each device stages every copy of ordinary memory, through slots of a few pages.
class Shared {
public:
    Shared(std::vector<ferry::Device> devices, std::size_t queues_each);

    const std::vector<ferry::Device>& devices() const { return devices_; }
    /// A queue of device number `device`. Sometimes a queue is replaced while other workers still use it.
    std::shared_ptr<ferry::Queue> queue(std::size_t device, std::size_t number);
    void replace_queue(std::size_t device, std::size_t number);
    std::size_t queues_each() const { return queues_each_; }

    void give(std::unique_ptr<Item> item);
    std::unique_ptr<Item> take(); ///< null if there is none

    void fail(const std::string& what);
    bool failed() const { return failed_; }

private:
    std::shared_ptr<ferry::Queue> make_queue(std::size_t device, std::size_t number) const;

    const std::vector<ferry::Device> devices_;
    const std::size_t queues_each_;
    std::mutex mutex_;
    std::vector<std::shared_ptr<ferry::Queue>> queues_;
    std::deque<std::unique_ptr<Item>> market_;
    std::atomic<bool> failed_{false};
};

/// A file with its expected contents after all commands enqueued so far. Removed at the end.
class File {
public:
    explicit File(std::size_t words);
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File();
    const std::string& path() const { return path_; }

    std::vector<Word> model;
    ferry::Event last;

private:
    std::string path_;
};

/// One thread's random operations. Each is applied to its buffers and to their models.
class Worker {
public:
    Worker(Shared& shared, std::uint64_t seed);
    void step();   ///< one random operation
    void finish(); ///< checks everything
    std::uint64_t steps() const { return steps_; }

private:
    struct Read {
        ferry::Event done;
        std::vector<Word> seen;
        std::vector<Word> wanted;
    };

    std::size_t below(std::size_t limit);
    Word word();
    Item& item();
    Item* other_on_device(const Item& than); ///< null if there is none
    std::shared_ptr<ferry::Queue> queue_for(const Item& item);
    void make();
    void drop();
    void fill();
    void write();
    void read();
    void copy();
    void launch();
    void box();
    void batch();
    void replay();
    void file();
    void map();
    void callback();
    void trade();
    void ask();
    void keep_source(const ferry::Event& until, std::unique_ptr<std::vector<Word>> source);
    void check_reads(std::size_t keep);
    void check_file();
    void check(const std::vector<Word>& seen, const std::vector<Word>& wanted, const char* what);

    Shared& shared_;
    std::mt19937_64 random_;
    std::vector<std::unique_ptr<Item>> items_;
    std::deque<std::unique_ptr<Read>> reads_;
    std::deque<std::pair<ferry::Event, std::unique_ptr<std::vector<Word>>>> sources_;
    File file_;
    std::vector<std::shared_ptr<ferry::Queue>> kept_; ///< used by callbacks that have not run
    std::atomic<std::uint64_t> callbacks_done_{0};
    std::uint64_t callbacks_ = 0;
    std::uint64_t steps_ = 0;
};

} // namespace stress
