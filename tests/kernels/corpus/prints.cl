// SPDX-License-Identifier: Apache-2.0
/* printf with every conversion. */
#ifdef FERRY_HAS_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

__constant char name[] = "a constant \"name\"";

void print_integers(int i, long l) {
    printf("%d|%5d|%-8d|%08d|%+d|% d|%.3d|%10.4d|%-+6d|%i|%.0d\n", i, i, i, i, i, i, i, i, i, i, i);
    printf("%u|%12u|%o|%#o|%x|%X|%#x|%#010X|%-#12x|\n", i, i, i, i, i, i, i, i, i);
    printf("%hhd %hhu %hhx %hd %hu %ho\n", i, i, i, i, i, i);
    printf("%ld|%24ld|%-24ld|%024ld|%+ld|%lu|%lx|%#lX|%lo\n", l, l, l, l, l, l, l, l, l);
    printf("%c%5c%-3c|\n", (char)('!' + (i & 63)), (char)('!' + (l & 63)), 'z');
}

void print_floats(float f) {
    printf("%f|%.0f|%#.0f|%12.3f|%-12.3f|%012.2f|%+f|% f|%F\n", f, f, f, f, f, f, f, f, f);
    printf("%e|%.0e|%14.3E|%g|%.3g|%#g|%G|%012g\n", f, f, f, f, f, f, f, f);
    printf("%a|%.2a|%A|%24a|%-+24.3a|\n", f, f, f, f, f);
}

__kernel void print_numbers(__global const int* i, __global const long* l, __global const float* f, uint n) {
    for (uint k = 0; k < n; ++k) {
        print_integers(i[k], l[k]);
        print_floats(f[k]);
    }
    print_floats(INFINITY);
    print_floats(-INFINITY);
    print_floats(NAN);
    print_floats(-0.0f);
    print_integers(0, 0);
    printf("%d %f %%d %5s\n", 'x', 0.1f, "text");
}

#ifdef FERRY_HAS_FP64
__kernel void print_doubles(__global const double* d, uint n) {
    for (uint k = 0; k < n; ++k) {
        printf("%f|%.17g|%e|%a|%30.12f|%-25.3E|\n", d[k], d[k], d[k], d[k], d[k], d[k]);
        printf("%.3v2lf|%v4lg\n", (double2)(d[k], 1.0 / 3.0), (double4)(d[k], 1.0, 2.5, -1e300));
    }
    printf("%.17g %.3v2lf\n", 0.1, (double2)(1.0, 2.0));
}
#endif

__kernel void print_vectors(__global const char* c, __global const int* i, __global const long* l,
                            __global const float* f) {
    printf("%v4hhd %v4hhu %v4hhx\n", vload4(0, c), as_uchar4(vload4(0, c)), as_uchar4(vload4(1, c)));
    printf("%v8hd|%5v3hd|%v16hu\n", convert_short8(vload8(0, i)), convert_short3(vload3(0, i)),
           convert_ushort16(vload16(0, i)));
    printf("%v4hld, %-12v2hld, %#v3hlx, %v16hld, %08v8hlX\n", vload4(0, i), vload2(1, i), vload3(0, i),
           vload16(0, i), vload8(1, i));
    printf("%v2ld|%v8lx\n", vload2(0, l), vload8(0, l));
    printf("%v4hlf|%8.2v2hlf|%.3v3hle|%v8hlg|%v16hla\n", vload4(0, f), vload2(0, f), vload3(1, f), vload8(0, f),
           vload16(0, f));
}

__kernel void print_texts(__global const int* i, ulong address) {
    printf("%s, %.3s|%10s|%-10s|%s\n", "one", "two and three", "right", "left", name);
    printf("chosen: %s\n", i[0] > 0 ? "positive" : "negative");
    printf("\ttab, \"quotes\", \\backslash\\, \303\244, 100%%\n");
    printf("%p %p %20p|\n", (__global char*)address, (__global char*)0, (__global char*)address);
    printf("no newline");
    printf("");
    printf(" and a surplus value\n", i[1]);
    printf("the result is %s\n", printf("x\n") >= 0 ? "not negative" : "negative");
}

/* Each work-item prints one line. */
__kernel void print_ids(uint launch) {
    printf("launch %u, group %u %u %u, item %u %u %u\n", launch, (uint)get_group_id(0), (uint)get_group_id(1),
           (uint)get_group_id(2), (uint)get_local_id(0), (uint)get_local_id(1), (uint)get_local_id(2));
}

/* A launch without messages. */
__kernel void print_if(__global uint* out, uint wanted) {
    const size_t i = get_global_id(0);
    out[i] = (uint)i + 1;
    if (i == wanted)
        printf("item %u\n", wanted);
}
