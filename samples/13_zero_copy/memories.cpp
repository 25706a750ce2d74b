// SPDX-License-Identifier: Apache-2.0
#include "memories.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace {

using Words = std::span<const std::uint32_t>;

class VectorMemory final : public Memory {
public:
    explicit VectorMemory(Words words) : data_(words.begin(), words.end()) {}
    std::string_view name() const override { return "a vector"; }
    Words words() const override { return data_; }

private:
    std::vector<std::uint32_t> data_;
};

class MappedMemory final : public Memory {
public:
    /// Maps a file that was already removed, or anonymous memory.
    MappedMemory(Words words, bool file) : bytes_(words.size_bytes()), of_file_(file) {
        std::FILE* const stream = file ? std::tmpfile() : nullptr;
        if (file && (stream == nullptr || std::fwrite(words.data(), 1, bytes_, stream) != bytes_ ||
                     std::fflush(stream) != 0)) {
            throw std::runtime_error("the temporary file cannot be written");
        }
        data_ = file ? mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, fileno(stream), 0)
                     : mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (file) {
            std::fclose(stream); // the mapping remains
        }
        if (data_ == MAP_FAILED) {
            throw std::runtime_error("mmap failed");
        }
        if (!file) {
            std::copy(words.begin(), words.end(), static_cast<std::uint32_t*>(data_));
        }
    }
    MappedMemory(const MappedMemory&) = delete;
    MappedMemory& operator=(const MappedMemory&) = delete;
    ~MappedMemory() override { munmap(data_, bytes_); }
    std::string_view name() const override { return of_file_ ? "a file, read-only" : "pages of the system"; }
    Words words() const override {
        return {static_cast<const std::uint32_t*>(data_), bytes_ / sizeof(std::uint32_t)};
    }

private:
    std::size_t bytes_;
    bool of_file_;
    void* data_ = nullptr;
};

class PinnedMemory final : public Memory {
public:
    PinnedMemory(const ferry::Device& device, Words words)
        : buffer_(device, words.size(), ferry::MemoryKind::host) {
        std::copy(words.begin(), words.end(), buffer_.span().begin());
    }
    std::string_view name() const override { return "a pinned buffer"; }
    Words words() const override { return buffer_.span(); }

private:
    ferry::Buffer<std::uint32_t> buffer_;
};

} // namespace

std::unique_ptr<Memory> vector_memory(Words words) {
    return std::make_unique<VectorMemory>(words);
}

std::vector<std::unique_ptr<Memory>> all_memories(const ferry::Device& device, Words words) {
    std::vector<std::unique_ptr<Memory>> memories;
    memories.push_back(vector_memory(words));
    memories.push_back(std::make_unique<MappedMemory>(words, false));
    memories.push_back(std::make_unique<MappedMemory>(words, true));
    if (device.has(ferry::MemoryKind::host)) {
        memories.push_back(std::make_unique<PinnedMemory>(device, words));
    }
    return memories;
}
