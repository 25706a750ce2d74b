// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_event.hpp"
#include "driver/driver_memory.hpp"
#include "driver/driver_program.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <new>

namespace ferry::driver {

template <class V>
class Queue final : public backend::Queue {
public:
    using Pointer = typename V::Pointer;
    using Place = backend::Place;

    Queue(Device<V>& device, DeviceContext<V>& context)
        : device_(&device), api_(&context.api()), context_(context.get()) {
        const Guard<V> guard(*api_, context_);
        api_->call(api_->stream_create, &stream_, flag::stream_non_blocking);
    }
    ~Queue() override {
        release_in<V>(*api_, context_, [this] { api_->call_quietly(api_->stream_destroy, stream_); });
    }

    void write(const void* from, Place to, std::size_t bytes) override {
        const Guard<V> guard(*api_, context_);
        if (is_device_memory(to)) {
            api_->call(api_->upload, pointer_of<V>(to), V::upload_source(from), bytes, stream_);
        } else {
            copy_any(V::host_source(from), pointer_of<V>(to), bytes);
        }
    }
    void read(Place from, void* to, std::size_t bytes) override {
        const Guard<V> guard(*api_, context_);
        if (is_device_memory(from)) {
            api_->call(api_->download, to, pointer_of<V>(from), bytes, stream_);
        } else {
            copy_any(pointer_of<V>(from), V::host_source(to), bytes);
        }
    }
    void copy(Place from, Place to, std::size_t bytes) override {
        const Guard<V> guard(*api_, context_);
        if (is_device_memory(from) && is_device_memory(to)) {
            api_->call(api_->copy, pointer_of<V>(to), pointer_of<V>(from), bytes, stream_);
        } else {
            copy_any(pointer_of<V>(from), pointer_of<V>(to), bytes);
        }
    }
    void copy_peer(Place from, Place to, std::size_t bytes) override {
        Device<V>& source = memory_of<V>(from).device();
        Device<V>& target = memory_of<V>(to).device();
        source.enable_peer(target);
        target.enable_peer(source);
        const Guard<V> guard(*api_, context_);
        if (is_device_memory(from) && is_device_memory(to)) {
            api_->call(api_->copy_peer, pointer_of<V>(to), target.context().get(),
                       V::peer_source(pointer_of<V>(from)), source.context().get(), bytes, stream_);
        } else {
            copy_any(pointer_of<V>(from), pointer_of<V>(to), bytes);
        }
    }
    void fill(Place to, std::size_t bytes, const void* pattern, std::size_t size) override {
        const Guard<V> guard(*api_, context_);
        const Pointer pointer = pointer_of<V>(to);
        if (size == 1) {
            api_->call(api_->fill_1, pointer, load<std::uint8_t>(pattern), bytes, stream_);
        } else if (size == 2) {
            api_->call(api_->fill_2, pointer, load<std::uint16_t>(pattern), bytes / 2, stream_);
        } else {
            fill_words(to, bytes, pattern, size);
        }
    }
    void launch(backend::Kernel& kernel, const Grid& grid,
                std::span<const backend::Argument> arguments) override;

    void record(backend::Event& event) override {
        const Guard<V> guard(*api_, context_);
        api_->call(api_->event_record, static_cast<Event<V>&>(event).native(), stream_);
    }
    bool can_wait(const backend::Event&) const override { return true; }
    void wait(backend::Event& event) override {
        const Guard<V> guard(*api_, context_);
        api_->call(api_->stream_wait, stream_, static_cast<Event<V>&>(event).native(), 0U);
    }

    void* map(Place place, std::size_t bytes, Map access) override {
        if (!is_device_memory(place)) {
            finish();
            return static_cast<std::byte*>(place.memory->host) + place.offset;
        }
        Staging staging(bytes);
        if (access != Map::discard) {
            read(place, staging.data, bytes);
        }
        finish();
        return staging.release();
    }
    void unmap(Place place, std::size_t bytes, Map access, void* host) override {
        if (!is_device_memory(place)) {
            return;
        }
        const Staging staging(host);
        if (access != Map::read) {
            write(staging.data, place, bytes);
            finish();
        }
    }

    void flush() override {}
    void finish() override {
        const Guard<V> guard(*api_, context_);
        api_->call(api_->stream_synchronize, stream_);
    }
    bool idle() override {
        const Guard<V> guard(*api_, context_);
        const int code = api_->stream_query(stream_);
        if (code != result::success && code != result::not_ready) {
            api_->fail(api_->stream_query.name, code);
        }
        return code == result::success;
    }
    void* native() override { return stream_; }

private:
    static constexpr std::size_t max_arguments = 128;

    /// The host's view of a mapped range of device memory.
    struct Staging {
        static constexpr std::align_val_t alignment{64};

        explicit Staging(std::size_t bytes) : data(::operator new(bytes, alignment, std::nothrow)) {
            if (data == nullptr) {
                throw Error(Code::out_of_memory,
                            "The host has no room for a mapping of " + std::to_string(bytes) + " bytes");
            }
        }
        explicit Staging(void* made_before) : data(made_before) {}
        Staging(const Staging&) = delete;
        Staging& operator=(const Staging&) = delete;
        ~Staging() { ::operator delete(data, alignment); }
        void* release() { return std::exchange(data, nullptr); }

        void* data;
    };

    template <class T>
    static T load(const void* from) noexcept {
        T value;
        std::memcpy(&value, from, sizeof(T));
        return value;
    }
    static bool is_device_memory(const Place& place) noexcept {
        return memory_of<V>(place).kind() == MemoryKind::device;
    }
    void copy_any(Pointer from, Pointer to, std::size_t bytes) {
        if (const int code = V::copy_any(*api_, to, from, bytes, stream_); code != result::success) {
            api_->fail(api_->copy_any.name, code);
        }
    }

    // 8 and 16 bytes: the vendors fill at most 4, so the first pattern is set word by word and what is there
    // is then copied behind itself until all is full.
    void fill_words(const Place& to, std::size_t bytes, const void* pattern, std::size_t size) {
        std::array<std::uint32_t, 4> words{};
        std::memcpy(words.data(), pattern, size);
        const std::size_t count = size / sizeof(std::uint32_t);
        const std::uint64_t address = to.memory->address + to.offset;
        const auto set = [&](std::uint64_t at, std::uint32_t word, std::size_t times) {
            api_->call(api_->fill_4, V::to_pointer(at), static_cast<typename V::Word>(word), times, stream_);
        };
        if (std::all_of(words.begin(), words.begin() + count,
                        [&](std::uint32_t word) { return word == words[0]; })) {
            set(address, words[0], bytes / sizeof(std::uint32_t));
            return;
        }
        for (std::size_t i = 0; i < count; ++i) {
            set(address + i * sizeof(std::uint32_t), words[i], 1);
        }
        const bool device_memory = is_device_memory(to);
        for (std::size_t done = size; done < bytes;) {
            const std::size_t next = std::min(done, bytes - done);
            if (device_memory) {
                api_->call(api_->copy, V::to_pointer(address + done), V::to_pointer(address), next, stream_);
            } else {
                copy_any(V::to_pointer(address), V::to_pointer(address + done), next);
            }
            done += next;
        }
    }

    Device<V>* device_;
    const Api<V>* api_;
    typename V::Context context_;
    handle::Stream stream_ = nullptr;
};

template <class V>
void Queue<V>::launch(backend::Kernel& kernel, const Grid& grid,
                      std::span<const backend::Argument> arguments) {
    using Kind = detail::Argument::Kind;
    if (arguments.size() > max_arguments) {
        throw Error(Code::unsupported, "A launch with " + std::to_string(arguments.size()) +
                                           " arguments is not supported on this backend; the limit is " +
                                           std::to_string(max_arguments));
    }
    std::array<void*, max_arguments> parameters;    // NOLINT: filled as far as used
    std::array<Pointer, max_arguments> addresses;   // NOLINT
    std::array<std::uint32_t, max_arguments> local; // NOLINT
    std::size_t local_bytes = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const backend::Argument& argument = arguments[i];
        switch (argument.kind) {
        case Kind::value:
            parameters[i] = const_cast<void*>(argument.value);
            break;
        case Kind::buffer:
            addresses[i] = argument.place.memory != nullptr ? pointer_of<V>(argument.place) : Pointer{};
            parameters[i] = &addresses[i];
            break;
        case Kind::local:
            local_bytes = (local_bytes + 15) & ~static_cast<std::size_t>(15);
            local[i] = static_cast<std::uint32_t>(local_bytes);
            local_bytes += argument.bytes;
            parameters[i] = &local[i];
            break;
        }
    }
    auto& function = static_cast<Kernel<V>&>(kernel);
    const auto narrow = [](std::size_t value) { return static_cast<unsigned int>(value); };
    const Guard<V> guard(*api_, context_);
    if (local_bytes != 0) {
        function.allow_local_memory(local_bytes);
    }
    api_->call(api_->launch, function.function(), narrow(grid.groups.x), narrow(grid.groups.y),
               narrow(grid.groups.z), narrow(grid.local.x), narrow(grid.local.y), narrow(grid.local.z),
               narrow(local_bytes), stream_, parameters.data(), static_cast<void**>(nullptr));
}

} // namespace ferry::driver
