// SPDX-License-Identifier: Apache-2.0
#include "hip/hip_vendor.hpp"

namespace ferry::hip {

int Vendor::copy_box(const SharedRows& rows, const driver::BoxEnd& from, const driver::BoxEnd& to,
                     const backend::Box& box, Stream stream) {
    using Kind = driver::BoxEnd::Kind;
    const auto end = [](const driver::BoxEnd& e) {
        BoxCopy::End made{};
        made.address = to_pointer(e.address);
        made.pitch = e.pitch.row;
        made.row_length = e.pitch.row;
        made.height = e.slice_rows();
        return made;
    };
    const auto is = [&](Kind source, Kind target) { return from.kind == source && to.kind == target; };
    const BoxCopy copy{end(from),
                       end(to),
                       box.width,
                       box.height,
                       box.depth,
                       is(Kind::host, Kind::device)     ? copy_up
                       : is(Kind::device, Kind::host)   ? copy_down
                       : is(Kind::device, Kind::device) ? copy_between
                                                        : copy_default};
    return rows.copy_box(&copy, stream);
}

} // namespace ferry::hip
