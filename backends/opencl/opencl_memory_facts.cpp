// SPDX-License-Identifier: Apache-2.0
#include "opencl_memory_facts.hpp"

#include "opencl_info.hpp"

#include <cstdio>

namespace ferry::opencl {
namespace {

using backend::declared;
using backend::inferred;
using backend::not_known;
using backend::with;
using backend::without;

constexpr cl_bitfield atomic_access = CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;
constexpr cl_bitfield concurrent_access = CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL;
constexpr cl_bitfield concurrent_atomic_access = CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;

struct Word {
    const char* name;
    cl_bitfield value;

    bool has(cl_bitfield bits) const noexcept { return (value & bits) == bits; }
    std::string text() const {
        char digits[32];
        std::snprintf(digits, sizeof digits, "=0x%llX", static_cast<unsigned long long>(value));
        return std::string(name) + digits;
    }
};

class Table {
public:
    Table(const MemoryAnswers& answers, MemoryKind kind)
        : answers_(answers),
          facts_(with(kind)),
          svm_{"CL_DEVICE_SVM_CAPABILITIES", answers.svm},
          unified_(answers.cpu ? "CL_DEVICE_TYPE_CPU"
                               : "CL_DEVICE_HOST_UNIFIED_MEMORY=" + std::to_string(answers.host_unified)) {
        facts_.pointer_alignment = declared(answers.base_alignment, "CL_DEVICE_MEM_BASE_ADDR_ALIGN");
        facts_.size_granularity = inferred<std::size_t>(1, "any size is taken");
        facts_.max_size = declared<std::size_t>(answers.max_allocation, "CL_DEVICE_MAX_MEM_ALLOC_SIZE");
        facts_.migrates = inferred(false, unified_);
    }

    MemoryCapabilities own() {
        facts_.reach = inferred(Reach::local, "the device's own memory");
        facts_.coherence = inferred(Coherence::map, "the host reaches it by mappings and copies");
        facts_.atomics = inferred(Atomics::device, "the device's own memory");
        facts_.same_address = inferred(false, "the host has no address for it");
        facts_.host_cached = answers_.cpu ? inferred(true, unified_) : not_known(false, "no query tells");
        return facts_;
    }

    MemoryCapabilities made_of(Storage storage, const Word& usm) {
        switch (storage) {
        case Storage::usm:
            return pointers(usm);
        case Storage::svm:
            return fine_grained();
        case Storage::buffer:
        case Storage::mapped:
        case Storage::mirrored:
        case Storage::system:
            break;
        }
        if (facts_.kind == MemoryKind::shared) {
            return without(MemoryKind::shared, svm_.text() +
                                                   " has no fine-grained buffers, and there is no shared "
                                                   "memory of cl_intel_unified_shared_memory.");
        }
        // A guarantee that the host can use it, not that kernels work in the same place.
        facts_.reach =
            inferred(same_chips() ? Reach::local : Reach::copy, "CL_MEM_ALLOC_HOST_PTR, " + unified_);
        facts_.coherence = inferred(Coherence::map, "CL_MEM_ALLOC_HOST_PTR");
        facts_.atomics = inferred(Atomics::device, "CL_MEM_ALLOC_HOST_PTR");
        facts_.same_address = inferred(false, "CL_MEM_ALLOC_HOST_PTR");
        facts_.host_cached = answers_.cpu ? inferred(true, unified_) : not_known(false, "no query tells");
        return facts_;
    }

    MemoryCapabilities callers() {
        facts_.host_cached = inferred(true, "ordinary memory of the program");
        switch (answers_.imports) {
        case InPlace::svm_pointers: {
            const bool atomics = svm_.has(CL_DEVICE_SVM_ATOMICS);
            return any_pointer(svm_, atomics ? Coherence::concurrent : Coherence::kernel_boundary,
                               atomics ? Atomics::system : Atomics::device);
        }
        case InPlace::usm_pointers: {
            const Word system{"CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL", answers_.usm_system};
            return any_pointer(system, coherence_of(system), atomics_of(system));
        }
        case InPlace::never:
        case InPlace::intels_rule:
        case InPlace::always:
            break;
        }
        return memory_object();
    }

private:
    bool same_chips() const noexcept { return answers_.cpu || answers_.host_unified; }

    static Coherence coherence_of(const Word& usm) noexcept {
        return usm.has(concurrent_access) ? Coherence::concurrent : Coherence::kernel_boundary;
    }
    // If no atomics are guaranteed, they may end the process.
    static Atomics atomics_of(const Word& usm) noexcept {
        return usm.has(concurrent_atomic_access) ? Atomics::system
               : usm.has(atomic_access)          ? Atomics::device
                                                 : Atomics::none;
    }

    MemoryCapabilities pointers(const Word& usm) {
        const bool host = facts_.kind == MemoryKind::host;
        facts_.reach =
            inferred(same_chips() || !host ? Reach::local : Reach::link, usm.text() + ", " + unified_);
        facts_.coherence = declared(coherence_of(usm), usm.text());
        facts_.atomics = declared(atomics_of(usm), usm.text());
        facts_.same_address = inferred(true, usm.text());
        facts_.migrates = inferred(!host && !same_chips(), usm.text() + ", " + unified_);
        facts_.host_cached = inferred(true, usm.text());
        return facts_;
    }

    MemoryCapabilities fine_grained() {
        const bool atomics = svm_.has(CL_DEVICE_SVM_ATOMICS);
        facts_.reach = inferred(same_chips() ? Reach::local : Reach::link, svm_.text() + ", " + unified_);
        facts_.coherence =
            declared(atomics ? Coherence::concurrent : Coherence::kernel_boundary, svm_.text());
        facts_.atomics = declared(atomics ? Atomics::system : Atomics::device, svm_.text());
        facts_.same_address = inferred(true, svm_.text());
        facts_.host_cached = answers_.cpu ? inferred(true, unified_) : not_known(false, "no query tells");
        return facts_;
    }

    MemoryCapabilities any_pointer(const Word& word, Coherence coherence, Atomics atomics) {
        facts_.reach = inferred(same_chips() ? Reach::local : Reach::link, word.text() + ", " + unified_);
        facts_.coherence = declared(coherence, word.text());
        facts_.atomics = declared(atomics, word.text());
        facts_.same_address = declared(true, word.text());
        facts_.pointer_alignment = inferred<std::size_t>(1, word.text());
        facts_.migrates = not_known(false, "no query tells");
        return facts_;
    }

    // CL_MEM_USE_HOST_PTR: drivers may keep a copy, and most do. If they may, Ferry copies instead.
    MemoryCapabilities memory_object() {
        const char* const how = "CL_MEM_USE_HOST_PTR";
        facts_.coherence = inferred(Coherence::map, how);
        facts_.atomics = inferred(Atomics::device, how);
        facts_.same_address = inferred(false, how);
        facts_.pointer_alignment = inferred<std::size_t>(1, "any address is taken");
        switch (answers_.imports) {
        case InPlace::always:
            facts_.reach = inferred(Reach::local, std::string(how) + ", " + unified_);
            break;
        case InPlace::intels_rule:
            facts_.reach = inferred(Reach::local, std::string(how) + ", " + unified_);
            facts_.pointer_alignment = inferred(intels_alignment, "Intel's rule for copy-free buffers");
            facts_.size_granularity = inferred(intels_sizes, "Intel's rule for copy-free buffers");
            break;
        case InPlace::never:
        case InPlace::svm_pointers:
        case InPlace::usm_pointers:
            facts_.reach = inferred(Reach::copy, "Ferry copies what a command uses, " + unified_);
            break;
        }
        return facts_;
    }

    const MemoryAnswers& answers_;
    MemoryCapabilities facts_;
    Word svm_;
    std::string unified_;
};

} // namespace

MemoryCapabilities memory_facts(const MemoryAnswers& answers, MemoryKind kind) {
    Table table(answers, kind);
    switch (kind) {
    case MemoryKind::device:
        return table.own();
    case MemoryKind::host:
        return table.made_of(answers.host_storage,
                             {"CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL", answers.usm_host});
    case MemoryKind::shared:
        return table.made_of(answers.shared_storage,
                             {"CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL", answers.usm_shared});
    case MemoryKind::imported:
        break;
    }
    return table.callers();
}

} // namespace ferry::opencl
