// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "host_backend.hpp"
#include "host_mode.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ferry::host {

/// A function loops over the work-items of its group, so every size would work. OpenCL drivers for processors
/// accept this one.
constexpr std::size_t max_group_size = 4096;
/// Fits into a core's own cache.
constexpr std::size_t local_memory = std::size_t{256} << 10;

class HostDevice final : public backend::Device {
public:
    HostDevice();

    const DeviceInfo& info() const override { return info_; }
    std::optional<std::uint64_t> free_memory() override;
    MemoryCapabilities memory_facts(MemoryKind kind) const override;

    std::unique_ptr<backend::Memory> allocate(MemoryKind kind, std::size_t bytes) override;
    bool keeps_used_memory() const override { return true; }
    bool has_parts(MemoryKind) const override { return true; }
    std::unique_ptr<backend::Memory> part(backend::Memory& whole, std::size_t offset,
                                          std::size_t bytes) override;
    /// `native` is an address. Adopted memory comes from std::malloc() or std::aligned_alloc().
    std::unique_ptr<backend::Memory> wrap(const backend::NativeMemory& native, std::size_t bytes,
                                          backend::Ownership ownership) override;
    std::unique_ptr<backend::Memory> import_memory(void* data, std::size_t bytes, bool read_only,
                                                   std::string& why) override;
    backend::ImportReach import_reach() const override { return backend::ImportReach::local; }
    std::unique_ptr<backend::Queue> create_queue(const QueueOptions& options) override;
    std::unique_ptr<backend::Event> create_event(bool timing) override;

    backend::Fit fit(const Source& source) const override;
    std::unique_ptr<backend::Program> build(const Source& source, const BuildOptions& options,
                                            const translate::Translation* translation) override;
    std::optional<translate::Dialect> dialect() const override;

    /// For a device with other limits, before any object is made on it.
    void set_info(DeviceInfo info) { info_ = std::move(info); }

private:
    DeviceInfo info_;
};

class HostDriver final : public backend::Driver {
public:
    HostDriver(const Mode& mode, MakeStrict make_strict) : mode_(mode), make_strict_(make_strict) {}
    std::string library() const override { return {}; }
    std::vector<std::unique_ptr<backend::Device>> devices() override;

private:
    const Mode mode_;
    const MakeStrict make_strict_;
};

} // namespace ferry::host
