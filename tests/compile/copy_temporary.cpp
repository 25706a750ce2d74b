// SPDX-License-Identifier: Apache-2.0
// A temporary that owns its elements must not be an end of a copy that continues after the call.
#include <ferry/ferry.hpp>

#include <array>
#include <span>
#include <vector>

std::vector<float> make();
ferry::Buffer<float> make_buffer();

void lasting(ferry::Queue& queue, ferry::Batch& batch, ferry::Recorder& recorder,
             ferry::Buffer<float>& buffer) {
    std::vector<float> named(3);
    const std::vector<float> fixed(3);
    float plain[3] = {};
    queue.copy(named, buffer);
    queue.copy(fixed, buffer);
    queue.copy(plain, buffer);
    queue.copy(buffer, plain);
    queue.copy(std::span(named), buffer);
    queue.copy(std::span<const float>(fixed), buffer.first(3));
    queue.copy(buffer, std::span(named));
    queue.copy(make_buffer(), named); // its memory remains until the copy is done
    queue.copy(named, make_buffer());
    batch.copy(std::span(named), buffer).copy(buffer.last(3), named);
    recorder.copy(fixed, buffer);
    recorder.copy(buffer.first(3), std::span(named));
    queue.copy_and_wait(make(), buffer);
    queue.copy_and_wait(buffer, named);
}

enum class Wrong {
    none,
    queue_source,
    batch_source,
    recorder_source,
    array_source,
    queue_destination,
    batch_destination,
    recorder_destination
};

#ifdef FERRY_WRONG
template <Wrong Which>
void wrong(ferry::Queue& queue, ferry::Batch& batch, ferry::Recorder& recorder,
           ferry::Buffer<float>& buffer) {
    if constexpr (Which == Wrong::queue_source) {
        queue.copy(make(), buffer);
    } else if constexpr (Which == Wrong::batch_source) {
        batch.copy(make(), buffer);
    } else if constexpr (Which == Wrong::recorder_source) {
        recorder.copy(make(), buffer);
    } else if constexpr (Which == Wrong::array_source) {
        queue.copy(std::array<float, 3>{1, 2, 3}, buffer);
    } else if constexpr (Which == Wrong::queue_destination) {
        queue.copy(buffer, make());
    } else if constexpr (Which == Wrong::batch_destination) {
        batch.copy(buffer, make());
    } else if constexpr (Which == Wrong::recorder_destination) {
        recorder.copy(buffer, make());
    }
}
template void wrong<Wrong::FERRY_WRONG>(ferry::Queue&, ferry::Batch&, ferry::Recorder&,
                                        ferry::Buffer<float>&);
#endif
