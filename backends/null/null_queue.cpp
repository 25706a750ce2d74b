// SPDX-License-Identifier: Apache-2.0
#include "null_queue.hpp"

#include "null_error.hpp"

#include <string>

namespace ferry::null {

// The first part of each message, as a subject. The front adds the caller's line.
void NullQueue::write(const void*, backend::Place, std::size_t bytes) {
    throw refusal("A write of " + std::to_string(bytes) + " bytes");
}

void NullQueue::read(backend::Place, void*, std::size_t bytes) {
    throw refusal("A read of " + std::to_string(bytes) + " bytes");
}

void NullQueue::copy(backend::Place, backend::Place, std::size_t bytes) {
    throw refusal("A copy of " + std::to_string(bytes) + " bytes");
}

void NullQueue::fill(backend::Place, std::size_t bytes, const void*, std::size_t) {
    throw refusal("A fill of " + std::to_string(bytes) + " bytes");
}

void NullQueue::launch(backend::Kernel& kernel, const Grid&, std::span<const backend::Argument>) {
    throw refusal("The launch of kernel " + kernel.info().name);
}

void* NullQueue::map(backend::Place, std::size_t bytes, Map) {
    throw refusal("A mapping of " + std::to_string(bytes) + " bytes");
}

void NullQueue::unmap(backend::Place, std::size_t, Map, void*) {}

} // namespace ferry::null
