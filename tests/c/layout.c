/* SPDX-License-Identifier: Apache-2.0 */
/* Prints where the fields of the structs are that cross the border. */
#include <ferry/ferry.h>

#include <stdio.h>

#define SIZE(s) printf("%s %u\n", #s, (unsigned)sizeof(s))
#define FIELD(s, f) printf("%s.%s %u %u\n", #s, #f, (unsigned)offsetof(s, f), (unsigned)sizeof(((s*)0)->f))

int main(void) {
    SIZE(ferry_error);
    FIELD(ferry_error, message);
    FIELD(ferry_error, log);
    FIELD(ferry_error, vendor_call);
    FIELD(ferry_error, vendor_name);
    FIELD(ferry_error, vendor_code);
    FIELD(ferry_error, code);
    FIELD(ferry_error, vendor_backend);
    SIZE(ferry_device_info);
    FIELD(ferry_device_info, id);
    FIELD(ferry_device_info, name);
    FIELD(ferry_device_info, vendor);
    FIELD(ferry_device_info, platform);
    FIELD(ferry_device_info, driver_version);
    FIELD(ferry_device_info, api_version);
    FIELD(ferry_device_info, architecture);
    FIELD(ferry_device_info, compile_note);
    FIELD(ferry_device_info, pci_address);
    FIELD(ferry_device_info, uuid);
    FIELD(ferry_device_info, backend);
    FIELD(ferry_device_info, kind);
    FIELD(ferry_device_info, index);
    FIELD(ferry_device_info, compute_units);
    FIELD(ferry_device_info, clock_mhz);
    FIELD(ferry_device_info, sub_group_width);
    FIELD(ferry_device_info, total_memory);
    FIELD(ferry_device_info, max_allocation);
    FIELD(ferry_device_info, max_group_size);
    FIELD(ferry_device_info, max_local);
    FIELD(ferry_device_info, max_groups);
    FIELD(ferry_device_info, local_memory);
    FIELD(ferry_device_info, max_argument_bytes);
    FIELD(ferry_device_info, integrated);
    FIELD(ferry_device_info, fp16);
    FIELD(ferry_device_info, fp64);
    FIELD(ferry_device_info, int64_atomics);
    FIELD(ferry_device_info, timing);
    FIELD(ferry_device_info, compiles);
    FIELD(ferry_device_info, host_memory);
    FIELD(ferry_device_info, shared_memory);
    SIZE(ferry_memory_info);
    FIELD(ferry_memory_info, total);
    FIELD(ferry_memory_info, free);
    FIELD(ferry_memory_info, used_here);
    FIELD(ferry_memory_info, max_allocation);
    FIELD(ferry_memory_info, free_known);
    SIZE(ferry_grid);
    FIELD(ferry_grid, groups);
    FIELD(ferry_grid, local);
    FIELD(ferry_grid, offset);
    SIZE(ferry_argument);
    FIELD(ferry_argument, kind);
    FIELD(ferry_argument, type);
    FIELD(ferry_argument, value);
    FIELD(ferry_argument, offset);
    FIELD(ferry_argument, bytes);
    SIZE(ferry_source);
    FIELD(ferry_source, data);
    FIELD(ferry_source, bytes);
    FIELD(ferry_source, name);
    FIELD(ferry_source, architecture);
    FIELD(ferry_source, language);
    SIZE(ferry_build_options);
    FIELD(ferry_build_options, defines);
    FIELD(ferry_build_options, define_count);
    FIELD(ferry_build_options, include_directories);
    FIELD(ferry_build_options, include_directory_count);
    FIELD(ferry_build_options, opencl);
    FIELD(ferry_build_options, cuda);
    FIELD(ferry_build_options, hip);
    FIELD(ferry_build_options, global_offsets);
    FIELD(ferry_build_options, untrusted);
    SIZE(ferry_queue_options);
    FIELD(ferry_queue_options, timing);
    FIELD(ferry_queue_options, wait);
    SIZE(ferry_share_options);
    FIELD(ferry_share_options, passes);
    FIELD(ferry_share_options, allowed);
    FIELD(ferry_share_options, versions);
    FIELD(ferry_share_options, pattern);
    SIZE(ferry_share_info);
    FIELD(ferry_share_info, bytes_up);
    FIELD(ferry_share_info, bytes_down);
    FIELD(ferry_share_info, copies);
    FIELD(ferry_share_info, placement);
    SIZE(ferry_box);
    FIELD(ferry_box, offset);
    FIELD(ferry_box, width);
    FIELD(ferry_box, height);
    FIELD(ferry_box, depth);
    FIELD(ferry_box, row_pitch);
    FIELD(ferry_box, slice_pitch);
    SIZE(ferry_copy);
    FIELD(ferry_copy, source);
    FIELD(ferry_copy, host_source);
    FIELD(ferry_copy, source_offset);
    FIELD(ferry_copy, destination);
    FIELD(ferry_copy, host_destination);
    FIELD(ferry_copy, destination_offset);
    FIELD(ferry_copy, bytes);
    SIZE(ferry_step);
    FIELD(ferry_step, recording);
    FIELD(ferry_step, index);
    SIZE(ferry_native_memory);
    FIELD(ferry_native_memory, address);
    FIELD(ferry_native_memory, handle);
    FIELD(ferry_native_memory, offset);
    return 0;
}
