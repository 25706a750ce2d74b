// SPDX-License-Identifier: Apache-2.0
#include "strict/strict_device.hpp"

#include "base/no_destructor.hpp"
#include "host/host_compiler.hpp"
#include "host/host_event.hpp"
#include "host/host_program.hpp"
#include "strict/strict_block.hpp"
#include "strict/strict_chance.hpp"
#include "strict/strict_queue.hpp"
#include "system/fault.hpp"
#include "system/machine.hpp"
#include "system/pages.hpp"

#include <mutex>
#include <set>
#include <string_view>

namespace ferry::host {
namespace {

// The smallest limits found on any device, all at once. A group of 128 is that of an embedded GPU. 16 KiB of
// local memory and 1024 bytes of arguments are close to the guarantees of OpenCL 1.2. A quarter of the memory
// is its largest allocation.
DeviceInfo limited(DeviceInfo info, std::uint64_t seed) {
    info.name += ", strict";
    info.driver_version += ", FERRY_HOST_SEED=" + std::to_string(seed);
    info.integrated = false;
    info.total_memory = StrictBlock::total;
    info.max_allocation = StrictBlock::total / 4;
    info.max_group_size = 128;
    info.max_local = {128, 128, 64};
    info.max_groups = {65535, 65535, 65535};
    info.local_memory = std::size_t{16} << 10;
    info.max_argument_bytes = 1024;
    info.timing = false;
    info.host_memory = true;
    info.shared_memory = false;
    return info;
}

/// Kept for a signal handler.
const char* kept(const std::string& name) {
    static std::mutex mutex;
    static detail::NoDestructor<std::set<std::string>> names;
    const std::lock_guard lock(mutex);
    return names->insert(name).first->c_str();
}

void describe_fault_of_host(const detail::Fault& fault) noexcept {
    if (const FaultText text(fault, true); text.known()) {
        constexpr std::string_view start = "ferry: strict host device: the host ";
        detail::write_error(start.data(), start.size());
        detail::write_error(text.c_str(), text.size());
        detail::write_error("\n", 1);
    }
}

class ListedPages final : public backend::ExplainedFaults {
public:
    explicit ListedPages(const backend::SharedPages& pages)
        : slot_(
              list(pages.data, pages.bytes, pages.data, pages.bytes,
                   {Role::shared, MemoryKind::imported, 0, pages.whole, pages.offset, kept(pages.kernel)})) {}
    ~ListedPages() override { unlist(slot_); }

private:
    const std::size_t slot_;
};

} // namespace

StrictDevice::StrictDevice(std::uint64_t seed) {
    set_strict_seed(seed);
    detail::install_fault_handler(&describe_fault_of_host);
    compiler_.set_info(limited(compiler_.info(), seed));
}

std::optional<std::uint64_t> StrictDevice::free_memory() {
    return StrictBlock::free_bytes(MemoryKind::device);
}

std::unique_ptr<backend::Memory> StrictDevice::allocate(MemoryKind kind, std::size_t bytes) {
    return std::make_unique<StrictMemory>(std::make_shared<StrictBlock>(kind, bytes));
}

void StrictHooks::mapping_has_elements(backend::Queue& queue, void* host,
                                       const detail::MappedElements& elements) {
    static_cast<StrictQueue&>(queue).set_elements(host, elements);
}

std::unique_ptr<backend::ExplainedFaults> StrictHooks::explain_faults(const backend::SharedPages& pages) {
    return std::make_unique<ListedPages>(pages);
}

std::unique_ptr<backend::Memory> StrictDevice::wrap(const backend::NativeMemory& native, std::size_t bytes,
                                                    backend::Ownership ownership) {
    return std::make_unique<StrictMemory>(
        std::make_shared<StrictBlock>(reinterpret_cast<void*>(native.handle), bytes, ownership));
}

std::unique_ptr<backend::Memory> StrictDevice::import_memory(void* data, std::size_t bytes, bool read_only,
                                                             std::string& why) {
    const std::size_t page = detail::page_size();
    if (reinterpret_cast<std::uintptr_t>(data) % page != 0 || bytes % page != 0) {
        why = "the strict host device imports whole pages only, so the address and the length must be "
              "multiples of " +
              std::to_string(page) + " bytes; align them, import the pages around them first, or use share()";
        return nullptr;
    }
    if (bytes > info().max_allocation) {
        why = "the strict host device takes no more than " + std::to_string(info().max_allocation) +
              " bytes in one piece; import parts of it, or use for_each_chunk()";
        return nullptr;
    }
    return std::make_unique<StrictMemory>(std::make_shared<StrictBlock>(data, bytes, read_only));
}

backend::Fit StrictDevice::fit(const Source& source) const {
    backend::Fit fit = compiler_.fit(source);
    if (source.host_module() != nullptr && Compiler::get().available()) {
        fit.rank = backend::rank::intermediate;
        fit.why += ", for one order of work-items";
    }
    return fit;
}

std::unique_ptr<backend::Program> StrictDevice::build(const Source& source, const BuildOptions& options,
                                                      const translate::Translation* translation) {
    if (source.language() != Language::opencl_c) {
        return compiler_.build(source, options, translation);
    }
    const Module& module =
        Compiler::get().compile(*translation, options, source.name(), Compiler::Code::strict);
    return std::make_unique<TranslatedProgram>(module, info().max_group_size, *translation);
}

std::unique_ptr<backend::Queue> StrictDevice::create_queue(const QueueOptions&) {
    return std::make_unique<StrictQueue>();
}

std::unique_ptr<backend::Event> StrictDevice::create_event(bool) {
    return std::make_unique<HostEvent>(false);
}

std::unique_ptr<backend::Device> make_strict_device(std::uint64_t seed) {
    return std::make_unique<StrictDevice>(seed);
}

} // namespace ferry::host
