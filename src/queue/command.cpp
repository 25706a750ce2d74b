// SPDX-License-Identifier: Apache-2.0
#include "queue/command.hpp"

#include "device/exit_watch.hpp"
#include "device/timeline.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

namespace ferry::detail {
namespace {

/// Arguments in the backend's form. Stored on the stack; the unused part is not initialized.
class NativeArguments {
public:
    explicit NativeArguments(std::span<const Argument> arguments) : count_(arguments.size()) {
        for (std::size_t i = 0; i < count_; ++i) {
            const Argument& a = arguments[i];
            std::construct_at(data() + i,
                              backend::Argument{a.kind, a.bytes, a.value, place_of(a.region), a.constant});
        }
    }
    std::span<const backend::Argument> get() const noexcept {
        return {std::launder(reinterpret_cast<const backend::Argument*>(storage_)), count_};
    }

private:
    backend::Argument* data() noexcept { return reinterpret_cast<backend::Argument*>(storage_); }
    alignas(backend::Argument) std::byte storage_[max_arguments * sizeof(backend::Argument)];
    std::size_t count_;
};

} // namespace

[[gnu::hot]] void WriteCommand::run(const CommandTarget& on) const {
    on.queue.write(host, place_of(to), to.bytes);
}

[[gnu::hot]] void ReadCommand::run(const CommandTarget& on) const {
    on.queue.read(place_of(from), host, from.bytes);
    on.host_writes.note(host, from.bytes, on.number);
}

[[gnu::hot]] void CopyCommand::run(const CommandTarget& on) const {
    if (peer) {
        on.queue.copy_peer(place_of(from), place_of(to), to.bytes);
    } else {
        on.queue.copy(place_of(from), place_of(to), to.bytes);
    }
}

void BoxCommand::run(const CommandTarget& on) const {
    if (from.region.memory == nullptr) {
        on.queue.write_box(from.host, copy.from, place_of(to.region), copy.to, copy.box);
    } else if (to.region.memory == nullptr) {
        on.queue.read_box(place_of(from.region), copy.from, to.host, copy.to, copy.box);
        on.host_writes.note(on.number);
    } else {
        on.queue.copy_box(place_of(from.region), copy.from, place_of(to.region), copy.to, copy.box);
    }
}

void BatchCommand::run(const CommandTarget& on) const {
    // Large groups, because a backend may merge more adjacent copies.
    constexpr std::size_t at_once = 4096;
    for (std::span<const BatchedCopy> all = copies; !all.empty();) {
        const std::size_t count = std::min(all.size(), at_once);
        on.batched.clear();
        for (const BatchedCopy& one : all.first(count)) {
            on.batched.push_back(
                {place_of(one.from), place_of(one.to), one.host_from, one.host_to, one.to.bytes});
        }
        on.queue.copy_batch(on.batched);
        all = all.subspan(count);
    }
    if (std::any_of(copies.begin(), copies.end(),
                    [](const BatchedCopy& one) { return one.host_to != nullptr; })) {
        on.host_writes.note(on.number);
    }
}

void FillCommand::run(const CommandTarget& on) const {
    on.queue.fill(place_of(to), to.bytes, pattern.data(), pattern.size());
}

void HintCommand::run(const CommandTarget& on) const {
    if (const Prefetch* const to = std::get_if<Prefetch>(&hint)) {
        on.queue.prefetch(place_of(region), region.bytes, *to);
    } else {
        on.queue.advise(place_of(region), region.bytes, std::get<Advice>(hint));
    }
}

void LaunchCommand::own(CommandData& data) {
    auto kept_kernel = std::make_shared<const std::shared_ptr<KernelState>>(*kernel);
    auto kept = std::make_shared<std::vector<Argument>>(arguments.begin(), arguments.end());
    for (Argument& argument : *kept) {
        if (argument.kind == ArgumentKind::value) {
            argument.value =
                data.copy(std::span(static_cast<const std::byte*>(argument.value), argument.bytes)).data();
        }
    }
    kernel = kept_kernel.get();
    arguments = *kept;
    data.keep(std::move(kept_kernel));
    data.keep(std::move(kept));
}

[[gnu::hot]] void LaunchCommand::run(const CommandTarget& on) const {
    KernelState& state = **kernel;
    if (native.size() == arguments.size()) {
        on.queue.launch(state.native(), grid, native);
    } else {
        on.queue.launch(state.native(), grid, NativeArguments(arguments).get());
    }
    if (state.is_new()) [[unlikely]] {
        watch_first_launch({&on.timeline, on.number});
    }
}

void UnmapCommand::run(const CommandTarget& on) const {
    on.queue.unmap(place_of(region), region.bytes, access, host);
}

} // namespace ferry::detail
