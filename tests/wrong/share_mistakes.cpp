// SPDX-License-Identifier: Apache-2.0
#include "share_mistakes.hpp"

#include "pages.hpp"
#include "scene.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace wrong {

void share_for_reading_written(const ferry::Device& device) {
    Scene s(device);
    const auto shared = ferry::share(device, s.words, ferry::Access::device_reads);
    s.first.launch(kernel(device, "add"), {count, 1}, shared, Word{1});
    s.first.finish();
}

void const_view_written(const ferry::Device& device) {
    Scene s(device);
    s.first.launch(kernel(device, "add"), {count, 1}, ferry::View<const Word>(s.a), Word{1});
    s.first.finish();
}

void shared_written_without_guard(const ferry::Device& device) {
    Scene s(device);
    const auto shared = ferry::share(device, s.words, ferry::Access::device_updates);
    s.first.launch(kernel(device, "add"), {count, 1}, shared, Word{1});
    static_cast<void>(shared.host(s.first));
    s.words[3] = 99;
    s.first.launch(kernel(device, "add"), {count, 1}, shared, Word{1});
}

namespace {

/// Pages with their newest words on the device.
template <class Use>
void use_pages_of_the_device(const ferry::Device& device, const Use& use) {
    Scene s(device);
    const Pages pages;
    const auto shared = ferry::share(device, pages.words(), ferry::Access::device_updates);
    s.first.launch(kernel(device, "add"), {pages.words().size(), 1}, shared, Word{1});
    s.first.finish();
    use(pages.words());
}

} // namespace

void shared_read_without_guard(const ferry::Device& device) {
    use_pages_of_the_device(
        device, [](std::span<Word> words) { static_cast<void>(*const_cast<volatile Word*>(&words[5])); });
}

void shared_overwritten_without_guard(const ferry::Device& device) {
    use_pages_of_the_device(device,
                            [](std::span<Word> words) { *const_cast<volatile Word*>(&words[6]) = 4; });
}

namespace {

/// Begins and ends inside pages. The device has the newest words.
template <class Use>
void use_edges_of_the_device(const ferry::Device& device, const Use& use) {
    Scene s(device);
    std::vector<Word> room(count * 4, 7);
    const std::span<Word> words = std::span(room).subspan(5, count * 4 - 10);
    const auto shared = ferry::share(device, words, ferry::Access::device_updates);
    s.first.launch(kernel(device, "add"), {words.size(), 1}, shared, Word{1});
    s.first.finish();
    use(words, s.first, shared);
    static_cast<void>(shared.host(s.first));
    if (room[4] != 7 || room[words.size() + 5] != 7 || words.front() != 8 || words.back() != 8) {
        throw std::runtime_error("bytes beside the share, or those of a guard, are wrong");
    }
}

} // namespace

void shared_edge_read_without_guard(const ferry::Device& device) {
    use_edges_of_the_device(device, [](std::span<Word> words, auto&, auto&) {
        const auto first = *const_cast<volatile Word*>(&words.front());
        const auto last = *const_cast<volatile Word*>(&words.back());
        if (first == 0xfff5fff5 && last == first) {
            throw std::runtime_error("shared memory was read without a guard: it holds poison");
        }
    });
}

void shared_edge_overwritten_without_guard(const ferry::Device& device) {
    use_edges_of_the_device(device, [](std::span<Word> words, auto&, auto&) { words.front() = 4; });
}

namespace {

/// The device has a copy with the newest bytes.
auto updated_in_a_copy(Scene& s) {
    auto shared = ferry::share(s.device, s.words, ferry::Access::device_updates,
                               {.allowed = {ferry::Placement::copy, ferry::Placement::stage}});
    s.first.launch(kernel(s.device, "add"), {count, 1}, shared, Word{1});
    s.first.finish();
    return shared;
}

} // namespace

void shared_copy_written_without_guard(const ferry::Device& device) {
    Scene s(device);
    const auto shared = updated_in_a_copy(s);
    s.words[3] = 99;
    s.first.launch(kernel(device, "add"), {count, 1}, shared, Word{1});
}

void shared_written_past_the_share(const ferry::Device& device) {
    Scene s(device);
    const auto shared = updated_in_a_copy(s);
    s.first.copy(s.a, s.words);
    s.first.finish();
}

void shared_read_past_the_share(const ferry::Device& device) {
    Scene s(device);
    const auto shared = updated_in_a_copy(s);
    s.first.copy(s.words, s.a);
    s.first.finish();
}

} // namespace wrong
