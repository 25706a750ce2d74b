// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/mistakes.hpp"
#include "host/host_device.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace ferry::host {

class StrictHooks final : public backend::MistakeHooks {
public:
    explicit StrictHooks(std::string driver_version) : driver_version_(std::move(driver_version)) {}
    void mapping_has_elements(backend::Queue& queue, void* host,
                              const detail::MappedElements& elements) override;
    std::string lasting_driver_version() const override { return driver_version_; }
    std::unique_ptr<backend::ExplainedFaults> explain_faults(const backend::SharedPages& pages) override;

private:
    const std::string driver_version_; ///< Without the seed.
};

/// The processor as the worst device that the contract allows: small, with separate memory, without memory
/// that both sides address, and coherent only between commands. README.md has the whole list.
class StrictDevice final : public backend::Device {
public:
    explicit StrictDevice(std::uint64_t seed);

    const DeviceInfo& info() const override { return compiler_.info(); }
    std::optional<std::uint64_t> free_memory() override;
    MemoryCapabilities memory_facts(MemoryKind kind) const override;

    std::unique_ptr<backend::Memory> allocate(MemoryKind kind, std::size_t bytes) override;
    bool keeps_used_memory() const override { return true; }
    std::unique_ptr<backend::Memory> wrap(const backend::NativeMemory& native, std::size_t bytes,
                                          backend::Ownership ownership) override;
    /// Whole pages only.
    std::unique_ptr<backend::Memory> import_memory(void* data, std::size_t bytes, bool read_only,
                                                   std::string& why) override;
    backend::ImportReach import_reach() const override { return backend::ImportReach::copy; }
    backend::MistakeHooks* mistake_hooks() override { return &hooks_; }
    std::unique_ptr<backend::Queue> create_queue(const QueueOptions& options) override;
    std::unique_ptr<backend::Event> create_event(bool timing) override;

    /// Prefers text to code compiled from it, which the device cannot run in another order.
    backend::Fit fit(const Source& source) const override;
    std::unique_ptr<backend::Program> build(const Source& source, const BuildOptions& options,
                                            const translate::Translation* translation) override;
    std::optional<translate::Dialect> dialect() const override { return compiler_.dialect(); }

private:
    HostDevice compiler_;
    StrictHooks hooks_{compiler_.info().driver_version}; ///< Before the constructor adds the seed.
};

/// For host::open().
std::unique_ptr<backend::Device> make_strict_device(std::uint64_t seed);

} // namespace ferry::host
