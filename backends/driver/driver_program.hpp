// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_context.hpp"
#include "translate/declared.hpp"
#include "translate/translate.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

namespace ferry::driver {

template <class V>
class Kernel final : public backend::Kernel {
public:
    /// `info` is the information in the program's image. The driver adds the rest, and `declared` (null if
    /// the program was not translated) the declarations in its text.
    Kernel(const Api<V>& api, typename V::Context context, handle::Function function, KernelInfo info,
           const DeviceInfo& device, const translate::TranslatedKernel* declared)
        : api_(&api),
          context_(context),
          function_(function),
          info_(std::move(info)),
          local_memory_(device.local_memory) {
        const auto ask = [&](int attribute) {
            int value = 0;
            const int code = api.function_attribute(&value, attribute, function);
            return code == result::success && value > 0 ? value : 0;
        };
        api.made(api.module_function, function);
        info_.max_group_size = static_cast<std::size_t>(ask(function_attribute::max_group_size));
        info_.local_bytes = static_cast<std::size_t>(ask(function_attribute::local_bytes));
        info_.registers = static_cast<std::uint32_t>(ask(function_attribute::registers));
        info_.preferred_multiple = device.sub_group_width;
        V::reflect_function(api, function, info_);
        if (declared != nullptr) {
            info_ = translate::complete(std::move(info_), *declared);
            takes_offset_ = declared->takes_offset;
        }
    }

    const KernelInfo& info() const override { return info_; }
    std::optional<std::uint32_t> groups_per_unit(std::size_t items, std::size_t local_bytes) override {
        if (!api_->occupancy) {
            return std::nullopt;
        }
        const Guard<V> guard(*api_, context_);
        allow_local_memory(local_bytes);
        int groups = 0;
        api_->call(api_->occupancy, &groups, function_, static_cast<int>(items), local_bytes);
        return static_cast<std::uint32_t>(backend::plausible(V::backend, api_->occupancy.name,
                                                             "groups of one compute unit", groups, 0,
                                                             backend::most_unit_groups));
    }
    void prepare(const Dim3&, std::span<const std::size_t> local_bytes) override {
        const auto add = [](std::size_t sum, std::size_t bytes) { return sum + (bytes + 15) / 16 * 16; };
        const Guard<V> guard(*api_, context_);
        allow_local_memory(std::accumulate(local_bytes.begin(), local_bytes.end(), std::size_t{0}, add));
    }
    void* native() override { return function_; }

    handle::Function function() const noexcept { return function_; }
    /// The offset argument of PackedArguments for a launch over this grid.
    const Dim3* offset_for(const Grid& grid) const noexcept { return takes_offset_ ? &grid.offset : nullptr; }
    /// Called before a launch with this amount of local memory arguments.
    void allow_local_memory(std::size_t bytes) {
        if constexpr (V::local_memory_has_opt_in) {
            if (bytes + info_.local_bytes > V::local_memory_without_opt_in &&
                !raised_.load(std::memory_order_acquire)) {
                V::opt_in_local_memory(*api_, function_, static_cast<int>(local_memory_ - info_.local_bytes));
                raised_.store(true, std::memory_order_release);
            }
        } else {
            static_cast<void>(bytes);
        }
    }

private:
    const Api<V>* api_;
    typename V::Context context_;
    handle::Function function_;
    KernelInfo info_;
    std::size_t local_memory_;
    bool takes_offset_ = false;
    std::atomic<bool> raised_{false};
};

template <class V>
class Program final : public backend::Program {
public:
    /// Loads the image. `log` has the compiler's messages. `declared` has the declarations in the text of a
    /// translated program.
    Program(DeviceContext<V>& context, const DeviceInfo& device, std::string image, std::string log,
            std::vector<translate::TranslatedKernel> declared = {})
        : api_(&context.api()),
          context_(context.get()),
          device_(&device),
          image_(std::move(image)),
          log_(std::move(log)),
          entries_(V::reflect_image(image_, device)),
          declared_(std::move(declared)) {
        const Guard<V> guard(*api_, context_);
        LoadLog messages;
        const int code =
            api_->module_load(&module_, image_.c_str(), V::load_takes_options ? LoadLog::count : 0,
                              messages.options, messages.values());
        if (code != result::success) {
            fail(code, messages.errors);
        }
        api_->made(api_->module_load, module_);
        if (messages.notes[0] != '\0') {
            log_ += messages.notes;
        }
    }
    ~Program() override {
        release_in<V>(*api_, context_, [this] { api_->call_quietly(api_->module_unload, module_); });
    }

    std::unique_ptr<backend::Kernel> kernel(const std::string& name) override {
        const auto declared =
            std::find_if(declared_.begin(), declared_.end(),
                         [&](const translate::TranslatedKernel& kernel) { return kernel.info.name == name; });
        if (!declared_.empty() && declared == declared_.end()) {
            return nullptr;
        }
        const std::string& symbol = declared_.empty() ? name : declared->symbol;
        KernelInfo info;
        info.name = name;
        const auto known = std::find_if(entries_.begin(), entries_.end(),
                                        [&](const KernelInfo& entry) { return entry.name == symbol; });
        if (known != entries_.end()) {
            info = *known;
        } else if (!entries_.empty()) {
            return nullptr;
        }
        const Guard<V> guard(*api_, context_);
        handle::Function function = nullptr;
        const int code = api_->module_function(&function, module_, symbol.c_str());
        if (code == result::not_found) {
            return nullptr;
        }
        if (code != result::success) {
            api_->fail(api_->module_function.name, code);
        }
        return std::make_unique<Kernel<V>>(*api_, context_, function, std::move(info), *device_,
                                           declared_.empty() ? nullptr : &*declared);
    }
    std::vector<std::string> kernel_names() override {
        std::vector<std::string> names;
        names.reserve(declared_.size());
        for (const translate::TranslatedKernel& kernel : declared_) {
            names.push_back(kernel.info.name);
        }
        if (!names.empty()) {
            return names;
        }
        for (const KernelInfo& entry : entries_) {
            names.push_back(entry.name);
        }
        if (names.empty()) {
            const Guard<V> guard(*api_, context_);
            names = V::function_names(*api_, module_);
        }
        return names;
    }
    const std::string& log() const override { return log_; }
    std::vector<std::byte> binary() override {
        const auto* bytes = reinterpret_cast<const std::byte*>(image_.data());
        return {bytes, bytes + image_.size()};
    }

private:
    /// The buffers for the loader's messages.
    struct LoadLog {
        static constexpr unsigned int count = 4;
        static constexpr std::size_t capacity = 8192;
        int options[count] = {load_option::notes, load_option::notes_bytes, load_option::errors,
                              load_option::errors_bytes};
        char notes[capacity] = {};
        char errors[capacity] = {};
        void* pointers[count] = {};

        void** values() {
            pointers[0] = notes;
            pointers[2] = errors;
            pointers[1] = pointers[3] = reinterpret_cast<void*>(capacity);
            return pointers;
        }
    };

    [[noreturn]] void fail(int code, const char* messages) const {
        const Error error = api_->error(api_->module_load.name, code);
        if (error.code() != Code::build_failed) {
            throw Error(error);
        }
        std::string log = log_ + messages;
        const std::string text = log.empty() ? error.what() : std::string(error.what()) + "\n" + log;
        throw error.with_message(text).with_log(std::move(log));
    }

    const Api<V>* api_;
    typename V::Context context_;
    const DeviceInfo* device_;
    std::string image_;
    std::string log_;
    std::vector<KernelInfo> entries_;
    std::vector<translate::TranslatedKernel> declared_;
    handle::Module module_ = nullptr;
};

} // namespace ferry::driver
