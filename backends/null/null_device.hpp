// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace ferry::null {

class NullDevice final : public backend::Device {
public:
    explicit NullDevice(std::uint32_t index);

    const DeviceInfo& info() const override { return info_; }
    std::optional<std::uint64_t> free_memory() override { return std::nullopt; }
    MemoryCapabilities memory_facts(MemoryKind kind) const override;

    std::unique_ptr<backend::Memory> allocate(MemoryKind kind, std::size_t bytes) override;
    std::unique_ptr<backend::Memory> wrap(const backend::NativeMemory& native, std::size_t bytes,
                                          backend::Ownership ownership) override;
    std::unique_ptr<backend::Queue> create_queue(const QueueOptions& options) override;
    std::unique_ptr<backend::Event> create_event(bool timing) override;

    backend::Fit fit(const Source& source) const override;
    std::unique_ptr<backend::Program> build(const Source& source, const BuildOptions& options,
                                            const translate::Translation* translation) override;

private:
    DeviceInfo info_;
};

} // namespace ferry::null
