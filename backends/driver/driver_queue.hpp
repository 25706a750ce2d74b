// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_arguments.hpp"
#include "driver/driver_box.hpp"
#include "driver/driver_capture.hpp"
#include "driver/driver_commands.hpp"
#include "driver/driver_event.hpp"
#include "driver/driver_helpers.hpp"
#include "driver/driver_memory.hpp"
#include "driver/driver_planned.hpp"
#include "driver/driver_program.hpp"
#include "hal/mapped_copy.hpp"
#include "system/pause.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>

namespace ferry::driver {

template <class V>
class Queue final : public backend::Queue {
public:
    using Pointer = typename V::Pointer;
    using Place = backend::Place;
    using Box = backend::Box;
    using Pitch = backend::Pitch;

    Queue(Device<V>& device, DeviceContext<V>& context, Sleepers<V>& sleepers, QueuePriority priority)
        : device_(&device),
          api_(&context.api()),
          context_(context.get()),
          sleepers_(&sleepers),
          forecast_(&sleepers.take_forecast()),
          commands_(*api_, context_, taken),
          host_user_(context) {
        const Guard<V> guard(*api_, context_);
        commands_.create_stream(priority);
    }
    /// A borrowed stream, which its owner destroys.
    Queue(Device<V>& device, DeviceContext<V>& context, Sleepers<V>& sleepers, handle::Stream borrowed)
        : device_(&device),
          api_(&context.api()),
          context_(context.get()),
          sleepers_(&sleepers),
          forecast_(&sleepers.take_forecast()),
          commands_(*api_, context_, taken, borrowed),
          owns_(false),
          host_user_(context) {}
    ~Queue() override {
        if (!owns_) {
            return;
        }
        release_in<V>(*api_, context_, [this] {
            api_->call_quietly(api_->stream_destroy, stream());
            device_->context().destroy_graphs();
        });
    }

    [[gnu::hot]] void write(const void* from, Place to, std::size_t bytes) override {
        const auto* const source = static_cast<const std::byte*>(from);
        copy_in_runs(source, to, bytes, [&](std::size_t at, std::size_t run) {
            if (is_device_memory(to)) {
                commands_.submit(run, api_->upload, pointer_of<V>(after(to, at)),
                                 V::upload_source(source + at), run);
            } else {
                copy_any(V::host_source(source + at), pointer_of<V>(after(to, at)), run);
            }
        });
    }
    [[gnu::hot]] void read(Place from, void* to, std::size_t bytes) override {
        auto* const target = static_cast<std::byte*>(to);
        copy_in_runs(target, from, bytes, [&](std::size_t at, std::size_t run) {
            if (is_device_memory(from)) {
                commands_.submit(run, api_->download, static_cast<void*>(target + at),
                                 pointer_of<V>(after(from, at)), run);
            } else {
                copy_any(pointer_of<V>(after(from, at)), V::host_source(target + at), run);
            }
        });
    }
    [[gnu::hot]] void copy(Place from, Place to, std::size_t bytes) override {
        const MemoryKind source = memory_of<V>(from).kind();
        const MemoryKind target = memory_of<V>(to).kind();
        if (source == MemoryKind::device && target == MemoryKind::device) {
            commands_.submit(bytes, api_->copy, pointer_of<V>(to), pointer_of<V>(from), bytes);
        } else if (source == MemoryKind::host && target == MemoryKind::device) {
            commands_.submit(bytes, api_->upload, pointer_of<V>(to), V::upload_source(host_of(from)), bytes);
        } else if (source == MemoryKind::device && target == MemoryKind::host) {
            commands_.submit(bytes, api_->download, static_cast<void*>(host_of(to)), pointer_of<V>(from),
                             bytes);
        } else {
            copy_in_runs(from, to, bytes, [&](std::size_t at, std::size_t run) {
                copy_any(pointer_of<V>(after(from, at)), pointer_of<V>(after(to, at)), run);
            });
        }
    }
    void copy_peer(Place from, Place to, std::size_t bytes) override {
        Device<V>& source = memory_of<V>(from).device();
        Device<V>& target = memory_of<V>(to).device();
        source.enable_peer(target);
        target.enable_peer(source);
        if (is_device_memory(from) && is_device_memory(to)) {
            commands_.submit(bytes, api_->copy_peer, pointer_of<V>(to), target.context().get(),
                             V::peer_source(pointer_of<V>(from)), source.context().get(), bytes);
        } else {
            copy_in_runs(from, to, bytes, [&](std::size_t at, std::size_t run) {
                copy_any(pointer_of<V>(after(from, at)), pointer_of<V>(after(to, at)), run);
            });
        }
    }
    // driver_box_copies.hpp
    void write_box(const void* from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box) override;
    void read_box(Place from, Pitch from_pitch, void* to, Pitch to_pitch, const Box& box) override;
    void copy_box(Place from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box) override;
    bool copy_box_peer(Place from, Pitch from_pitch, Place to, Pitch to_pitch, const Box& box) override;
    void copy_batch(std::span<const backend::BatchCopy> copies) override; // driver_batch.hpp
    void fill(Place to, std::size_t bytes, const void* pattern, std::size_t size) override; // driver_fill.hpp
    void prefetch(Place place, std::size_t bytes, Prefetch to) override {
        commands_.submit(bytes, api_->prefetch, V::peer_source(pointer_of<V>(place)), bytes,
                         to == Prefetch::to_host ? processor : device_->context().ordinal());
    }
    void advise(Place place, std::size_t bytes, Advice advice) override; // At the end of this file
    [[gnu::hot]] void launch(backend::Kernel& kernel, const Grid& grid,
                             std::span<const backend::Argument> arguments) override;

    void replay(backend::Graph& graph) override; // driver_graph.hpp
    [[gnu::hot]] void record(backend::Event& event) override {
        auto& recorded = static_cast<Event<V>&>(event);
        recorded.set_forecast(*forecast_);
        call(api_->event_record, recorded.native(), stream());
    }
    [[gnu::hot]] bool can_wait(const backend::Event&) const override { return true; }
    [[gnu::hot]] void wait(backend::Event& event) override {
        call(api_->stream_wait, stream(), static_cast<Event<V>&>(event).native(), 0U);
    }

    void* map(Place place, std::size_t bytes, Map access) override {
        if (!is_device_memory(place)) {
            finish();
            return static_cast<std::byte*>(place.memory->host) + place.offset;
        }
        backend::MappedCopy staging(bytes);
        finish_with(staging, [&] {
            if (access != Map::discard) {
                read(place, staging.data(), bytes);
            }
        });
        return staging.release();
    }
    void unmap(Place place, std::size_t bytes, Map access, void* host) override {
        if (!is_device_memory(place)) {
            return;
        }
        backend::MappedCopy staging(host);
        if (access != Map::read) {
            finish_with(staging, [&] { write(staging.data(), place, bytes); });
        }
    }

    void flush() override {}
    using backend::Queue::finish;
    void finish(WaitPolicy policy) override {
        int code = result::not_ready;
        if (policy != WaitPolicy::block) {
            backend::poll(policy, *forecast_, [&] { return (code = query()) != result::not_ready; });
        }
        if (code == result::not_ready) {
            sleepers_->until_done(stream());
            call(api_->stream_synchronize, stream());
        } else if (code != result::success) {
            // The question may have failed, not the work: the caller may free what the work still uses.
            static_cast<void>(in_context<V>(*api_, context_, api_->stream_synchronize, stream()));
            api_->fail(api_->stream_query.name, code);
        }
    }
    bool idle() override {
        const int code = query();
        if (code != result::success && code != result::not_ready) {
            api_->fail(api_->stream_query.name, code);
        }
        return code == result::success;
    }
    bool is_end(const Error& error) const noexcept override { return error.code() == Code::device_lost; }
    bool prove_done() noexcept override {
        bool over = false;
        release_in<V>(*api_, context_, [&] { // the driver may also refuse to say which context is current
            over = proves_done(api_->stream_synchronize(stream()));
            int code = result::not_ready;
            detail::Backoff backoff;
            while (!over && (code = api_->stream_query(stream())) == result::not_ready) {
                backoff.pause();
            }
            over = over || proves_done(code) || device_->context().synchronize();
        });
        return over;
    }
    void* native() override { return stream(); }

private:
    template <class T>
    static T load(const void* from) noexcept {
        T value;
        std::memcpy(&value, from, sizeof(T));
        return value;
    }
    static bool is_device_memory(const Place& place) noexcept {
        return memory_of<V>(place).kind() == MemoryKind::device;
    }
    static std::byte* host_of(const Place& place) noexcept {
        return static_cast<std::byte*>(place.memory->host) + place.offset;
    }
    static Place after(Place place, std::size_t bytes) noexcept {
        return {place.memory, place.offset + bytes};
    }
    /// Enqueues a copy to or from the staging memory and waits for it. If that fails and the device may still
    /// use the memory, it is kept.
    template <class F>
    void finish_with(backend::MappedCopy& staging, F&& copy) {
        try {
            copy();
            finish();
        } catch (const std::exception&) {
            if (!prove_done()) {
                static_cast<void>(staging.release());
            }
            throw;
        }
    }
    /// A vendor copy stays within one registration of host memory, or outside of all.
    template <class F>
    static void copy_in_runs(Place from, Place to, std::size_t bytes, F&& copy) {
        for (std::size_t done = 0; done != bytes;) {
            std::size_t run = bytes - done;
            for (const Place& place : {from, to}) {
                run = memory_of<V>(place).run(place.offset + done, run);
            }
            copy(done, run);
            done += run;
        }
    }
    /// The same between pageable memory and Ferry's.
    template <class F>
    void copy_in_runs(const std::byte* host, Place place, std::size_t bytes, F&& copy) {
        for (std::size_t done = 0; done != bytes;) {
            const typename Imports<V>::Use use(host_user_, host + done, bytes - done);
            const std::size_t run = memory_of<V>(place).run(place.offset + done, use.run());
            copy(done, run);
            done += run;
        }
    }
    handle::Stream stream() const noexcept { return commands_.stream(); }
    int query() const { return in_context<V>(*api_, context_, api_->stream_query, stream()); }
    /// For events, waits and questions: all of them name the stream, or an event.
    template <class S, class... A>
    [[gnu::hot]] void call(const S& symbol, A... arguments) const {
        call_in<V>(*api_, context_, symbol, arguments...);
    }
    void copy_box_ends(const BoxEnd& from, const BoxEnd& to, const Box& box);
    bool copy_host_box(const void* host, const BoxEnd& from, const BoxEnd& to, const Box& box);
    void copy_any(Pointer from, Pointer to, std::size_t bytes) {
        commands_.submit_as(bytes, api_->copy_any.name, [&](handle::Stream stream) {
            return V::copy_any(*api_, to, from, bytes, stream);
        });
    }

    bool plan(const backend::BatchCopy& one);
    void carry_out_plan();
    void copy_one(const backend::BatchCopy& one);
    void set(std::uint64_t address, const void* pattern, std::size_t size, std::size_t count);
    void fill_without_vendor(const Place& to, std::size_t bytes, const void* pattern, std::size_t size);
    void fill_with_copies(const Place& to, std::size_t bytes, const void* pattern, std::size_t size);

    Device<V>* device_;
    const Api<V>* api_;
    typename V::Context context_;
    Sleepers<V>* sleepers_;
    backend::WaitForecast* forecast_;
    Commands<V> commands_;
    bool owns_ = true;
    typename Imports<V>::User host_user_;
    Capture<V> capture_;
    Planned<V> planned_; ///< Empty between calls.
};

template <class V>
void Queue<V>::advise(Place place, std::size_t bytes, Advice advice) {
    const int here = device_->context().ordinal();
    const auto give = [&](int what, int where) {
        call(api_->advise, V::peer_source(pointer_of<V>(place)), bytes, what, where);
    };
    switch (advice) {
    case Advice::none:
        give(memory_advice::not_read_mostly, here);
        give(memory_advice::no_preferred_location, here);
        give(memory_advice::not_accessed_by, here);
        break;
    case Advice::read_mostly:
        give(memory_advice::read_mostly, here);
        break;
    case Advice::prefer_device:
        give(memory_advice::preferred_location, here);
        break;
    case Advice::prefer_host:
        give(memory_advice::preferred_location, processor);
        break;
    case Advice::device_access:
        give(memory_advice::accessed_by, here);
        break;
    }
}

template <class V>
void Queue<V>::launch(backend::Kernel& kernel, const Grid& grid,
                      std::span<const backend::Argument> arguments) {
    auto& function = static_cast<Kernel<V>&>(kernel);
    PackedArguments<V> packed(arguments, function.offset_for(grid));
    if (packed.local_bytes() != 0) {
        const Guard<V> guard(*api_, context_);
        function.allow_local_memory(packed.local_bytes());
    }
    commands_.launch(function.function(),
                     {{narrow(grid.groups.x), narrow(grid.groups.y), narrow(grid.groups.z)},
                      {narrow(grid.local.x), narrow(grid.local.y), narrow(grid.local.z)},
                      narrow(packed.local_bytes())},
                     packed.parameters());
}

} // namespace ferry::driver

#include "driver/driver_batch.hpp"
#include "driver/driver_box_copies.hpp"
#include "driver/driver_fill.hpp"
