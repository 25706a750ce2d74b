// SPDX-License-Identifier: Apache-2.0
#include "kernel_mistakes.hpp"
#include "mapping_mistakes.hpp"
#include "pages.hpp"
#include "scene.hpp"
#include "share_mistakes.hpp"
#include "unwritten_mistakes.hpp"
#include "wrong.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace wrong {
namespace {

void missing_unmap(const ferry::Device& device) {
    Scene s(device);
    auto mapping = s.a.map(s.first, ferry::Map::write);
    mapping[0] = 5;
    s.first.launch(kernel(device, "add"), {count, 1}, s.a, Word{1});
}

/// Repeats the attempt, each time a little later, until the kernel was running at the time of the write.
template <class Write>
void write_while_running(Scene& s, const ferry::View<const Word>& in, const Write& write) {
    for (int round = 0; round < 50; ++round) {
        s.slow(in, s.b);
        std::this_thread::sleep_for(std::chrono::milliseconds(round));
        write(static_cast<Word>(99 + round));
        try {
            s.first.finish();
        } catch (const ferry::Error& error) {
            if (std::string_view(error.what()).find("while the launch was running") !=
                std::string_view::npos) {
                throw;
            }
        }
    }
}

void host_write_during_kernel(const ferry::Device& device) {
    Scene s(device);
    auto shared = s.host_buffer();
    write_while_running(s, shared, [&](Word word) { shared.span()[3] = word; });
}

void host_write_before_kernel_began(const ferry::Device& device) {
    Scene s(device);
    auto shared = s.host_buffer();
    s.slow(s.a, s.b);
    s.first.launch(kernel(device, "add"), {count, 1}, shared, Word{1});
    shared.span()[3] = 99;
    s.first.finish();
}

void source_changed_in_flight(const ferry::Device& device) {
    Scene s(device);
    s.slow(s.a, s.b);
    s.first.copy(s.more, s.a);
    s.more[7] = 1234;
    s.first.finish();
}

void destination_used_in_flight(const ferry::Device& device) {
    Scene s(device);
    s.slow(s.a, s.b);
    s.first.copy(s.b, s.more);
    s.more[7] = 1234;
    s.first.finish();
}

void missing_wait(const ferry::Device& device) {
    Scene s(device);
    s.slow(s.a, s.b);
    s.second.launch(kernel(device, "add"), {count, 1}, s.b, Word{1});
    s.second.finish();
}

void missing_wait_before_copy(const ferry::Device& device) {
    Scene s(device);
    s.slow(s.a, s.b);
    s.second.copy(s.b.first(10), s.a.first(10));
    s.second.finish();
}

void missing_wait_before_mapping(const ferry::Device& device) {
    Scene s(device);
    s.slow(s.a, s.b);
    auto mapping = s.b.map(s.second, ferry::Map::read);
    s.second.finish();
}

void missing_wait_after_mapping(const ferry::Device& device) {
    Scene s(device);
    {
        auto mapping = s.b.map(s.first, ferry::Map::write);
        mapping[0] = 5;
    }
    s.second.launch(kernel(device, "add"), {count, 1}, s.b, Word{1});
    s.second.finish();
}

void wait_for_the_wrong_event(const ferry::Device& device) {
    Scene s(device);
    const ferry::Event early = s.first.record();
    s.slow(s.a, s.b);
    s.second.wait(early);
    s.second.fill(s.b, 0);
    s.second.finish();
}

void host_range_of_two_copies(const ferry::Device& device) {
    Scene s(device);
    ferry::Buffer<Word> apart{device, 10};
    s.second.fill(apart, 1);
    s.slow(s.a, s.b);
    s.first.copy(s.more, s.a);
    s.second.copy(apart, std::span(s.more).last(10));
    s.second.finish();
}

void source_still_to_come(const ferry::Device& device) {
    Scene s(device);
    ferry::Buffer<Word> apart{device, 10};
    s.slow(s.a, s.b);
    s.first.copy(s.b, s.more);
    s.second.copy(std::span(s.more).last(10), apart);
    s.second.finish();
}

void host_memory_used_after_free(const ferry::Device& device) {
    Scene s(device);
    std::optional<ferry::Buffer<Word>> shared{s.host_buffer()};
    Word* const words = shared->span().data();
    s.first.finish();
    shared.reset();
    words[3] = 5;
}

void view_used_after_free(const ferry::Device& device) {
    Scene s(device);
    ferry::View<Word> view;
    {
        ferry::Buffer<Word> gone{device, count};
        view = gone;
        s.first.copy_and_wait(s.words, view);
    }
    s.first.launch(kernel(device, "add"), {count, 1}, view, Word{1});
    s.first.finish();
}

void import_written_during_kernel(const ferry::Device& device) {
    Scene s(device);
    const Pages pages;
    const ferry::Imported<Word> imported{device, pages.words()};
    write_while_running(s, imported, [&](Word word) { pages.words()[3] = word; });
}

void import_written_before_copy_began(const ferry::Device& device) {
    Scene s(device);
    const Pages pages;
    const ferry::Imported<Word> imported{device, pages.words()};
    s.slow(s.a, s.b);
    s.first.copy(imported.first(count), s.a);
    pages.words()[3] = 99;
    s.first.finish();
}

void import_unmapped(const ferry::Device& device) {
    Scene s(device);
    Pages pages;
    const ferry::Imported<Word> imported{device, pages.words()};
    struct Restored {
        Pages& pages;
        // without the rights, the driver's behaviour would be undefined
        ~Restored() { pages.allow(PROT_READ | PROT_WRITE); }
    } const restored{pages};
    pages.allow(PROT_NONE);
    s.first.launch(kernel(device, "add"), {count, 1}, imported, Word{1});
    s.first.finish();
}

void read_only_import_written(const ferry::Device& device) {
    Scene s(device);
    Pages pages;
    pages.allow(PROT_READ);
    const ferry::Imported<const Word> imported{device, pages.words()};
    s.first.launch(kernel(device, "add"), {count, 1}, imported, Word{1});
    s.first.finish();
}

void import_used_after_its_end(const ferry::Device& device) {
    Scene s(device);
    const Pages pages;
    ferry::View<Word> view;
    {
        const ferry::Imported<Word> gone{device, pages.words()};
        view = gone;
        s.first.copy_and_wait(s.words, view.first(count));
    }
    s.first.launch(kernel(device, "add"), {count, 1}, view, Word{1});
    s.first.finish();
}

std::vector<Program> all_programs() {
    std::vector<Program> all{
        {"missing_unmap",
         "a kernel uses a buffer that is mapped for writing",
         missing_unmap,
         {"buffer of 4000 bytes", "bytes 0 to 4000 are mapped for writing", "end the mapping"},
         {},
         {}},
        {"host_write_during_kernel",
         "the host writes to page-locked memory that a running kernel reads",
         host_write_during_kernel,
         {},
         {"launch of kernel 'slow'", "The host wrote to byte 12 of host buffer #", "of 4000 bytes",
          "while the launch was running"},
         {}},
        {"host_write_before_kernel_began",
         "the same, while the kernel waits for its turn",
         host_write_before_kernel_began,
         {},
         {"launch of kernel 'add'", "The host wrote to byte 12 of host buffer #", "before it began"},
         {}},
        {"source_changed_in_flight",
         "the source of an asynchronous copy is written to before the copy is done",
         source_changed_in_flight,
         {},
         {"copies from to bytes 0 to 4000 of device buffer #", "was written to, at byte 28"},
         {}},
        {"destination_used_in_flight",
         "the destination of one is",
         destination_used_in_flight,
         {},
         {"copies bytes 0 to 4000 of device buffer #", "was written to, at byte 28"},
         {}},
        {"missing_wait",
         "a queue uses what another one still writes",
         missing_wait,
         {},
         {},
         {"launch of kernel 'add' by queue #2", "writes bytes 0 to 4000 of the device buffer of 4000 bytes",
          "the launch of kernel 'slow' by queue #1", "record an event", "scene.hpp:"}},
        {"missing_wait_before_copy",
         "the same with a copy of a part",
         missing_wait_before_copy,
         {},
         {},
         {"copy of 40 bytes by queue #2", "reads bytes 0 to 40 of the device buffer of 4000 bytes",
          "launch of kernel 'slow' by queue #1"}},
        {"missing_wait_before_mapping",
         "a mapping on another queue than the one that still writes",
         missing_wait_before_mapping,
         {},
         {},
         {"mapping for read by the host", "device buffer of 4000 bytes",
          "launch of kernel 'slow' by queue #1", "finish()"}},
        {"missing_wait_after_mapping",
         "another queue than the mapping's uses what was written",
         missing_wait_after_mapping,
         {},
         {},
         {"launch of kernel 'add' by queue #2", "device buffer of 4000 bytes",
          "end of a mapping for writing by queue #1"}},
        {"wait_for_the_wrong_event",
         "an event that was recorded too early",
         wait_for_the_wrong_event,
         {},
         {},
         {"fill of 4000 bytes by queue #2", "device buffer of 4000 bytes",
          "launch of kernel 'slow' by queue #1"}},
        {"host_range_of_two_copies",
         "a copy of one queue writes to the source of another queue's copy",
         host_range_of_two_copies,
         {},
         {"copy of 40 bytes", "It uses bytes 0 to 40 of the host memory that it copies to",
          "the copy of host memory to bytes 0 to 4000 of device buffer #", "reads", "another queue"},
         {"copy of 40 bytes by queue #2", "writes bytes 0 to 40 of host memory",
          "the copy of 4000 bytes by queue #1"}},
        {"source_still_to_come",
         "a copy reads host memory that another queue's copy has yet to fill",
         source_still_to_come,
         {},
         {"copy of 40 bytes", "It uses bytes 0 to 40 of the host memory that it copies from",
          "the copy of bytes 0 to 4000 of device buffer #", "of 4000 bytes to host memory writes",
          "another queue"},
         {"copy of 40 bytes by queue #2", "reads bytes 0 to 40 of host memory",
          "the copy of 4000 bytes by queue #1"}},
        {"kernel_reads_beyond",
         "a kernel reads past the end of a buffer",
         kernel_reads_beyond,
         {},
         {"launch of kernel 'next'", "read byte 4", "of device buffer #", "of 4000 bytes", "past its end"},
         {}},
        {"kernel_writes_beyond",
         "a kernel writes past the end of a buffer",
         kernel_writes_beyond,
         {},
         {"launch of kernel 'beyond'", "wrote to byte 4", "of device buffer #", "of 4000 bytes",
          "past its end"},
         {}},
        {"kernel_writes_just_before",
         "a kernel writes to the bytes before a buffer, where no page faults",
         kernel_writes_just_before,
         {},
         {"launch of kernel 'just_before'", "wrote to a byte 8 bytes before the start of device buffer #",
          "of 4000 bytes"},
         {}},
        {"kernel_writes_just_beyond",
         "a kernel writes to the first byte after a buffer, where no page faults",
         kernel_writes_just_beyond,
         {},
         {"launch of kernel 'just_beyond'", "wrote to byte 4000, 1 bytes past the end of device buffer #",
          "of 4000 bytes"},
         {}},
        {"kernel_faults_in_another_order",
         "a work-item takes an index that another one writes, with no barrier between",
         kernel_faults_in_another_order,
         {},
         {"launch of kernel 'in_one_order'", "When its work-items run in another order, the kernel read "},
         {}},
        {"kernel_writes_to_const",
         "a kernel casts const away and writes",
         kernel_writes_to_const,
         {},
         {"launch of kernel 'casts'", "of device buffer #", "not an argument that the command may write to"},
         {}},
        {"missing_barrier",
         "a work-item reads local memory that another one writes, with no barrier between",
         missing_barrier,
         {},
         {"launch of kernel 'no_barrier'", "of device buffer #", "of 4000 bytes becomes 0x", " or 0x",
          "one of them writes what another one of its work-group uses", "no barrier separates the two"},
         {}},
        {"missing_second_barrier",
         "the same in a loop, in memory that the kernel declares and behind a barrier",
         missing_second_barrier,
         {},
         {"launch of kernel 'no_second_barrier'", "of device buffer #", "of 4000 bytes becomes 0x",
          "no barrier separates the two"},
         {}},
        {"groups_conflict",
         "a work-item reads of a buffer what one of another work-group writes",
         groups_conflict,
         {},
         {"launch of kernel 'in_place'", "of device buffer #", "of 4000 bytes becomes 0x",
          "one of them writes what one of another work-group uses"},
         {}},
        {"local_memory_read_unwritten",
         "a kernel reads local memory that nobody wrote: it reads poison",
         local_memory_read_unwritten,
         {},
         {"local memory was read that nobody had written"},
         {}},
        {"local_memory_overrun",
         "a kernel writes past the end of its local memory",
         local_memory_overrun,
         {},
         {"launch of kernel 'local_beyond'", "past the end of argument 1, 400 bytes of local memory"},
         {}},
        {"division_by_zero",
         "a kernel divides an integer by zero",
         division_by_zero,
         {},
         {"launch of kernel 'divides'",
          "divided an integer by zero at kernel.cl:", "the work-item with the global id (7, 0, 0)"},
         {}},
        {"division_that_overflows",
         "a kernel divides the least integer by -1",
         division_that_overflows,
         {},
         {"launch of kernel 'divides_the_least'",
          "divided the least integer by -1 at kernel.cl:", "the work-item with the global id (12, 0, 0)"},
         {}},
        {"division_of_each_form",
         "kernels divide by zero and the least integer by -1, with each operator and integer type",
         division_of_each_form,
         {},
         {"each division: ", "launch of kernel 'divides_in'", "the work-item with the global id (5, 0, 0)"},
         {}},
        {"division_in_a_host_function",
         "a function of the program, launched as a kernel, divides an integer by zero",
         division_in_a_host_function,
         {},
         {"launch of kernel 'divide'", "divided an integer by zero"},
         {}},
    };
    const std::vector<Program> unwritten = unwritten_programs();
    all.insert(all.end(), unwritten.begin(), unwritten.end());
    const std::vector<Program> memory{
        {"mapping_for_reading_written",
         "the host writes to a mapping that it made for reading",
         mapping_for_reading_written,
         {},
         {"write-back of a mapping", "byte 12 of the mapping of bytes 0 to 4000 of device buffer #",
          "made for reading"},
         {}},
        {"discarding_mapping_not_written",
         "the host leaves bytes of a mapping with Map::discard unwritten",
         discarding_mapping_not_written,
         {},
         {"write-back of a mapping", "did not write to bytes 2000 to 2080",
          "the mapping of bytes 0 to 4000 of device buffer #", "Map::discard"},
         {}},
        {"discarding_mapping_short_of_two_elements",
         "the host leaves two of the elements of such a mapping unwritten",
         discarding_mapping_short_of_two_elements,
         {},
         {"write-back of a mapping", "did not write to bytes 2000 to 2008",
          "the mapping of bytes 0 to 4000 of device buffer #", "Map::discard"},
         {}},
        {"discarding_mapping_short_of_one_element",
         "the host leaves one element of 16 bytes of such a mapping unwritten",
         discarding_mapping_short_of_one_element,
         {},
         {"write-back of a mapping", "did not write to bytes 308 to 336",
          "the mapping of bytes 0 to 16000 of device buffer #", "Map::discard"},
         {}},
        {"mapping_overrun",
         "the host writes past the end of a mapping",
         mapping_overrun,
         {},
         {"write-back of a mapping", "past the end of the mapping of bytes 0 to 40 of device buffer #"},
         {}},
        {"mapping_used_after_its_end",
         "the host writes to a mapping that has ended",
         mapping_used_after_its_end,
         {},
         {"the host wrote to byte 12 of device buffer #", "of 4000 bytes", "in a mapping that has ended"},
         {},
         true},
        {"host_memory_used_after_free",
         "the host writes to a buffer that was destroyed",
         host_memory_used_after_free,
         {},
         {"the host wrote to byte 12 of host buffer #", "of 4000 bytes", "which has been destroyed"},
         {},
         true},
        {"view_used_after_free",
         "a kernel gets a view of a buffer that was destroyed",
         view_used_after_free,
         {},
         {},
         {"launch uses bytes 0 to 4000 of the device buffer of 4000 bytes", "which has been destroyed",
          "programs.cpp:"}},
        {"import_written_during_kernel",
         "the host writes to imported memory that a running kernel reads",
         import_written_during_kernel,
         {},
         {"launch of kernel 'slow'", "The host wrote to byte 12 of imported memory #", "of 4096 bytes",
          "while the launch was running"},
         {}},
        {"import_written_before_copy_began",
         "the same, while a copy waits for its turn",
         import_written_before_copy_began,
         {},
         {"copy of 4000 bytes", "The host wrote to byte 12 of imported memory #", "of 4096 bytes",
          "after the copy was enqueued and before it began"},
         {}},
        {"import_unmapped",
         "a kernel uses imported memory that was unmapped",
         import_unmapped,
         {},
         {"launch of kernel 'add'", "read byte 0 of imported memory #", "of 4096 bytes",
          "whose pages are gone"},
         {"The imported memory", "(4096 bytes)", "not readable", "too early"}},
        {"read_only_import_written",
         "a kernel writes to imported pages that are read-only",
         read_only_import_written,
         {},
         {"launch of kernel 'add'", "wrote to byte", "of imported memory #", "of 4096 bytes",
          "not an argument that the command may write to"},
         {}},
        {"import_used_after_its_end",
         "a kernel gets a view of an import that has ended",
         import_used_after_its_end,
         {},
         {},
         {"launch uses bytes 0 to 4096 of the imported buffer of 4096 bytes", "which has been destroyed",
          "programs.cpp:"}},
        {"share_for_reading_written",
         "a kernel writes to memory that is shared for it to read",
         share_for_reading_written,
         {},
         {"launch of kernel 'add'", "wrote to byte", "of device buffer #", "of 4000 bytes",
          "not an argument that the command may write to"},
         {}},
        {"const_view_written",
         "a kernel writes to a view of const elements",
         const_view_written,
         {},
         {"launch of kernel 'add'", "wrote to byte", "of device buffer #", "of 4000 bytes",
          "not an argument that the command may write to"},
         {}},
        {"shared_written_without_guard",
         "the host writes to shared memory without a guard",
         shared_written_without_guard,
         {},
         {},
         {"shared memory", "(4000 bytes)", "without a guard for writing, within bytes 0 to ",
          "Shared::host()"}},
        {"shared_copy_written_without_guard",
         "the same, and the device has a copy with the latest bytes",
         shared_copy_written_without_guard,
         {},
         {"The shared memory", "within bytes 12 to ", "after the launch of kernel 'add'", "Shared::host()"},
         {"shared memory", "(4000 bytes)", "changed by the host without a guard", "Shared::host()"}},
        {"shared_read_without_guard",
         "the host reads shared memory without a guard, and the device has the latest bytes",
         shared_read_without_guard,
         {},
         {"the host read byte 20 of shared memory of 4096 bytes without a guard",
          "after the launch of kernel 'add' that wrote later ones", "Shared::host()"},
         {},
         true},
        {"shared_overwritten_without_guard",
         "the host writes to shared memory without a guard, and the device has the latest bytes",
         shared_overwritten_without_guard,
         {},
         {"the host wrote to byte 24 of shared memory of 4096 bytes without a guard",
          "after the launch of kernel 'add' that wrote later ones", "Shared::host()"},
         {},
         true},
        {"shared_edge_read_without_guard",
         "the same as `shared_read_without_guard`, in memory that begins and ends inside pages: it reads "
         "poison",
         shared_edge_read_without_guard,
         {},
         {"shared memory was read without a guard"},
         {}},
        {"shared_edge_overwritten_without_guard",
         "the host writes to the first word of such memory without a guard",
         shared_edge_overwritten_without_guard,
         {},
         {"The shared memory", "was changed by the host without a guard for writing, within bytes 0 to ",
          "after the launch of kernel 'add' that wrote later bytes on the device", "Shared::host()"},
         {}},
        {"shared_written_past_the_share",
         "a copy writes to shared memory by its address",
         shared_written_past_the_share,
         {},
         {},
         {"copy of 4000 bytes writes bytes 0 to 4000 of the shared memory", "past its share",
          "give the command the Shared"}},
        {"shared_read_past_the_share",
         "a copy reads shared memory by its address, and the device has the latest bytes",
         shared_read_past_the_share,
         {},
         {},
         {"copy of 4000 bytes reads bytes 0 to 4000 of the shared memory", "the latest of them are elsewhere",
          "give the command the Shared"}},
    };
    all.insert(all.end(), memory.begin(), memory.end());
    return all;
}

} // namespace

const std::vector<Program>& programs() {
    static const std::vector<Program> list = all_programs();
    return list;
}

} // namespace wrong
