// SPDX-License-Identifier: Apache-2.0
#include "staging/routes.hpp"

#include "base/copy_threads.hpp"
#include "base/host_pages.hpp"
#include "device/device_state.hpp"
#include "staging/policy.hpp"

namespace ferry::detail::staging {

Slots& slots_for(DeviceState& device, Staging mode) {
    const bool gains = mode == Staging::on || device.native().gains_from_staging();
    return gains && device.info().backend != Backend::host ? device.slots() : Slots::ordinary();
}

Step read_step(const Leg& leg, backend::Place from, std::size_t slot, std::size_t skew) {
    return {
        &leg, slot, [&queue = leg.queue, from, slot, skew](const Piece& piece) {
            queue.read({from.memory, from.offset + piece.offset}, piece.slot[slot]->data + skew, piece.bytes);
        }};
}

Step write_step(const Leg& leg, backend::Place to, std::size_t slot, std::size_t skew) {
    return {
        &leg, slot, [&queue = leg.queue, to, slot, skew](const Piece& piece) {
            queue.write(piece.slot[slot]->data + skew, {to.memory, to.offset + piece.offset}, piece.bytes);
        }};
}

Route upload_route(const Leg& leg, Lease& lease, const void* from, backend::Place to, std::size_t bytes) {
    Route route;
    route.bytes = bytes;
    route.piece_bytes = piece_bytes(bytes, lease.slots().slot_bytes(), Workers::get().most());
    route.leases = {&lease, nullptr};
    route.steps.push_back({nullptr, 0, [from = static_cast<const std::byte*>(from)](const Piece& piece) {
                               check_readable(from + piece.offset, piece.bytes);
                               stream_copy(piece.slot[0]->data, from + piece.offset, piece.bytes);
                           }});
    route.steps.push_back(write_step(leg, to, 0));
    return route;
}

Route download_route(const Leg& leg, Lease& lease, backend::Place from, void* to, std::size_t bytes) {
    Route route;
    route.bytes = bytes;
    route.piece_bytes = piece_bytes(bytes, lease.slots().slot_bytes(), Workers::get().most());
    route.leases = {&lease, nullptr};
    route.steps.push_back(read_step(leg, from, 0));
    route.steps.push_back({nullptr, 0, [to = static_cast<std::byte*>(to)](const Piece& piece) {
                               prepare_for_writing(to + piece.offset, piece.bytes);
                               stream_copy(to + piece.offset, piece.slot[0]->data, piece.bytes);
                           }});
    return route;
}

} // namespace ferry::detail::staging
