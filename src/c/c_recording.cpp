// SPDX-License-Identifier: Apache-2.0
#include "c_argument.hpp"
#include "queue/recording_state.hpp"

#include <ferry/recording.hpp>

namespace ferry::c {
namespace {

void give(ferry_step* to, const Step& step) noexcept {
    if (to != nullptr) {
        *to = {reinterpret_cast<const void*>(step.recording()), step.index()};
    }
}

Step step_of(const ferry_step* step, const Call& at) {
    at.not_null(step, "step", "the address of a ferry_step");
    return {reinterpret_cast<std::uintptr_t>(step->recording), step->index};
}

/// Shares transfer their bytes at the launch, which a recording cannot do.
void refuse_shares(const Arguments& given, const Call& at) {
    if (!given.uses.empty()) {
        at.refuse(Code::unsupported, "An argument " + at.of() +
                                         " is a share, which cannot be recorded; record a buffer, or launch "
                                         "the kernel between two replays");
    }
}

/// Ends the recording with the result of the function that recorded its commands.
[[noreturn]] void stop(ferry_code code, std::uint64_t noted_before, const Call& at) {
    const Error* const last = last_error();
    if (last != nullptr && errors_noted() != noted_before && code_of(last->code()) == code) {
        throw Error(*last);
    }
    const bool is_code = code > 0 && code <= FERRY_INTERNAL;
    at.refuse(is_code ? static_cast<Code>(code - 1) : Code::invalid_argument,
              "The function 'record' " + at.of() + " returned " + std::to_string(code) +
                  (is_code ? std::string(" (") + ferry_code_name(code) + ")"
                           : "; it returns a ferry_code, 0 to " + std::to_string(FERRY_INTERNAL)));
}

std::span<const std::byte> host(const void* data, std::size_t bytes, const char* parameter, const Call& at) {
    if (bytes != 0) {
        at.not_null(data, parameter, "the address of as many bytes as are copied");
    }
    return {static_cast<const std::byte*>(data), bytes};
}

} // namespace
} // namespace ferry::c

using ferry::c::Call;
using ferry::c::call;

ferry_code ferry_recording_create(ferry_device* device, ferry_record record, void* user,
                                  ferry_recording** recording) {
    return call(__func__, [&](const Call& at) {
        ferry_recording*& made = at.out(recording, "recording");
        const ferry::Device& on = at.get(device, "device").device;
        if (record == nullptr) {
            at.not_null(nullptr, "record", "a function");
        }
        auto handle = std::make_unique<ferry_recording>();
        const auto commands = [&](ferry::Recorder& recorder) {
            const std::uint64_t before = ferry::c::errors_noted();
            const ferry_code code = record(handle->line(recorder), user);
            if (code != FERRY_OK) {
                ferry::c::stop(code, before, at);
            }
        };
        handle->recording = ferry::Recording(on, commands, at.where);
        made = handle.release();
    });
}

void ferry_recording_release(ferry_recording* recording) {
    ferry::c::release(recording);
}

ferry_code ferry_queue_replay(ferry_queue* queue, ferry_recording* recording) {
    return call(__func__, [&](const Call& at) {
        ferry::Queue& on = at.get(queue, "queue").queue;
        on.replay(at.get(recording, "recording").recording, at.where);
    });
}

ferry_code ferry_recording_set(ferry_recording* recording, const ferry_step* step, size_t index,
                               const ferry_argument* argument) {
    return call(__func__, [&](const Call& at) {
        const ferry::Recording& to = at.get(recording, "recording").recording;
        const ferry::Step launch = ferry::c::step_of(step, at);
        at.not_null(argument, "argument", "the address of a ferry_argument");
        const ferry::c::Arguments given(argument, 1, at);
        ferry::c::refuse_shares(given, at);
        to.state()->set(launch, index, given.packed.front(), at.where);
    });
}

ferry_code ferry_recording_set_grid(ferry_recording* recording, const ferry_step* step,
                                    const ferry_grid* grid) {
    return call(__func__, [&](const Call& at) {
        ferry::Recording& to = at.get(recording, "recording").recording;
        to.set_grid(ferry::c::step_of(step, at), at.grid(grid), at.where);
    });
}

ferry_code ferry_recording_get_size(ferry_recording* recording, size_t* commands) {
    return call(__func__, [&](const Call& at) {
        at.not_null(commands, "commands", "the address of a number");
        *commands = at.get(recording, "recording").recording.size(at.where);
    });
}

ferry_code ferry_recording_explain(ferry_recording* recording, char* text, size_t capacity, size_t* needed) {
    return call(__func__, [&](const Call& at) {
        at.text(at.get(recording, "recording").recording.explain(at.where), text, capacity, needed);
    });
}

ferry_code ferry_recorder_upload(ferry_recorder* recorder, const void* source, ferry_buffer* buffer,
                                 size_t offset, size_t bytes, ferry_step* step) {
    return call(__func__, [&](const Call& at) {
        ferry::Recorder& to = at.get(recorder, "recorder").recorder;
        const auto view = at.view(at.get(buffer, "buffer"), offset, bytes);
        ferry::c::give(step, to.copy(ferry::c::host(source, view.size(), "source", at), view, at.where));
    });
}

ferry_code ferry_recorder_download(ferry_recorder* recorder, ferry_buffer* buffer, size_t offset,
                                   void* destination, size_t bytes, ferry_step* step) {
    return call(__func__, [&](const Call& at) {
        ferry::Recorder& to = at.get(recorder, "recorder").recorder;
        const auto view = at.view(at.get(buffer, "buffer"), offset, bytes);
        static_cast<void>(ferry::c::host(destination, view.size(), "destination", at));
        ferry::c::give(step,
                       to.copy(view, std::span(static_cast<std::byte*>(destination), view.size()), at.where));
    });
}

ferry_code ferry_recorder_copy(ferry_recorder* recorder, ferry_buffer* source, size_t source_offset,
                               ferry_buffer* destination, size_t destination_offset, size_t bytes,
                               ferry_step* step) {
    return call(__func__, [&](const Call& at) {
        ferry::Recorder& to = at.get(recorder, "recorder").recorder;
        const auto from = at.view(at.get(source, "source"), source_offset, bytes);
        const auto into = at.view(at.get(destination, "destination"), destination_offset, bytes);
        ferry::c::give(step, to.copy(from, into, at.where));
    });
}

ferry_code ferry_recorder_fill(ferry_recorder* recorder, ferry_buffer* buffer, size_t offset, size_t bytes,
                               const void* pattern, size_t pattern_bytes, ferry_step* step) {
    return call(__func__, [&](const Call& at) {
        ferry::Recorder& to = at.get(recorder, "recorder").recorder;
        at.not_null(pattern, "pattern", "the address of a pattern");
        ferry::c::give(step, to.fill_bytes(at.view(at.get(buffer, "buffer"), offset, bytes),
                                           std::span(static_cast<const std::byte*>(pattern), pattern_bytes),
                                           at.where));
    });
}

ferry_code ferry_recorder_launch(ferry_recorder* recorder, ferry_kernel* kernel, const ferry_grid* grid,
                                 const ferry_argument* arguments, size_t count, ferry_step* step) {
    return call(__func__, [&](const Call& at) {
        ferry::Recorder& to = at.get(recorder, "recorder").recorder;
        const ferry::detail::LaunchSite site(at.get(kernel, "kernel").kernel, at.where);
        const ferry::c::Arguments given(arguments, count, at);
        ferry::c::refuse_shares(given, at);
        ferry::c::give(step, to.launch_packed(site, at.grid(grid), given.packed));
    });
}

ferry_code ferry_recorder_mark(ferry_recorder* recorder, const char* name, ferry_step* step) {
    return call(__func__, [&](const Call& at) {
        ferry::Recorder& to = at.get(recorder, "recorder").recorder;
        at.not_null(name, "name", "a text");
        ferry::c::give(step, to.mark(name, at.where));
    });
}

ferry_code ferry_recorder_branch(ferry_recorder* recorder, ferry_recorder** line) {
    return call(__func__, [&](const Call& at) {
        ferry_recorder*& made = at.out(line, "line");
        ferry_recorder& from = at.get(recorder, "recorder");
        made = from.owner->line(from.recorder.branch(at.where));
    });
}

ferry_code ferry_recorder_wait_step(ferry_recorder* recorder, const ferry_step* step) {
    return call(__func__, [&](const Call& at) {
        ferry::Recorder& on = at.get(recorder, "recorder").recorder;
        const ferry::Step after = ferry::c::step_of(step, at);
        on.wait(after, at.where);
    });
}

ferry_code ferry_recorder_wait_line(ferry_recorder* recorder, ferry_recorder* line) {
    return call(__func__, [&](const Call& at) {
        ferry::Recorder& on = at.get(recorder, "recorder").recorder;
        on.wait(at.get(line, "line").recorder, at.where);
    });
}
