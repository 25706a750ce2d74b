// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_compiler.hpp"
#include "driver/driver_graph.hpp"
#include "driver/driver_helpers.hpp"
#include "driver/driver_image.hpp"
#include "driver/driver_info.hpp"
#include "driver/driver_memory_facts.hpp"
#include "driver/driver_queue.hpp"
#include "driver/driver_translated.hpp"

#include <atomic>

namespace ferry::driver {

template <class V>
class Device final : public backend::Device {
public:
    Device(const Api<V>& api, Compiler<V>& compiler, int ordinal, typename V::Device device)
        : compiler_(&compiler),
          context_(api, ordinal, device),
          info_(device_info<V>(api, compiler, ordinal, device)),
          helpers_(context_, compiler, info_) {}

    const DeviceInfo& info() const override { return info_; }
    std::optional<std::uint64_t> free_memory() override {
        const Guard<V> guard(context_);
        std::size_t free = 0;
        std::size_t total = 0;
        api().call(api().memory_info, &free, &total);
        return free <= total ? std::optional<std::uint64_t>(free) : std::nullopt;
    }

    bool is_given_up() noexcept override {
        try {
            free_memory();
            return false;
        } catch (const Error& error) {
            return error.code() == Code::device_lost;
        } catch (...) { // Out of memory.
            return false;
        }
    }

    MemoryCapabilities memory_facts(MemoryKind kind) const override {
        MemoryAnswers answers = ask_memory<V::backend_is_cuda>(
            [this](int number) { return api().attribute(number, context_.ordinal()); });
        answers.allocates_managed = static_cast<bool>(api().allocate_managed);
        answers.registers_host = static_cast<bool>(api().register_host);
        answers.total_memory = info_.total_memory;
        return V::backend_is_cuda ? cuda_memory_facts(answers, kind) : hip_memory_facts(answers, kind);
    }

    std::unique_ptr<backend::Memory> allocate(MemoryKind kind, std::size_t bytes) override {
        return std::make_unique<Memory<V>>(*this, context_, kind, bytes);
    }
    bool has_parts(MemoryKind) const override { return true; }
    std::unique_ptr<backend::Memory> part(backend::Memory& whole, std::size_t offset, std::size_t) override {
        return std::make_unique<Memory<V>>(static_cast<const Memory<V>&>(whole), offset);
    }
    bool synchronize() noexcept override {
        bool done = false;
        release_in<V>(api(), context_.get(), [&] { done = context_.synchronize(); });
        return done;
    }
    std::unique_ptr<backend::Memory> wrap(const backend::NativeMemory& native, std::size_t,
                                          backend::Ownership ownership) override {
        return std::make_unique<Memory<V>>(*this, context_, native.handle,
                                           ownership == backend::Ownership::adopted);
    }
    std::unique_ptr<backend::Memory> import_memory(void* data, std::size_t bytes, bool read_only,
                                                   std::string& why) override {
        const bool by_itself = api().attribute(V::attributes.pageable_access, context_.ordinal()) != 0;
        if (!by_itself && !api().register_host) {
            why = std::string("its ") + V::api_name +
                  " library cannot page-lock memory that it did not allocate";
            return nullptr;
        }
        if (!by_itself && read_only && !registers_read_only()) {
            why = "its driver does not page-lock read-only pages; map the memory for writing too, privately "
                  "perhaps";
            return nullptr;
        }
        return std::make_unique<Memory<V>>(*this, context_, data, bytes, read_only, !by_itself);
    }
    std::unique_ptr<backend::Memory> import_external(backend::ExternalMemory external, std::size_t,
                                                     std::string& why) override {
        if (!api().import_external) {
            why = std::string("its ") + V::api_name + " library cannot use memory of other APIs";
            return nullptr;
        }
        return std::make_unique<Memory<V>>(*this, context_, external);
    }
    backend::ImportReach import_reach() const override {
        const auto has = [&](int number) { return api().attribute(number, context_.ordinal()) != 0; };
        const bool by_itself = has(V::attributes.pageable_access);
        if (!by_itself && !api().register_host) {
            return backend::ImportReach::none;
        }
        if (info_.integrated == true) {
            return backend::ImportReach::local;
        }
        return by_itself && !has(V::attributes.host_page_tables) ? backend::ImportReach::migrates
                                                                 : backend::ImportReach::link;
    }
    std::unique_ptr<backend::Queue> create_queue(const QueueOptions& options) override {
        return std::make_unique<Queue<V>>(*this, context_, sleepers_, options.priority);
    }
    std::unique_ptr<backend::Event> create_event(bool timing) override {
        return std::make_unique<Event<V>>(context_, sleepers_, timing);
    }
    std::unique_ptr<backend::Queue> wrap_queue(void* native, const QueueOptions&) override {
        return std::make_unique<Queue<V>>(*this, context_, sleepers_, static_cast<handle::Stream>(native));
    }
    std::unique_ptr<backend::Event> wrap_event(const backend::NativeEvent& native) override {
        return std::make_unique<Event<V>>(context_, sleepers_, static_cast<handle::Event>(native.handle));
    }

    backend::Fit fit(const Source& source) const override {
        if (V::takes(source.language())) {
            if (source.language() != Language::ptx) {
                std::string problem = image_problem(source.contents(), V::takes_other_images);
                if (!problem.empty()) {
                    return {backend::rank::none, std::move(problem)};
                }
            }
            return V::fit_binary(source, info_);
        }
        const bool portable = source.language() == Language::opencl_c;
        if (source.language() != V::language && !portable) {
            return {backend::rank::none, std::string(V::api_name) + " does not take it"};
        }
        if (compiler_->available()) {
            return portable
                       ? backend::Fit{backend::rank::portable, "translated, compiled by " + compiler_->note()}
                       : backend::Fit{backend::rank::source, "source, compiled by " + compiler_->note()};
        }
        return {backend::rank::none, "source, and there is no run-time compiler: " + compiler_->note()};
    }
    std::unique_ptr<backend::Program> build(const Source& source, const BuildOptions& options,
                                            const translate::Translation* translation) override {
        Compiled compiled{source.contents(), {}};
        if (source.language() == Language::opencl_c) {
            compiled =
                compile_translated(*compiler_, *translation, source.name(), options, info_.architecture);
        } else if (source.language() == V::language) {
            compiled = compiler_->compile(source, options, info_.architecture);
        }
        return std::make_unique<Program<V>>(
            context_, info_, std::move(compiled.image), std::move(compiled.log),
            translation != nullptr ? translation->kernels : std::vector<translate::TranslatedKernel>());
    }
    std::optional<translate::Dialect> dialect() const override { return V::dialect; }

    std::unique_ptr<backend::Graph> record(std::span<const backend::RecordedCommand> commands) override {
        if (!api().capture_begin) {
            return nullptr;
        }
        return std::make_unique<Graph<V>>(*this, context_, sleepers_, commands);
    }

    // A device that walks the host's page tables reads pageable memory directly.
    bool gains_from_staging() const override {
        return info_.integrated != true &&
               api().attribute(V::attributes.host_page_tables, context_.ordinal()) == 0;
    }
    bool is_page_locked(const void* host) override {
        if (!api().pointer_attribute) {
            return false;
        }
        const Guard<V> guard(context_);
        void* known = nullptr;
        return api().pointer_attribute(&known, pointer_attribute::host_pointer,
                                       V::to_pointer(reinterpret_cast<std::uintptr_t>(host))) ==
                   result::success &&
               known != nullptr;
    }

    // The drivers stage a copy if the devices cannot reach each other.
    bool reaches(backend::Device&) override { return static_cast<bool>(api().copy_peer); }
    std::uint64_t native_device() override { return static_cast<std::uint64_t>(context_.ordinal()); }
    void* native_context() override { return V::native_context(context_.get()); }

    DeviceContext<V>& context() noexcept { return context_; }
    Sleepers<V>& sleepers() noexcept { return sleepers_; }
    Helpers<V>& helpers() noexcept { return helpers_; }

    /// Enables direct access of this device to the other one's memory, once and if possible. If it fails,
    /// copies are staged.
    void enable_peer(Device& other) {
        const std::uint64_t bit = std::uint64_t{1} << (other.context_.ordinal() % 64);
        if (&other == this || (peers_.load(std::memory_order_acquire) & bit) != 0) {
            return;
        }
        const typename V::Context peer = other.context_.get();
        const Guard<V> guard(context_);
        int can = 0;
        if (api().can_access_peer(&can, context_.ordinal(), other.context_.ordinal()) == result::success &&
            can != 0) {
            api().call_quietly(api().enable_peer, peer, 0U);
        }
        peers_.fetch_or(bit, std::memory_order_release);
    }

private:
    const Api<V>& api() const noexcept { return context_.api(); }
    bool registers_read_only() const {
        return V::attributes.registers_read_only >= 0 &&
               api().attribute(V::attributes.registers_read_only, context_.ordinal()) != 0;
    }

    Compiler<V>* compiler_;
    DeviceContext<V> context_;
    Sleepers<V> sleepers_{context_};
    DeviceInfo info_;
    Helpers<V> helpers_;
    std::atomic<std::uint64_t> peers_{0};
};

} // namespace ferry::driver
