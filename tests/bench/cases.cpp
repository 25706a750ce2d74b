// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

namespace bench {

namespace {

constexpr double usual = 1.05;
constexpr double for_large = 1 / 0.99; // at least 0.99 times the speed
constexpr std::size_t small_size[] = {small_bytes};
constexpr std::span<const std::size_t> no_size;

constexpr Case all[] = {
    {{"launch.enqueue", "kernel with 4 arguments, time of the call", Operation::launch, Timing::enqueue,
      Check::sum, no_size},
     usual},
    {{"launch.pipelined", "the same, with the wait for all of them", Operation::launch, Timing::pipelined,
      Check::sum, no_size},
     usual},
    {{"launch.finish", "launch and wait, each", Operation::launch, Timing::each, Check::sum, no_size}, usual},
    {{"up.4K.enqueue", "4 KiB page-locked to device, time of the call", Operation::up, Timing::enqueue,
      Check::uploaded, small_size},
     usual},
    {{"up.4K.finish", "the same and wait, each", Operation::up, Timing::each, Check::uploaded, small_size},
     usual},
    {{"down.4K.enqueue", "4 KiB device to page-locked, time of the call", Operation::down, Timing::enqueue,
      Check::downloaded, small_size},
     usual},
    {{"down.4K.finish", "the same and wait, each", Operation::down, Timing::each, Check::downloaded,
      small_size},
     usual},
    {{"up.large.finish", "large copy, page-locked to device, and wait", Operation::up, Timing::each,
      Check::uploaded, small_size},
     for_large,
     true},
    {{"down.large.finish", "large copy, device to page-locked, and wait", Operation::down, Timing::each,
      Check::downloaded, small_size},
     for_large,
     true},
    {{"between.4K.enqueue", "4 KiB within the device, time of the call", Operation::between, Timing::enqueue,
      Check::between, small_size},
     usual},
    {{"event.record", "record an event, time of the call", Operation::record, Timing::enqueue, Check::order,
      no_size},
     usual},
    {{"event.wait_queue", "record, and make another queue wait for it", Operation::record_wait_other,
      Timing::enqueue, Check::order, no_size},
     usual},
    {{"event.wait_host", "record, and wait for it on the host", Operation::record_wait_host,
      Timing::pipelined, Check::order, no_size},
     usual},
};

} // namespace

std::span<const Case> cases() {
    return all;
}

} // namespace bench
