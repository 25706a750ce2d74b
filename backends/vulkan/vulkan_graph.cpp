// SPDX-License-Identifier: Apache-2.0
#include "vulkan_graph.hpp"

#include "vulkan_device.hpp"
#include "vulkan_kernel.hpp"
#include "vulkan_stream.hpp"

#include <algorithm>
#include <utility>

namespace ferry::vulkan {

using What = backend::RecordedCommand::What;
using ferry::detail::ArgumentKind;

namespace {

// A kernel that is not known yet counts as a short one. Its first replays use no command buffers of the
// graph.
std::uint64_t forecast_of(const Work& work) noexcept {
    return (*work.pace)->is_known() ? (*work.pace)->forecast(work.size) : 0;
}

} // namespace

VulkanGraph::VulkanGraph(VulkanDevice& device, std::span<const backend::RecordedCommand> commands)
    : device_(device), buffers_(std::make_unique<RecordedBuffers>(device)) {
    commands_.resize(commands.size());
    for (std::size_t i = 0; i < commands.size(); ++i) {
        commands_[i].keep(commands[i]);
    }
    set_levels();
    prints_ = std::any_of(commands_.begin(), commands_.end(), [](const Command& command) {
        return command.native.what == What::launch &&
               static_cast<const VulkanKernel&>(*command.native.kernel).entry().layout().prints;
    });
    if (prints_) {
        return;
    }
    parts_ = divide();
    for (Part& part : parts_) {
        record(part);
    }
}

VulkanGraph::~VulkanGraph() {
    if (!backend::process_is_exiting()) {
        device_.retired().add(std::move(buffers_));
    }
}

bool VulkanGraph::Command::is_empty() const noexcept {
    return native.what != What::launch && native.bytes == 0;
}

// Allocates nothing if the values have the same sizes as before.
void VulkanGraph::Command::keep(const backend::RecordedCommand& command) {
    native = command;
    values.clear();
    const auto add = [&](const void* from, std::size_t bytes) {
        const auto* const start = static_cast<const std::byte*>(from);
        values.insert(values.end(), start, start + bytes);
    };
    if (command.what == What::fill && command.bytes != 0) {
        add(command.pattern, command.pattern_bytes);
        native.pattern = values.data();
    }
    arguments.assign(command.arguments.begin(), command.arguments.end());
    for (const backend::Argument& argument : arguments) {
        if (argument.kind == ArgumentKind::value) {
            add(argument.value, argument.bytes);
        }
    }
    std::size_t at = 0;
    for (backend::Argument& argument : arguments) {
        if (argument.kind == ArgumentKind::value) {
            argument.value = values.data() + at;
            at += argument.bytes;
        }
    }
    native.arguments = arguments;
}

// Between two levels is one barrier, so the commands of branches share barriers.
void VulkanGraph::set_levels() {
    std::vector<std::uint32_t> last; // Of each line: the level that its next command comes after.
    for (Command& command : commands_) {
        const backend::RecordedCommand& native = command.native;
        if (native.line >= last.size()) {
            last.resize(native.line + 1);
        }
        std::uint32_t after = last[native.line];
        for (const std::uint32_t index : native.after) {
            after = std::max(after, commands_[index].level);
        }
        command.level = after + (command.is_empty() ? 0 : 1);
        last[native.line] = command.level;
    }
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        commands_[i].native.after = {}; // Valid only during the call.
        if (!commands_[i].is_empty()) {
            order_.push_back(i);
        }
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return commands_[a].level < commands_[b].level; });
}

Work VulkanGraph::work_of(const Command& command) const {
    const backend::RecordedCommand& native = command.native;
    if (native.what != What::launch) {
        return {&device_.copy_pace(), native.bytes, copy_work};
    }
    return Launch::work_of(static_cast<VulkanKernel&>(*native.kernel), native.grid);
}

std::vector<VulkanGraph::Part> VulkanGraph::divide() const {
    std::vector<Part> parts;
    std::uint64_t time = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const Work work = work_of(commands_[order_[i]]);
        const std::uint64_t next = forecast_of(work);
        if (parts.empty() || parts.back().works.size() == most_commands ||
            (time != 0 && time + next > SubmitWork::target)) {
            parts.push_back({i, i, {}, nullptr});
            time = 0;
        }
        parts.back().works.push_back(work);
        parts.back().end = i + 1;
        time += next;
    }
    return parts;
}

bool VulkanGraph::is_badly_divided() const {
    const auto is_long = [](const Part& part) {
        std::uint64_t time = 0;
        for (const Work& work : part.works) {
            time += forecast_of(work);
        }
        return part.works.size() > 1 && time > 2 * SubmitWork::target;
    };
    const std::size_t fewest = (order_.size() + most_commands - 1) / most_commands;
    return std::any_of(parts_.begin(), parts_.end(), is_long) ||
           (parts_.size() > 2 * fewest && parts_.size() > 2 * divide().size());
}

void VulkanGraph::forget(Part& part) noexcept {
    if (part.form != nullptr) {
        part.form->in_use = false;
        part.form = nullptr;
    }
}

void VulkanGraph::record(Part& part) {
    RecordedBuffers::Form& form = buffers_->lease(parts_.size());
    try {
        form.begin();
        for (std::size_t i = part.first; i < part.end; ++i) {
            const Command& command = commands_[order_[i]];
            if (i != part.first && command.level != commands_[order_[i - 1]].level) {
                form.separate();
            }
            form.begin_next();
            add(command, form);
        }
        form.end();
    } catch (...) {
        form.abandon();
        throw;
    }
    part.form = &form;
}

void VulkanGraph::add(const Command& command, Commands& to) const {
    const backend::RecordedCommand& native = command.native;
    switch (native.what) {
    case What::copy:
        add_copy(device_, to, native.from, native.to, native.bytes);
        break;
    case What::fill:
        add_fill(device_, to, native.to, native.bytes, native.pattern, native.pattern_bytes);
        break;
    case What::launch:
        launch_of(command).add(device_, to);
        break;
    }
}

Launch VulkanGraph::launch_of(const Command& command) const {
    const backend::RecordedCommand& native = command.native;
    return {device_, static_cast<VulkanKernel&>(*native.kernel), native.grid, native.arguments};
}

void VulkanGraph::change(std::size_t place, const backend::RecordedCommand& command) {
    // Makes the pipeline. If that fails, nothing has changed.
    const Launch launch(device_, static_cast<VulkanKernel&>(*command.kernel), command.grid,
                        command.arguments);
    commands_[place].keep(command);
    commands_[place].native.after = {}; // Valid only during the call.
    for (Part& part : parts_) {
        for (std::size_t i = part.first; i < part.end; ++i) {
            if (order_[i] == place) {
                part.works[i - part.first] = launch.work();
                forget(part);
            }
        }
    }
}

void VulkanGraph::replay(Stream& stream, backend::Queue::Taken& taken) {
    const auto is_known = [&](const Part& part) { return stream.knows(part.works); };
    // The stream submits a kernel that is not known alone.
    if (prints_ || !std::all_of(parts_.begin(), parts_.end(), is_known)) {
        for (const std::size_t index : order_) {
            const Command& command = commands_[index];
            if (command.native.what == What::launch) {
                stream.launch(launch_of(command));
            } else {
                add(command, stream);
            }
            taken.kernel = true;
        }
        return;
    }
    if (is_badly_divided()) {
        std::vector<Part> parts = divide();
        std::for_each(parts_.begin(), parts_.end(), [&](Part& part) { forget(part); });
        parts_ = std::move(parts);
    }
    for (Part& part : parts_) {
        if (part.form == nullptr) {
            record(part);
        }
        stream.prepare_recorded(part.works);
        part.form->used_by(stream, stream.value());
        stream.submit_recorded(part.form->buffer());
        taken.kernel = true;
    }
}

} // namespace ferry::vulkan
