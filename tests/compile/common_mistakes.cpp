// SPDX-License-Identifier: Apache-2.0
// Common mistakes, each with an explanation of one line.
#include <ferry/ferry.hpp>

#include <array>
#include <ranges>
#include <span>
#include <vector>

// Otherwise a copy would take them for memory of the host.
static_assert(!std::ranges::range<ferry::Buffer<float>> && !std::ranges::range<const ferry::View<float>>);

void right(ferry::Queue& queue, ferry::Batch& batch, ferry::Recorder& recorder, ferry::Kernel& kernel,
           ferry::Buffer<float>& buffer, ferry::Shared<float>& shared, float* pointer) {
    queue.copy(std::span(pointer, 3), buffer);
    queue.copy_and_wait(buffer.view(), std::span(pointer, 3));
    batch.copy(std::span(pointer, 3), buffer);
    recorder.copy(std::span(pointer, 3), buffer);
    for (float& value : buffer.map(queue, ferry::Map::read_write)) {
        value = 1;
    }
    std::vector<float> values = queue.read(buffer);
    queue.launch(kernel, ferry::Grid::covering(values.size()), buffer, shared);
    queue.launch(kernel, ferry::Grid::covering({10, 20}, {4, 4}), buffer);
    const std::array arguments{ferry::Argument(buffer), ferry::Argument(3.0F)};
    queue.launch(kernel, {4, 64}, arguments);
    recorder.launch(kernel, {4, 64}, arguments);
}

enum class Wrong {
    none,
    pointer_source,
    pointer_destination,
    pointer_waited,
    pointer_batched,
    pointer_recorded,
    share_copied,
    host_to_host,
    number_copied,
    buffer_loop,
    view_loop,
    buffer_element,
    view_element,
    pointer_argument,
    vector_argument,
    share_recorded
};

#ifdef FERRY_WRONG
template <Wrong Which, class Buffer>
void wrong(ferry::Queue& queue, ferry::Batch& batch, ferry::Recorder& recorder, ferry::Kernel& kernel,
           Buffer& buffer, ferry::Shared<float>& shared, float* pointer, std::vector<float>& vector) {
    if constexpr (Which == Wrong::pointer_source) {
        queue.copy(pointer, buffer);
    } else if constexpr (Which == Wrong::pointer_destination) {
        queue.copy(buffer, pointer);
    } else if constexpr (Which == Wrong::pointer_waited) {
        queue.copy_and_wait(buffer, pointer);
    } else if constexpr (Which == Wrong::pointer_batched) {
        batch.copy(pointer, buffer);
    } else if constexpr (Which == Wrong::pointer_recorded) {
        recorder.copy(pointer, buffer);
    } else if constexpr (Which == Wrong::share_copied) {
        queue.copy(shared, buffer);
    } else if constexpr (Which == Wrong::host_to_host) {
        queue.copy(vector, vector);
    } else if constexpr (Which == Wrong::number_copied) {
        queue.copy(3, buffer);
    } else if constexpr (Which == Wrong::buffer_loop) {
        for (auto& value : buffer) {
            value = 1;
        }
    } else if constexpr (Which == Wrong::view_loop) {
        for (auto& value : buffer.view()) {
            value = 1;
        }
    } else if constexpr (Which == Wrong::buffer_element) {
        buffer[0] = 1;
    } else if constexpr (Which == Wrong::view_element) {
        buffer.view()[0] = 1;
    } else if constexpr (Which == Wrong::pointer_argument) {
        queue.launch(kernel, {4, 64}, pointer);
    } else if constexpr (Which == Wrong::vector_argument) {
        queue.launch(kernel, {4, 64}, vector);
    } else if constexpr (Which == Wrong::share_recorded) {
        recorder.launch(kernel, {4, 64}, shared);
    }
}
template void wrong<Wrong::FERRY_WRONG, ferry::Buffer<float>>(ferry::Queue&, ferry::Batch&, ferry::Recorder&,
                                                              ferry::Kernel&, ferry::Buffer<float>&,
                                                              ferry::Shared<float>&, float*,
                                                              std::vector<float>&);
#endif
