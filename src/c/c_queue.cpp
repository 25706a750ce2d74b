// SPDX-License-Identifier: Apache-2.0
#include "c_argument.hpp"
#include "queue/launch.hpp"

using ferry::c::Call;
using ferry::c::call;

ferry_code ferry_queue_create(ferry_device* device, const ferry_queue_options* options, ferry_queue** queue) {
    return call(__func__, [&](const Call& at) {
        ferry_queue*& made = at.out(queue, "queue");
        const ferry::QueueOptions wanted = at.options(options);
        made = new ferry_queue(ferry::Queue(at.get(device, "device").device, wanted, at.where));
    });
}

ferry_code ferry_queue_create_with_priority(ferry_device* device, const ferry_queue_options* options,
                                            ferry_queue_priority priority, ferry_queue** queue) {
    return call(__func__, [&](const Call& at) {
        ferry_queue*& made = at.out(queue, "queue");
        ferry::QueueOptions wanted = at.options(options);
        wanted.priority = at.choice(priority, ferry::QueuePriority::high, "priority");
        made = new ferry_queue(ferry::Queue(at.get(device, "device").device, wanted, at.where));
    });
}

void ferry_queue_release(ferry_queue* queue) {
    ferry::c::release(queue);
}

ferry_code ferry_queue_upload(ferry_queue* queue, const void* source, ferry_buffer* buffer, size_t offset,
                              size_t bytes) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        const auto to = at.view(at.get(buffer, "buffer"), offset, bytes);
        on.copy(std::span(static_cast<const std::byte*>(source), to.size()), to, at.where);
    });
}

ferry_code ferry_queue_download(ferry_queue* queue, ferry_buffer* buffer, size_t offset, void* destination,
                                size_t bytes) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        const auto from = at.view(at.get(buffer, "buffer"), offset, bytes);
        on.copy(from, std::span(static_cast<std::byte*>(destination), from.size()), at.where);
    });
}

ferry_code ferry_queue_copy(ferry_queue* queue, ferry_buffer* source, size_t source_offset,
                            ferry_buffer* destination, size_t destination_offset, size_t bytes) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        const auto from = at.view(at.get(source, "source"), source_offset, bytes);
        on.copy(from, at.view(at.get(destination, "destination"), destination_offset, bytes), at.where);
    });
}

ferry_code ferry_queue_fill(ferry_queue* queue, ferry_buffer* buffer, size_t offset, size_t bytes,
                            const void* pattern, size_t pattern_bytes) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        at.not_null(pattern, "pattern", "the address of a pattern");
        on.fill_bytes(at.view(at.get(buffer, "buffer"), offset, bytes),
                      std::span(static_cast<const std::byte*>(pattern), pattern_bytes), at.where);
    });
}

ferry_code ferry_queue_prefetch(ferry_queue* queue, ferry_buffer* buffer, size_t offset, size_t bytes,
                                ferry_prefetch to) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        const auto range = at.view(at.get(buffer, "buffer"), offset, bytes);
        on.prefetch(range, at.choice(to, ferry::Prefetch::to_host, "to"), at.where);
    });
}

ferry_code ferry_queue_advise(ferry_queue* queue, ferry_buffer* buffer, size_t offset, size_t bytes,
                              ferry_advice advice) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        const auto range = at.view(at.get(buffer, "buffer"), offset, bytes);
        on.advise(range, at.choice(advice, ferry::Advice::device_access, "advice"), at.where);
    });
}

ferry_code ferry_queue_launch(ferry_queue* queue, ferry_kernel* kernel, const ferry_grid* grid,
                              const ferry_argument* arguments, size_t count) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        const ferry::detail::LaunchSite site(at.get(kernel, "kernel").kernel, at.where);
        const ferry::Grid wanted = at.grid(grid);
        ferry::c::Arguments given(arguments, count, at);
        if (given.uses.empty()) {
            ferry::detail::launch(on, site, wanted, std::span<const ferry::detail::Argument>(given.packed));
        } else {
            ferry::detail::launch(on, site, wanted, given.packed, given.uses);
        }
    });
}

ferry_code ferry_queue_mark(ferry_queue* queue, const char* name) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        at.not_null(name, "name", "a text");
        on.mark(name, at.where);
    });
}

ferry_code ferry_queue_record(ferry_queue* queue, ferry_event** event) {
    return call(__func__, [&](const Call& at) {
        ferry_event*& made = at.out(event, "event");
        made = new ferry_event(at.get(queue, "queue").queue.record(at.where));
    });
}

ferry_code ferry_queue_wait(ferry_queue* queue, ferry_event* event) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        on.wait(at.get(event, "event").event, at.where);
    });
}

ferry_code ferry_queue_on_complete(ferry_queue* queue, ferry_callback callback, void* user) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        if (callback == nullptr) {
            at.not_null(nullptr, "callback", "a function");
        }
        on.on_complete(
            [callback, user](const ferry::EventStatus& status) {
                const ferry::Error* const error = status.error();
                callback(error != nullptr ? ferry::c::code_of(error->code()) : FERRY_OK,
                         error != nullptr ? error->what() : "", user);
            },
            at.where);
    });
}

ferry_code ferry_queue_finish(ferry_queue* queue) {
    return call(__func__, [&](const Call& at) { at.get(queue, "queue").queue.finish(at.where); });
}

ferry_code ferry_queue_flush(ferry_queue* queue) {
    return call(__func__, [&](const Call& at) { at.get(queue, "queue").queue.flush(at.where); });
}

ferry_code ferry_queue_is_idle(ferry_queue* queue, int32_t* idle) {
    return call(__func__, [&](const Call& at) {
        at.not_null(idle, "idle", "the address of a number");
        *idle = at.get(queue, "queue").queue.idle(at.where);
    });
}
