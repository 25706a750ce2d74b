// SPDX-License-Identifier: Apache-2.0
#include "opencl_fill.hpp"

#include "hal/fill_by_copies.hpp"
#include "opencl_device.hpp"
#include "opencl_error.hpp"
#include "opencl_launch.hpp"
#include "opencl_queue.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>

namespace ferry::opencl {
namespace {

constexpr std::size_t largest_vendor_pattern = 128;
constexpr std::size_t worth_widening = 4096; ///< In bytes.
constexpr std::size_t piece = 16;            ///< Bytes that a GPU's work-item stores at a time.
constexpr std::size_t most_pieces = 4;       ///< That the kernel takes as its argument.
// The size of a fill that justifies building the kernel, and the size of a fill supported by the vendor that
// justifies launching it: NVIDIA's fill of 3 GiB on an H200 takes a third longer than the memory needs.
constexpr std::size_t worth_building = std::size_t{1} << 20;
constexpr std::size_t worth_replacing = std::size_t{16} << 20;

bool vendor_fills(std::size_t offset, std::size_t size) {
    return std::has_single_bit(size) && size <= largest_vendor_pattern && offset % size == 0;
}

/// Pieces until the repeated pattern starts again at the same byte.
std::size_t period_of(std::size_t size) {
    return size / std::gcd(size, piece);
}

/// A fill that occupies the device many times over uses short groups, as on CUDA (Helpers::fill_groups).
std::size_t fill_groups(std::size_t pieces, std::size_t period, std::size_t group, std::size_t units) {
    constexpr std::size_t groups_per_unit = 8, stores_of_item = 8, many_times = 4;
    constexpr std::size_t most_items = std::size_t{1} << 30; // The kernel counts in 32 bits.
    const std::size_t full = std::max(units, std::size_t{1}) * groups_per_unit;
    const std::size_t many = std::min(pieces / (group * stores_of_item), most_items / group);
    const std::size_t each = pieces / group + 1;
    return std::max(many >= many_times * full ? many : std::min(each, full), period / group + 1);
}

} // namespace

// Each work-item has one 16-byte piece of the repeated pattern and stores it at the distance after which the
// pattern starts again at the same byte. Pieces are at multiples of 16. The partial pieces before the first
// and after the last are `head` and `tail` bytes, stored by the items that have them. Up to four different
// pieces are an argument; otherwise `size` bytes before the head hold the pattern.
const char* const fill_text = R"(
__kernel void ferry_fill(__global ulong2* memory, ulong first, ulong count, uint head, uint tail,
                         uint period, uint size, ulong8 pieces) {
    __global ulong2* const to = memory + first;
    __global uchar* const bytes = (__global uchar*)to;
    const uint id = (uint)get_global_id(0);
    const uint items = (uint)get_global_size(0);
    const uint stride = items - items % period;
    if (id >= stride) {
        return;
    }
    const uint nth = id % period;
    ulong2 value = nth == 0 ? pieces.s01 : nth == 1 ? pieces.s23 : nth == 2 ? pieces.s45 : pieces.s67;
    if (size != 0) {
        __global const uchar* const pattern = bytes - head - size;
        uint at = (uint)((head + 16ul * nth) % size);
        value = (ulong2)(0, 0);
        for (uint b = 0; b < 8; ++b) {
            value.x |= (ulong)pattern[at] << (8 * b);
            at = at + 1 == size ? 0 : at + 1;
        }
        for (uint b = 0; b < 8; ++b) {
            value.y |= (ulong)pattern[at] << (8 * b);
            at = at + 1 == size ? 0 : at + 1;
        }
    }
    for (ulong i = id; i < count; i += stride) {
        to[i] = value;
    }
    if (id == period - 1) {
        for (uint b = 16 - head; b < 16; ++b) {
            *(bytes + b - 16) = (uchar)((b < 8 ? value.x : value.y) >> (8 * (b & 7)));
        }
    }
    if (id == (uint)(count % stride)) {
        for (uint b = 0; b < tail; ++b) {
            bytes[16 * count + b] = (uchar)((b < 8 ? value.x : value.y) >> (8 * (b & 7)));
        }
    }
}
)";

/// One fill. Nothing outlives the call.
class OpenclQueue::Filling {
public:
    Filling(OpenclQueue& queue, const backend::Place& to, std::size_t bytes, const void* pattern,
            std::size_t size)
        : queue_(queue),
          memory_(memory_of(to)),
          object_(memory_.origin()),
          by_pointer_(pointer_only(memory_)),
          at_(to.offset),
          zero_(by_pointer_ ? reinterpret_cast<std::uintptr_t>(memory_.pointer) : object_.offset),
          begin_(zero_ + to.offset),
          bytes_(bytes),
          pattern_(static_cast<const std::byte*>(pattern)),
          size_(std::equal(pattern_ + 1, pattern_ + size, pattern_) ? 1 : size) {}

    /// Null if the vendor's fill is used.
    OpenclKernel* kernel() const;
    void by_kernel(OpenclKernel& kernel);
    void by_vendor();

private:
    /// The vendor's fill.
    void set(std::size_t offset, const void* values, std::size_t length, std::size_t count);
    void copy(std::size_t at, std::size_t next);
    /// Writes the pattern once.
    void lay_down();
    void lay_down_long();
    char* address(std::size_t offset) const { return memory_.pointer + (offset - zero_); }

    OpenclQueue& queue_;
    OpenclMemory& memory_;
    const OpenclMemory::Origin object_;
    const bool by_pointer_;
    const std::size_t at_;
    // Offset in the object, or address: a fill is at a multiple of its pattern, also in imported memory.
    const std::size_t zero_, begin_;
    const std::size_t bytes_;
    const std::byte* const pattern_;
    const std::size_t size_;
};

void OpenclQueue::Filling::set(std::size_t offset, const void* values, std::size_t length,
                               std::size_t count) {
    const Api& api = queue_.api_;
    if (memory_.storage == Storage::usm) {
        queue_.submit(count, api.clEnqueueMemFillINTEL, address(offset), values, length, count, 0, nullptr,
                      nullptr);
    } else if (by_pointer_) {
        queue_.submit(count, api.clEnqueueSVMMemFill, address(offset), values, length, count, 0, nullptr,
                      nullptr);
    } else {
        queue_.submit(count, api.clEnqueueFillBuffer, object_.mem, values, length, offset, count, 0, nullptr,
                      nullptr);
    }
}

void OpenclQueue::Filling::copy(std::size_t at, std::size_t next) {
    if (by_pointer_) {
        queue_.copy_pointers(memory_, address(begin_ + at), address(begin_), next);
    } else {
        queue_.submit(next, queue_.api_.clEnqueueCopyBuffer, object_.mem, object_.mem, begin_, begin_ + at,
                      next, 0, nullptr, nullptr);
    }
}

// A buffer holds it until it is copied.
void OpenclQueue::Filling::lay_down_long() {
    const Api& api = queue_.api_;
    cl_int code = CL_SUCCESS;
    cl_mem const kept = api.clCreateBuffer(queue_.device_.context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                           size_, const_cast<std::byte*>(pattern_), &code);
    made(kept, code, "clCreateBuffer");
    code = queue_.commands_.submit(api.clEnqueueCopyBuffer, kept, object_.mem, 0, begin_, size_, 0, nullptr,
                                   nullptr);
    static_cast<void>(api.clReleaseMemObject(kept)); // The command keeps it.
    check(code, "clEnqueueCopyBuffer");
    queue_.taken.bytes += size_;
}

void OpenclQueue::Filling::lay_down() {
    if (!by_pointer_ && size_ > largest_vendor_pattern) {
        lay_down_long();
        return;
    }
    for (std::size_t at = 0; at < size_;) { // In parts that the vendor fills.
        std::size_t length = std::bit_floor(std::min(size_ - at, largest_vendor_pattern));
        while (!vendor_fills(begin_ + at, length)) {
            length /= 2;
        }
        set(begin_ + at, pattern_ + at, length, length);
        at += length;
    }
}

void OpenclQueue::Filling::by_vendor() {
    if (!vendor_fills(begin_, size_)) {
        lay_down();
        backend::fill_by_copies(bytes_, size_, [this](std::size_t at, std::size_t next) { copy(at, next); });
        return;
    }
    // Drivers store one pattern at a time. On processors 128 bytes fill four times as fast as 4 (PoCL,
    // Intel's, rusticl), on an H200 8 bytes twice as fast.
    std::size_t wide = size_;
    if (bytes_ >= worth_widening) {
        const std::size_t widest =
            queue_.device_.info().kind == DeviceKind::cpu ? largest_vendor_pattern : piece;
        while (wide < widest && begin_ % (2 * wide) == 0) {
            wide *= 2;
        }
    }
    std::array<std::byte, largest_vendor_pattern> repeated; // NOLINT: filled as far as used
    for (std::size_t at = 0; at < wide; at += size_) {
        std::memcpy(repeated.data() + at, pattern_, size_);
    }
    const std::size_t most = bytes_ / wide * wide;
    set(begin_, repeated.data(), wide, most);
    if (most != bytes_) {
        set(begin_ + most, pattern_, size_, bytes_ - most);
    }
}

OpenclKernel* OpenclQueue::Filling::kernel() const {
    OpenclDevice& device = queue_.device_;
    const std::size_t least = vendor_fills(begin_, size_) ? worth_replacing : 2 * (size_ + piece);
    // A memory object begins at such a multiple, an import anywhere.
    const bool has_pieces = memory_.kernels_update && (!by_pointer_ || zero_ % piece == 0);
    return device.fills_by_kernel() && has_pieces && bytes_ >= least
               ? device.fill_kernel().get(device, bytes_ >= worth_building)
               : nullptr;
}

void OpenclQueue::Filling::by_kernel(OpenclKernel& kernel) {
    const std::size_t period = period_of(size_);
    const bool by_value = period <= most_pieces;
    const std::size_t start = by_value ? at_ : at_ + size_; // After the pattern.
    const std::size_t length = at_ + bytes_ - start;
    const std::size_t head = (piece - start % piece) % piece;
    const std::uint64_t first = (start + head) / piece;
    const std::uint64_t count = (length - head) / piece;
    const std::array<std::uint32_t, 4> numbers{
        static_cast<std::uint32_t>(head), static_cast<std::uint32_t>((length - head) % piece),
        static_cast<std::uint32_t>(period), by_value ? 0 : static_cast<std::uint32_t>(size_)};
    std::array<std::byte, most_pieces * piece> pieces{};
    for (std::size_t i = 0; by_value && i < pieces.size(); ++i) {
        pieces[i] = pattern_[(head + i) % size_];
    }
    const auto value = [](const auto& of) {
        return backend::Argument{detail::ArgumentKind::value, sizeof of, &of, {}};
    };
    const std::array<backend::Argument, 8> arguments{
        backend::Argument{detail::ArgumentKind::buffer, 0, nullptr, {&memory_, 0}},
        value(first),
        value(count),
        value(numbers[0]),
        value(numbers[1]),
        value(numbers[2]),
        value(numbers[3]),
        value(pieces)};
    const std::size_t group = queue_.device_.fill_kernel().group_size();
    const Sizes local{group, 1, 1};
    const Sizes global{group * fill_groups(count, period, group, queue_.device_.info().compute_units), 1, 1};
    queue_.with_kernel(kernel, local, global, [&] {
        if (!by_value) {
            lay_down();
        }
        queue_.enqueue(kernel, 1, local, global, arguments);
        queue_.taken.bytes = bytes_;
    });
}

void OpenclQueue::fill(backend::Place to, std::size_t bytes, const void* pattern, std::size_t size) {
    Filling filling(*this, to, bytes, pattern, size);
    OpenclKernel* const kernel = filling.kernel();
    lent_.clear();
    will_use(to, bytes, Use::writes);
    if (kernel != nullptr) {
        filling.by_kernel(*kernel);
    } else {
        hand_over([&] { filling.by_vendor(); });
    }
}

} // namespace ferry::opencl
