// SPDX-License-Identifier: Apache-2.0
#include "strict/strict_fence.hpp"

#include "base/no_destructor.hpp"
#include "system/pages.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

namespace ferry::host {
namespace {

constexpr std::size_t slot_count = 16384;
// A trial may take a wild value for an index. As many bytes on either side of its memory have no rights.
constexpr std::size_t trial_margin = std::size_t{64} << 20U;
constexpr std::size_t kept_ranges = 1024; // of the past; each costs the process one of its 65530 mappings

// The data that the signal handler reads, on any thread at any time.
struct Slot {
    std::atomic<std::uintptr_t> begin{0}, end{0}, data{0};
    std::atomic<std::size_t> length{0}, bytes{0}, offset{0};
    std::atomic<std::uint64_t> number{0};
    std::atomic<Role> role{};
    std::atomic<MemoryKind> kind{};
    std::atomic<const char*> kernel{""};
    std::atomic<bool> over{false};
};
std::array<Slot, slot_count> slots; // NOLINT: constant-initialised
std::atomic<std::size_t> slots_used{0};

struct Past {
    void* whole;
    std::size_t bytes;
    std::size_t slot;
};
struct Registry {
    std::mutex mutex;
    std::vector<std::size_t> free;
    std::deque<Past> past;
};
Registry& registry() {
    static detail::NoDestructor<Registry> r;
    return *r;
}

std::size_t take_slot() {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    if (!r.free.empty()) {
        const std::size_t slot = r.free.back();
        r.free.pop_back();
        return slot;
    }
    const std::size_t used = slots_used.load() + 1;
    if (used >= slot_count) {
        return 0;
    }
    slots_used.store(used);
    return used;
}

void keep_for_a_while(const Past& range) noexcept {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    r.past.push_back(range);
    if (r.past.size() <= kept_ranges) {
        return;
    }
    const Past oldest = r.past.front();
    r.past.pop_front();
    slots[oldest.slot].begin.store(0);
    detail::unmap_pages(oldest.whole, oldest.bytes);
    if (oldest.slot != 0) {
        r.free.push_back(oldest.slot);
    }
}

// Prefers pages without rights that contain the address, because they may also belong to a buffer or an
// import.
const Slot* find(std::uintptr_t address) noexcept {
    const Slot* found = nullptr;
    const std::size_t used = slots_used.load();
    for (std::size_t i = 1; i <= used; ++i) {
        // `begin` is stored last, so the other members belong to this range, or to a later one in the same
        // slot if the range was released meanwhile. In that case the text describes memory that no longer
        // exists.
        const std::uintptr_t begin = slots[i].begin.load(std::memory_order_acquire);
        if (begin != 0 && address >= begin && address < slots[i].end.load(std::memory_order_relaxed)) {
            if (slots[i].role.load(std::memory_order_relaxed) == Role::shared) {
                return &slots[i];
            }
            found = found == nullptr ? &slots[i] : found;
        }
    }
    return found;
}

const char* kind_of(MemoryKind kind) noexcept {
    return kind == MemoryKind::device ? "device buffer #"
           : kind == MemoryKind::host ? "host buffer #"
                                      : "imported memory #";
}

} // namespace

std::size_t list(const void* whole, std::size_t whole_bytes, const void* data, std::size_t bytes,
                 const Owner& owner) {
    const std::size_t taken = take_slot();
    if (taken != 0) {
        Slot& slot = slots[taken];
        slot.end = reinterpret_cast<std::uintptr_t>(whole) + whole_bytes;
        slot.data = reinterpret_cast<std::uintptr_t>(data);
        slot.length = bytes;
        slot.bytes = owner.bytes;
        slot.offset = owner.offset;
        slot.number = owner.number;
        slot.role = owner.role;
        slot.kind = owner.kind;
        slot.kernel = owner.kernel;
        slot.over = false;
        slot.begin.store(reinterpret_cast<std::uintptr_t>(whole), std::memory_order_release);
    }
    return taken;
}

void unlist(std::size_t slot) noexcept {
    if (slot == 0) {
        return;
    }
    slots[slot].begin.store(0);
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    r.free.push_back(slot);
}

std::string describe(const Owner& owner) {
    return kind_of(owner.kind) + std::to_string(owner.number) + " of " + std::to_string(owner.bytes) +
           " bytes";
}

Fence::Fence(std::size_t bytes, const Owner& owner) : bytes_(bytes), role_(owner.role) {
    const std::size_t page = detail::page_size();
    const std::size_t phase = owner.offset % guard_alignment;
    const std::size_t inner = (bytes + 2 * guard_alignment + page - 1) / page * page;
    const auto reserve = [&](std::size_t margin) {
        margin_ = margin;
        whole_bytes_ = inner + 2 * margin;
        return detail::map_pages(whole_bytes_, detail::PageRights::none);
    };
    whole_ = role_ == Role::trial ? reserve(trial_margin) : nullptr;
    if (whole_ == nullptr) {
        whole_ = reserve(page);
    }
    if (whole_ == nullptr) {
        throw Error(Code::out_of_memory,
                    "The operating system gives no " + std::to_string(whole_bytes_) +
                        " bytes of fenced memory: " + std::strerror(errno), // NOLINT(concurrency-mt-unsafe)
                    SourceLocation{});
    }
    std::byte* const end = whole_ + margin_ + inner;
    data_ = end - (bytes + phase + guard_alignment - 1) / guard_alignment * guard_alignment + phase;
    allow(detail::PageRights::all);
    std::fill(whole_ + margin_, data_, guard_byte);
    std::fill(data_ + bytes, end, guard_byte);
    poison(data_, bytes);

    slot_ = list(whole_, whole_bytes_, data_, bytes, owner);
}

Fence::~Fence() {
    if (role_ == Role::trial) {
        unlist(slot_);
        detail::unmap_pages(whole_, whole_bytes_);
        return;
    }
    slots[slot_].over = true;
    detail::set_page_rights(whole_, whole_bytes_, detail::PageRights::none);
    detail::drop_pages(whole_, whole_bytes_);
    keep_for_a_while({whole_, whole_bytes_, slot_});
}

void Fence::allow(detail::PageRights rights) const noexcept {
    detail::set_page_rights(whole_ + margin_, whole_bytes_ - 2 * margin_, rights);
}

std::optional<std::string> Fence::damage() const {
    std::byte* const begin = whole_ + margin_;
    std::byte* const end = whole_ + whole_bytes_ - margin_;
    const auto wrong = [](std::byte b) { return b != guard_byte; };
    std::byte* const behind = std::find_if(data_ + bytes_, end, wrong);
    std::byte* const before = std::find_if(begin, data_, wrong);
    if (behind == end && before == data_) {
        return std::nullopt;
    }
    std::string text = behind != end
                           ? "byte " + std::to_string(behind - data_) + ", " +
                                 std::to_string(behind - data_ - static_cast<std::ptrdiff_t>(bytes_) + 1) +
                                 " bytes past the end"
                           : "a byte " + std::to_string(data_ - before) + " bytes before the start";
    std::fill(begin, data_, guard_byte);
    std::fill(data_ + bytes_, end, guard_byte);
    return text;
}

void FaultText::put(const char* text) noexcept {
    while (*text != '\0' && size_ + 1 < text_.size()) {
        text_[size_++] = *text++;
    }
}

void FaultText::put(std::uint64_t number, unsigned base) noexcept {
    std::array<char, 24> digits{};
    std::size_t at = digits.size() - 1;
    do {
        digits[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    put(&digits[at]);
}

FaultText::FaultText(const Fault& fault, bool by_host) noexcept {
    if (fault.kind == Fault::Kind::division) {
        put("divided an integer by zero, or the least one by -1");
        return;
    }
    if (fault.kind == Fault::Kind::reported) {
        put(fault.what);
        put(" at ");
        put(fault.where);
        for (std::size_t i = 0; i < fault.item.size(); ++i) {
            put(i == 0 ? ", in the work-item with the global id (" : ", ");
            put(fault.item[i]);
        }
        put(")");
        return;
    }
    put(fault.kind == Fault::Kind::read ? "read " : fault.kind == Fault::Kind::write ? "wrote to " : "used ");
    const Slot* const slot = find(fault.address);
    if (slot == nullptr) {
        put("the address 0x");
        put(fault.address, 16);
        put(", which is no memory of a buffer");
        return;
    }
    known_ = true;
    const std::uintptr_t data = slot->data.load();
    const std::size_t length = slot->length.load();
    const std::size_t offset = slot->offset.load();
    const Role role = slot->role.load();
    const bool over = slot->over.load();
    if (role == Role::shared) {
        put("byte ");
        put(fault.address - data + offset);
        put(" of shared memory of ");
        put(slot->bytes.load());
        put(" bytes without a guard, after the launch of kernel '");
        put(slot->kernel.load());
        put("' that wrote later ones on the device; use Shared::host()");
        return;
    }
    constexpr const char* not_writable = ", which is not an argument that the command may write to";
    const bool before = fault.address < data;
    const bool behind = fault.address >= data + length;
    if (before) {
        put("a byte ");
        put(data - fault.address);
        put(" bytes before the start");
    } else {
        put("byte ");
        put(fault.address - data + offset);
    }
    put(" of ");
    put(kind_of(slot->kind.load()));
    put(slot->number.load());
    put(" of ");
    put(slot->bytes.load());
    put(" bytes");
    if (over) {
        put(role == Role::mapping       ? ", in a mapping that has ended"
            : role == Role::launch_copy ? ", after the launch that it was an argument of"
                                        : ", which has been destroyed");
    } else if (role == Role::imported) {
        put(", whose pages are gone or may not be used like that; leave them as they are until the import "
            "has ended");
    } else if ((role == Role::launch_copy || role == Role::trial) && !before && !behind) {
        put(not_writable);
    } else if (role == Role::mapping || role == Role::launch_copy || role == Role::trial) {
        put(role == Role::mapping ? ", outside of its mapping of bytes "
                                  : ", outside of the argument, bytes ");
        put(offset);
        put(" to ");
        put(offset + length);
    } else if (behind) {
        put(", ");
        put(fault.address - data - length + 1);
        put(" bytes past its end");
    } else if (!before && slot->kind.load() == MemoryKind::device) {
        put(by_host                            ? ", which the host reaches only through commands and mappings"
            : fault.kind == Fault::Kind::write ? not_writable
                                               : ", which is not an argument of the command");
    }
}

} // namespace ferry::host
