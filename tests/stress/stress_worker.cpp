// SPDX-License-Identifier: Apache-2.0
#include "stress_worker.hpp"

#include "../conformance/kernels.hpp"
#include "staging/policy.hpp"

#include <algorithm>
#include <cstdio>
#include <span>
#include <thread>

namespace stress {
namespace {

constexpr std::size_t most_items = 12;
constexpr std::size_t most_words = 5000;
constexpr std::size_t most_pending = 16;

std::span<Word> part(std::vector<Word>& all, std::size_t first, std::size_t count) {
    return std::span(all).subspan(first, count);
}

} // namespace

Shared::Shared(std::vector<ferry::Device> devices, std::size_t queues_each)
    : devices_(std::move(devices)), queues_each_(queues_each) {
    ferry::detail::staging::Tuning& tuning = ferry::detail::staging::tuning();
    tuning.slot_bytes = std::size_t{16} << 10; // a few copies exceed the size of all slots
    tuning.smallest_slot = std::size_t{4} << 10;
    tuning.bytes_for_a_slot = tuning.slot_bytes;
    tuning.threads = 2;
    ferry::trim_staging();
    for (std::size_t device = 0; device < devices_.size(); ++device) {
        for (std::size_t i = 0; i < queues_each; ++i) {
            queues_.push_back(make_queue(device, i));
        }
    }
}

// Call this with the mutex held, because a queue takes its staging from the settings of the process.
std::shared_ptr<ferry::Queue> Shared::make_queue(std::size_t device, std::size_t number) const {
    const ferry::Settings settings = ferry::settings();
    ferry::Settings staged = settings;
    staged.staging = "on";
    ferry::configure(number == 0 ? staged : settings);
    auto queue = std::make_shared<ferry::Queue>(devices_[device]);
    ferry::configure(settings);
    return queue;
}

std::shared_ptr<ferry::Queue> Shared::queue(std::size_t device, std::size_t number) {
    const std::scoped_lock lock(mutex_);
    return queues_[device * queues_each_ + number];
}

void Shared::replace_queue(std::size_t device, std::size_t number) {
    std::shared_ptr<ferry::Queue> old;
    const std::scoped_lock lock(mutex_);
    old = std::exchange(queues_[device * queues_each_ + number], make_queue(device, number));
} // the old one goes with its last user, often right here with the lock held no more

void Shared::give(std::unique_ptr<Item> item) {
    const std::scoped_lock lock(mutex_);
    market_.push_back(std::move(item));
}

std::unique_ptr<Item> Shared::take() {
    const std::scoped_lock lock(mutex_);
    if (market_.empty()) {
        return nullptr;
    }
    auto item = std::move(market_.front());
    market_.pop_front();
    return item;
}

void Shared::fail(const std::string& what) {
    if (!failed_.exchange(true)) {
        std::printf("FAILED: %s\n", what.c_str());
        std::fflush(stdout);
    }
}

Worker::Worker(Shared& shared, std::uint64_t seed) : shared_(shared), random_(seed), file_(most_words) {
    make();
}

std::size_t Worker::below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
}
Word Worker::word() {
    return static_cast<Word>(random_());
}
Item& Worker::item() {
    return *items_[below(items_.size())];
}

void Worker::step() {
    using Operation = void (Worker::*)();
    static constexpr Operation operations[] = {
        &Worker::make,   &Worker::drop,  &Worker::fill,     &Worker::write, &Worker::write,
        &Worker::read,   &Worker::read,  &Worker::copy,     &Worker::copy,  &Worker::box,
        &Worker::box,    &Worker::batch, &Worker::replay,   &Worker::file,  &Worker::launch,
        &Worker::launch, &Worker::map,   &Worker::callback, &Worker::trade, &Worker::ask};
    (this->*operations[below(std::size(operations))])();
    check_reads(most_pending);
    if (callbacks_done_ == callbacks_) {
        kept_.clear();
    }
    ++steps_;
}

/// A queue of the item's device that runs after all commands enqueued for the item on other queues.
std::shared_ptr<ferry::Queue> Worker::queue_for(const Item& item) {
    auto queue = shared_.queue(item.device, below(shared_.queues_each()));
    queue->wait(item.last);
    return queue;
}

void Worker::make() {
    if (items_.size() >= most_items) {
        return;
    }
    auto made = std::make_unique<Item>();
    made->device = below(shared_.devices().size());
    const ferry::Device& device = shared_.devices()[made->device];
    const ferry::MemoryKind kinds[] = {ferry::MemoryKind::device, ferry::MemoryKind::host,
                                       ferry::MemoryKind::shared};
    const ferry::MemoryKind kind = kinds[below(5) < 3 ? 0 : 1 + below(2)];
    made->buffer = ferry::Buffer<Word>(device, 1 + below(most_words),
                                       device.has(kind) ? kind : ferry::MemoryKind::device);
    const Word value = word();
    made->model.assign(made->buffer.size(), value);
    const auto queue = queue_for(*made);
    queue->fill(made->buffer, value);
    made->last = queue->record();
    items_.push_back(std::move(made));
}

void Worker::drop() {
    if (items_.size() > 2) {
        items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(below(items_.size())));
    } else if (below(4) == 0) {
        shared_.replace_queue(below(shared_.devices().size()), below(shared_.queues_each()));
    }
}

void Worker::fill() {
    Item& target = item();
    const auto queue = queue_for(target);
    const std::size_t first = below(target.model.size());
    const std::size_t count = 1 + below(target.model.size() - first);
    const Word value = word();
    queue->fill(target.buffer.subview(first, count), value);
    std::ranges::fill(part(target.model, first, count), value);
    target.last = queue->record();
}

void Worker::write() {
    Item& target = item();
    const auto queue = queue_for(target);
    const std::size_t first = below(target.model.size());
    const std::size_t count = 1 + below(target.model.size() - first);
    auto source = std::make_unique<std::vector<Word>>(count);
    std::ranges::generate(*source, [&] { return word(); });
    queue->copy(*source, target.buffer.subview(first, count));
    std::ranges::copy(*source, part(target.model, first, count).begin());
    target.last = queue->record();
    keep_source(target.last, std::move(source));
}

void Worker::keep_source(const ferry::Event& until, std::unique_ptr<std::vector<Word>> source) {
    sources_.emplace_back(until, std::move(source));
    while (sources_.size() > most_pending || (!sources_.empty() && sources_.front().first.ready())) {
        sources_.front().first.wait();
        sources_.pop_front();
    }
}

void Worker::read() {
    Item& source = item();
    const auto queue = queue_for(source);
    const std::size_t first = below(source.model.size());
    const std::size_t count = 1 + below(source.model.size() - first);
    auto pending = std::make_unique<Read>();
    pending->seen.assign(count, 0xa5a5a5a5);
    const auto wanted = part(source.model, first, count);
    pending->wanted.assign(wanted.begin(), wanted.end());
    queue->copy(source.buffer.subview(first, count), pending->seen);
    pending->done = source.last = queue->record();
    reads_.push_back(std::move(pending));
}

void Worker::copy() {
    Item& source = item();
    Item& target = item();
    if (&source == &target) {
        return;
    }
    const std::size_t count = 1 + below(std::min(source.model.size(), target.model.size()));
    const std::size_t from = below(source.model.size() - count + 1);
    const std::size_t to = below(target.model.size() - count + 1);
    // The queue of either end may execute a copy between devices.
    const auto queue = queue_for(below(2) == 0 ? source : target);
    queue->wait(source.last);
    queue->wait(target.last);
    queue->copy(source.buffer.subview(from, count), target.buffer.subview(to, count));
    std::ranges::copy(part(source.model, from, count), part(target.model, to, count).begin());
    source.last = target.last = queue->record();
}

void Worker::launch() {
    Item& target = item();
    const auto queue = queue_for(target);
    const auto count = static_cast<Word>(target.model.size());
    const Word salt = word();
    const std::size_t local = std::size_t{1} << below(7);
    queue->launch(conformance::kernel(shared_.devices()[target.device], "stir"),
                  ferry::Grid::covering(count, local * (local == 1 ? 64 : 1)), target.buffer, count, salt);
    for (Word i = 0; i < count; ++i) {
        target.model[i] = conformance::stir_result(target.model[i], i, salt);
    }
    target.last = queue->record();
}

void Worker::map() {
    Item& target = item();
    const auto queue = queue_for(target);
    const std::size_t first = below(target.model.size());
    const std::size_t count = 1 + below(target.model.size() - first);
    const ferry::Map kinds[] = {ferry::Map::read, ferry::Map::write, ferry::Map::read_write,
                                ferry::Map::discard};
    const ferry::Map access = kinds[below(4)];
    auto mapping = target.buffer.subview(first, count).map(*queue, access);
    const auto model = part(target.model, first, count);
    if (access == ferry::Map::read || access == ferry::Map::read_write) {
        check({mapping.begin(), mapping.end()}, {model.begin(), model.end()}, "a mapping");
    }
    if (access != ferry::Map::read) {
        const bool all = access == ferry::Map::discard;
        for (std::size_t i = 0; i < count; i += all ? 1 : 1 + below(50)) {
            model[i] = mapping[i] = word();
        }
    }
    mapping.unmap();
    target.last = queue->record();
}

/// A callback that sometimes enqueues its own work and checks it.
void Worker::callback() {
    const std::size_t device = below(shared_.devices().size());
    const auto queue = shared_.queue(device, below(shared_.queues_each()));
    const auto other = shared_.queue(device, below(shared_.queues_each()));
    const bool works = below(3) == 0;
    const Word value = word();
    ++callbacks_;
    // The callback must not be a queue's last owner. Two callbacks that each destroy the other's queue would
    // wait for ever.
    kept_.push_back(other);
    queue->on_complete([this, device, other = other.get(), works, value](const ferry::Status& status) {
        try {
            status.check();
            if (works) {
                ferry::Buffer<Word> own{shared_.devices()[device], 100};
                other->fill(own, value);
                std::vector<Word> seen(100);
                other->copy(own, seen);
                other->record().wait();
                check(seen, std::vector<Word>(100, value), "work of a callback");
            }
        } catch (const std::exception& error) {
            shared_.fail(std::string("a callback got: ") + error.what());
        }
        ++callbacks_done_;
    });
}

void Worker::trade() {
    if (items_.size() > 1 && below(2) == 0) {
        shared_.give(std::move(items_.back()));
        items_.pop_back();
    } else if (items_.size() < most_items) {
        if (auto taken = shared_.take()) {
            items_.push_back(std::move(taken));
        }
    }
}

void Worker::ask() {
    Item& asked = item();
    switch (below(5)) {
    case 0:
        asked.last.wait();
        break;
    case 1:
        (void)asked.last.ready();
        break;
    case 2:
        queue_for(asked)->flush();
        break;
    case 3:
        (void)queue_for(asked)->idle();
        break;
    default:
        if (below(4) == 0) {
            queue_for(asked)->finish();
        }
        break;
    }
}

void Worker::check_reads(std::size_t keep) {
    while (reads_.size() > keep || (!reads_.empty() && reads_.front()->done.ready())) {
        reads_.front()->done.wait();
        check(reads_.front()->seen, reads_.front()->wanted, "a read");
        reads_.pop_front();
    }
}

void Worker::check(const std::vector<Word>& seen, const std::vector<Word>& wanted, const char* what) {
    const auto difference = std::mismatch(seen.begin(), seen.end(), wanted.begin(), wanted.end());
    if (difference.first != seen.end() || difference.second != wanted.end()) {
        shared_.fail(std::string(what) + " of " + std::to_string(wanted.size()) +
                     " words differs from word " + std::to_string(difference.first - seen.begin()) + " on");
    }
}

void Worker::finish() {
    check_reads(0);
    for (auto& pending : sources_) {
        pending.first.wait();
    }
    for (const auto& left : items_) {
        const auto queue = queue_for(*left);
        std::vector<Word> seen(left->model.size());
        queue->copy(left->buffer, seen);
        queue->record().wait();
        check(seen, left->model, "a buffer at the end");
    }
    check_file();
    while (callbacks_done_ != callbacks_) {
        std::this_thread::yield();
    }
    kept_.clear();
}

} // namespace stress
