// SPDX-License-Identifier: Apache-2.0
// Boxes, batches, recordings and files for the random operations.
#include "../conformance/kernels.hpp"
#include "stress_worker.hpp"

#include <ferry/file.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <span>
#include <stdexcept>

namespace stress {
namespace {

/// A box within an array of words.
struct Place {
    ferry::Extent extent;
    std::size_t first = 0;
    std::size_t row = 0; ///< distance of rows in words
    std::size_t slice = 0;

    std::size_t reach() const {
        return (extent.depth - 1) * slice + (extent.height - 1) * row + extent.width;
    }
    ferry::Pitches pitches() const { return {row * sizeof(Word), slice * sizeof(Word)}; }
};

template <class Use>
void for_each_word(const Place& from, const Place& to, const Use& use) {
    for (std::size_t z = 0; z < from.extent.depth; ++z) {
        for (std::size_t y = 0; y < from.extent.height; ++y) {
            for (std::size_t x = 0; x < from.extent.width; ++x) {
                use(from.first + z * from.slice + y * from.row + x, to.first + z * to.slice + y * to.row + x);
            }
        }
    }
}

ferry::Box<Word> box_of(Item& item, const Place& place) {
    return {item.buffer.subview(place.first), place.extent, place.pitches()};
}
ferry::HostBox<Word> box_of(std::vector<Word>& words, const Place& place) {
    return {std::span(words).subspan(place.first), place.extent, place.pitches()};
}

} // namespace

File::File(std::size_t words) : model(words, 0), path_("/tmp/ferry-stress-XXXXXX") {
    const int file = mkstemp(path_.data());
    if (file < 0 || ftruncate(file, static_cast<off_t>(words * sizeof(Word))) != 0) {
        throw std::runtime_error("no file could be made in /tmp");
    }
    close(file);
}

File::~File() {
    unlink(path_.c_str());
}

Item* Worker::other_on_device(const Item& than) {
    std::vector<Item*> others;
    for (const auto& item : items_) {
        if (item.get() != &than && item->device == than.device) {
            others.push_back(item.get());
        }
    }
    return others.empty() ? nullptr : others[below(others.size())];
}

void Worker::box() {
    Item& source = item();
    Item& target = item();
    const std::size_t words = std::min(source.model.size(), target.model.size());
    Place tight;
    tight.extent.width = 1 + below(std::min<std::size_t>(words, 40));
    tight.extent.height = 1 + below(std::min<std::size_t>(words / tight.extent.width, 12));
    tight.extent.depth =
        1 + below(std::min<std::size_t>(words / tight.extent.width / tight.extent.height, 4));
    const auto place_in = [&](std::size_t room) {
        Place place = tight;
        place.row = place.extent.width + below(4);
        place.slice = place.row * place.extent.height + below(6);
        if (place.reach() > room) {
            place.row = place.extent.width;
            place.slice = place.row * place.extent.height;
        }
        place.first = below(room - place.reach() + 1);
        return place;
    };
    const auto queue = queue_for(target);
    const Place to = place_in(target.model.size());
    if (&source == &target || below(3) == 0) {
        const Place host = place_in(target.model.size());
        auto pending = std::make_unique<Read>();
        pending->seen.assign(target.model.size(), 0xa5a5a5a5);
        pending->wanted = pending->seen;
        if (below(2) == 0) {
            for_each_word(to, host, [&](std::size_t from, std::size_t at) {
                pending->wanted[at] = target.model[from];
            });
            queue->copy(box_of(target, to), box_of(pending->seen, host));
            pending->done = target.last = queue->record();
            reads_.push_back(std::move(pending));
        } else {
            auto words_from = std::make_unique<std::vector<Word>>(target.model.size());
            std::ranges::generate(*words_from, [&] { return word(); });
            queue->copy(box_of(*words_from, host), box_of(target, to));
            for_each_word(host, to,
                          [&](std::size_t from, std::size_t at) { target.model[at] = (*words_from)[from]; });
            target.last = queue->record();
            keep_source(target.last, std::move(words_from));
        }
        return;
    }
    const Place from = place_in(source.model.size());
    const auto carrier = below(2) == 0 ? queue_for(source) : queue;
    carrier->wait(source.last);
    carrier->wait(target.last);
    carrier->copy(box_of(source, from), box_of(target, to));
    for_each_word(from, to, [&](std::size_t a, std::size_t b) { target.model[b] = source.model[a]; });
    source.last = target.last = carrier->record();
}

/// A batch of adjacent pieces of one buffer, copied from host memory and from another buffer, and of copies
/// from that buffer.
void Worker::batch() {
    Item& target = item();
    Item* const source = other_on_device(target);
    const auto queue = queue_for(target);
    auto host = std::make_unique<std::vector<Word>>(target.model.size());
    std::ranges::generate(*host, [&] { return word(); });
    auto pending = std::make_unique<Read>();
    ferry::Batch copies;
    if (source != nullptr) {
        queue->wait(source->last);
        pending->wanted = source->model;
        pending->seen.assign(source->model.size(), 0xa5a5a5a5);
        for (std::size_t at = 0; at < source->model.size();) {
            const std::size_t count = std::min(1 + below(500), source->model.size() - at);
            copies.copy(source->buffer.subview(at, count), std::span(pending->seen).subspan(at, count));
            at += count;
        }
    }
    for (std::size_t at = below(20); at < target.model.size();) {
        const std::size_t count = std::min(1 + below(400), target.model.size() - at);
        if (source != nullptr && count <= source->model.size() && below(2) == 0) {
            const std::size_t from = below(source->model.size() - count + 1);
            copies.copy(source->buffer.subview(from, count), target.buffer.subview(at, count));
            std::copy_n(source->model.begin() + static_cast<std::ptrdiff_t>(from), count,
                        target.model.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
            copies.copy(std::span(*host).subspan(at, count), target.buffer.subview(at, count));
            std::copy_n(host->begin() + static_cast<std::ptrdiff_t>(at), count,
                        target.model.begin() + static_cast<std::ptrdiff_t>(at));
        }
        at += count + below(3);
    }
    queue->copy(copies);
    target.last = queue->record();
    if (source != nullptr) {
        pending->done = source->last = target.last;
        reads_.push_back(std::move(pending));
    }
    keep_source(target.last, std::move(host));
}

/// Replays a recording more than once, and destroys it before the replays are done.
void Worker::replay() {
    Item& target = item();
    Item* const other = other_on_device(target);
    const auto queue = queue_for(target);
    const auto count = static_cast<Word>(target.model.size());
    const Word value = word();
    Word salt = word();
    const std::size_t first = below(count);
    const std::size_t filled = 1 + below(count - first);
    const std::size_t copied =
        other != nullptr ? 1 + below(std::min(target.model.size(), other->model.size())) : 0;
    auto host = below(3) == 0 ? std::make_unique<std::vector<Word>>(filled) : nullptr;
    ferry::Step stirs;
    const ferry::Device& device = shared_.devices()[target.device];
    ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                   if (host != nullptr) {
                                       std::ranges::generate(*host, [&] { return word(); });
                                       record.copy(*host, target.buffer.subview(first, filled));
                                   } else {
                                       record.fill(target.buffer.subview(first, filled), value);
                                   }
                                   stirs = record.launch(conformance::kernel(device, "stir"),
                                                         ferry::Grid::covering(count, 32), target.buffer,
                                                         count, salt);
                                   if (other != nullptr) {
                                       record.copy(target.buffer.first(copied), other->buffer.last(copied));
                                   }
                               }};
    if (other != nullptr) {
        queue->wait(other->last);
    }
    for (std::size_t round = 1 + below(3); round != 0; --round) {
        queue->replay(recording);
        for (std::size_t i = 0; i < filled; ++i) {
            target.model[first + i] = host != nullptr ? (*host)[i] : value;
        }
        for (Word i = 0; i < count; ++i) {
            target.model[i] = conformance::stir_result(target.model[i], i, salt);
        }
        if (other != nullptr) {
            std::copy_n(target.model.begin(), copied,
                        other->model.end() - static_cast<std::ptrdiff_t>(copied));
        }
        recording.set(stirs, 2, salt = word());
    }
    target.last = queue->record();
    if (other != nullptr) {
        other->last = target.last;
    }
    if (host != nullptr) {
        keep_source(target.last, std::move(host));
    }
}

void Worker::file() {
    Item& used = item();
    const auto queue = queue_for(used);
    queue->wait(file_.last);
    const std::size_t words = used.model.size();
    const std::size_t count = 1 + below(words);
    const std::size_t first = below(words - count + 1);
    const std::size_t at = below(file_.model.size() - count + 1);
    const auto in_file = file_.model.begin() + static_cast<std::ptrdiff_t>(at);
    const auto in_model = used.model.begin() + static_cast<std::ptrdiff_t>(first);
    const ferry::FileOptions options{.offset = at * sizeof(Word)};
    if (below(2) == 0) {
        ferry::read_file(*queue, file_.path(), used.buffer.subview(first, count), options);
        std::copy_n(in_file, count, in_model);
    } else {
        ferry::write_file(*queue, used.buffer.subview(first, count), file_.path(), options);
        std::copy_n(in_model, count, in_file);
    }
    used.last = file_.last = queue->record();
}

void Worker::check_file() {
    file_.last.wait();
    std::vector<Word> seen(file_.model.size());
    std::ifstream in(file_.path(), std::ios::binary);
    in.read(reinterpret_cast<char*>(seen.data()), static_cast<std::streamsize>(seen.size() * sizeof(Word)));
    check(seen, file_.model, "the file at the end");
}

} // namespace stress
