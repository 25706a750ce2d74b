// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_vendor.hpp"

namespace ferry::cuda {

BoxCopy::End Vendor::box_end(const driver::BoxEnd& end, bool peer) {
    using Kind = driver::BoxEnd::Kind;
    BoxCopy::End made{};
    made.kind = end.kind == Kind::host     ? memory_kind::host
                : end.kind == Kind::device ? memory_kind::device
                                           : memory_kind::unified;
    if (end.kind == Kind::host) {
        made.host = reinterpret_cast<const void*>(end.address);
    } else {
        made.device = end.address;
    }
    made.context = peer ? end.context : nullptr;
    made.pitch = end.pitch.row;
    made.height = end.slice_rows();
    return made;
}

int Vendor::copy_box(const Symbols& symbols, const driver::BoxEnd& from, const driver::BoxEnd& to,
                     const backend::Box& box, Stream stream) {
    const BoxCopy copy{box_end(from, false), box_end(to, false), box.width, box.height, box.depth};
    return symbols.copy_box(&copy, stream);
}

int Vendor::copy_box_peer(const Symbols& symbols, const driver::BoxEnd& from, const driver::BoxEnd& to,
                          const backend::Box& box, Stream stream) {
    const BoxCopy copy{box_end(from, true), box_end(to, true), box.width, box.height, box.depth};
    return symbols.copy_box_peer(&copy, stream);
}

} // namespace ferry::cuda
